"""The result of one case: a worker's answer compared with the reference. Starts no process."""

import hashlib
from dataclasses import dataclass, replace

import torch

from tutor.course.model import Exercise
from tutor.judge.cases import arguments, passes
from tutor.judge.cases.reference import Args, Reference, describe_arguments
from tutor.judge.comparison import compare, patterns, wrong_region
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import CaseResult, KernelTraffic, Mismatch
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.worker_messages.answers import CaseAnswer
from tutor.judge.processes.worker_messages.kernel_report import KernelReport
from tutor.judge.processes.worker_messages.records import Layout, OutputTensor
from tutor.judge.processes.worker_messages.rewrite_report import RewriteReport

JudgedCase = tuple[CaseResult, CaseFacts]

_MOST_EXPLAINED = 8  # wrong cases that are compared with all near misses; later ones: with some
_MOST_ELEMENTS = 20_000  # of an output that is compared with them
_MIN_OUTPUT_BYTES = 64  # shorter outputs can be equal by chance


@dataclass(frozen=True)
class ExpectedOutput:
    """PyTorch's output for the arguments, and the truth in float64."""

    eager: torch.Tensor
    want: torch.Tensor

    @property
    def bytes(self) -> int:
        return self.want.numel() * self.eager.element_size()


@dataclass(frozen=True)
class WorkerAnswer:
    """A worker's reply, and the content of the files when it came.

    `data` has the output's bytes (None: too few of them), `inputs` those of the inputs (None: the file
    was shortened), `python` those of a compiled function's output without
    `torch.compile` (None: it was no such tensor), `rewritten` a result that a pass has changed, and the
    same from before.
    """

    reply: CaseAnswer
    has_output: bool
    data: torch.Tensor | None
    inputs: torch.Tensor | None
    python: torch.Tensor | None = None
    rewritten: tuple[torch.Tensor, torch.Tensor] | None = None


class ResultReader:
    """Turn the answers of one worker into results and facts.

    `repeats` names a case whose wrong output had been right in an earlier case, and that one.
    """

    def __init__(
        self, exercise: Exercise, reference: Reference, mode: str, *, explains: bool = True
    ) -> None:
        """Without `explains` a wrong output is not described: no pattern, no near miss, no picture."""
        self._exercise, self._reference, self._mode = exercise, reference, mode
        self._explains = explains
        self._signature = arguments.signature_of_case(exercise)
        self.repeats: tuple[str, str] | None = None
        self._explained = 0  # wrong cases that were compared with the near misses
        self._named: set[str] = set()  # the near misses that one of them agrees with
        self._has_picture = False  # one wrong output of a submission is drawn
        self._right: dict[bytes, str] = {}  # digests of right outputs, and their cases

    def read(
        self, given: arguments.CaseInputs, expected: ExpectedOutput, answer: WorkerAnswer
    ) -> JudgedCase:
        args, reply = given.args, answer.reply
        name = self._reference.cases[given.index].name
        facts = self._facts(name, given, answer)
        if reply.rewrite:
            return self._read_rewrite(given, facts, reply.rewrite, answer.rewritten)
        result = CaseResult(name, describe_arguments(args), passed=False)
        if self._exercise.kind == "kernel" and reply.report and facts.launches and not facts.raised:
            facts = replace(facts, traffic=self._traffic(name, args, facts.seen))
        if reply.output is None or facts.raised or facts.returned or not answer.has_output:
            note = "raised an error" if facts.raised else f"returned {facts.returned}"
            note = "the ranks were stopped" if reply.ranks and reply.ranks.stop else note
            return replace(result, note=note), facts
        want = expected.want
        facts = replace(facts, numel=want.numel(), constant=_is_constant(want))
        return self._check_form(result, facts, expected, reply.output) or self._compare(
            result, facts, args, expected, answer
        )

    def _read_rewrite(
        self,
        given: arguments.CaseInputs,
        facts: CaseFacts,
        report: RewriteReport,
        rewritten: tuple[torch.Tensor, torch.Tensor] | None,
    ) -> JudgedCase:
        """Return the judged case of a pass."""
        reference, case = self._reference, self._reference.cases[given.index]
        rules = reference.rewrite
        assert rules is not None
        fault = passes.find_fault(
            rules,
            given.args,
            report,
            most=reference.most,
            least=reference.least,
            cost=reference.cost,
            check=reference.check_rewrite,
        )
        shown = describe_arguments(given.args[1:])
        if fault is None:
            return CaseResult(case.name, shown, passed=True), replace(facts, passed=True)
        mismatch = passes.find_mismatch(*rewritten, rules.rtol) if rewritten else None
        result = CaseResult(
            case.name, shown, passed=False, mismatch=mismatch, note=passes.note_of(fault)
        )
        return result, replace(facts, rewrite=fault, about=case.why)

    def _facts(self, name: str, given: arguments.CaseInputs, answer: WorkerAnswer) -> CaseFacts:
        args, reply, entry = given.args, answer.reply, self._signature
        tensors, names = arguments.tensors_of(args), arguments.tensor_names(entry, args)
        kind, which = find_change(given.buffer, answer.inputs, given.layouts)
        alias = reply.output.alias if reply.output else None
        return CaseFacts(
            name=name,
            passed=False,
            contiguous=all(t.is_contiguous() for t in tensors),
            largest=max((_largest(t) for t in tensors), default=0.0),
            special=any(
                t.is_floating_point() and not bool(torch.isfinite(t).all()) for t in tensors
            ),
            sizes=arguments.collect_sizes(entry, args),
            raised=reply.raised,
            returned=reply.wrong_type,
            seen=reply.report or KernelReport(),
            launches=reply.launches,
            handled=reply.handled,
            host_operations=reply.host_operations,
            host_copies=reply.host_copies,
            ranks=reply.ranks,
            guard_broken=names[which] if kind == "guard" else "",
            changed=names[which] if kind == "element" else "",
            output_contiguous=reply.output is None or reply.output.contiguous,
            launched=reply.output is None or reply.output.launched,
            alias=names[alias] if alias is not None and 0 <= alias < len(names) else "",
            options=arguments.collect_options(entry, args),
        )

    def _check_form(
        self, result: CaseResult, facts: CaseFacts, expected: ExpectedOutput, output: OutputTensor
    ) -> JudgedCase | None:
        """Return the judged case if shape, dtype or device is wrong."""
        shape = (output.shape, tuple(expected.want.shape))
        if shape[0] != shape[1]:
            return replace(result, note=f"shape {list(shape[0])}"), replace(facts, shape=shape)
        dtype = (output.dtype, str(expected.eager.dtype).removeprefix("torch."))
        if dtype[0] != dtype[1]:
            return replace(result, note=f"dtype {dtype[0]}"), replace(facts, dtype=dtype)
        device = (output.device, "cuda:0" if self._mode == "cuda" else "cpu")
        if device[0] != device[1]:
            return replace(result, note=f"on {device[0]}"), replace(facts, device=device)
        return None

    def _compare(
        self,
        result: CaseResult,
        facts: CaseFacts,
        args: Args,
        expected: ExpectedOutput,
        answer: WorkerAnswer,
    ) -> JudgedCase:
        data = answer.data
        if data is None:
            return replace(result, note="output incomplete"), replace(facts, returned="no data")
        eager, want, reference = expected.eager, expected.want, self._reference
        got = data.view(eager.dtype).reshape(want.shape)
        scale = reference.magnitude(args, want, eager.dtype)

        def compare_with_truth(output: torch.Tensor) -> compare.OutputComparison:
            return compare.compare_output(
                output.view(eager.dtype).reshape(want.shape),
                want,
                scale,
                eager,
                reference.precision,
                reference.exact(scale),
            )

        comparison = compare_with_truth(data)
        broken = facts.guard_broken or facts.changed
        racy = bool(facts.seen.races or facts.seen.lanes)
        only_compiled = self._exercise.kind == "compiled" and (
            answer.python is None or not compare_with_truth(answer.python).passed
        )
        scattered = reference.contiguous and not facts.output_contiguous
        passed = comparison.passed and not (broken or racy or only_compiled or scattered)
        if comparison.mismatch and self._explains:
            pattern = patterns.find_pattern(got, want, comparison.wrong, comparison.mismatch, scale)
            mistake = reference.mistake(got, args)
            facts = replace(
                facts, pattern=pattern, mistake=mistake, misses=self._misses(facts, got, want, args)
            )
            mismatch = self._add_place_and_map(comparison.mismatch, comparison.wrong, pattern.where)
            result = replace(result, mismatch=mismatch)
        self._remember(result.name, data, passed)
        note = ""
        if comparison.passed and not passed:
            fault = _fault_of_right_numbers(scattered, only_compiled, racy, broken)
            note = f"right numbers, but {fault}"
        return (
            replace(
                result,
                passed=passed,
                max_abs_err=comparison.max_abs_err,
                bound=comparison.bound,
                eager_err=comparison.eager_err,
                note=note,
            ),
            replace(
                facts,
                passed=passed,
                only_compiled=comparison.passed and only_compiled,
                scattered=comparison.passed and scattered,
            ),
        )

    def _misses(
        self, facts: CaseFacts, got: torch.Tensor, want: torch.Tensor, args: Args
    ) -> tuple[str, ...] | None:
        """Return the near misses that a wrong output agrees with; None if it is not compared.

        After `_MOST_EXPLAINED` cases only those are asked that an earlier one agrees with.
        """
        # One element, or equal ones, agree with anything.
        if facts.special or facts.constant or want.numel() > _MOST_ELEMENTS:
            return None
        if self._explained >= _MOST_EXPLAINED and not self._named:
            return ()
        only = None if self._explained < _MOST_EXPLAINED else self._named
        misses = self._reference.misses(got, want, args, only)
        self._explained += 1
        self._named |= set(misses)
        return misses

    def _add_place_and_map(self, mismatch: Mismatch, wrong: torch.Tensor, where: str) -> Mismatch:
        """Add what the wrong elements have in common, and to the first mismatch a picture."""
        picture = None if self._has_picture else wrong_region.make_wrong_map(wrong)
        self._has_picture = self._has_picture or picture is not None
        return replace(mismatch, where=where, map=picture)

    def _traffic(self, name: str, args: Args, seen: KernelReport) -> KernelTraffic:
        counted = (
            "launches",
            "programs",
            "loaded",
            "stored",
            "loaded_once",
            "stored_once",
            "fetched",
        )
        work = self._reference.work(*args)
        counts = {key: getattr(seen, key) for key in counted}
        return KernelTraffic(name, **counts, least=work.bytes, flops=work.flops)

    def _remember(self, name: str, data: torch.Tensor, passed: bool) -> None:
        """Keep the digest of a right output; note a wrong one that was right in an earlier case.

        Outputs of few or equal bytes are ignored: they can repeat by chance.
        """
        raw = data.numpy().tobytes()
        start = raw[:_MIN_OUTPUT_BYTES]
        if len(raw) < _MIN_OUTPUT_BYTES or len(set(start)) < _MIN_OUTPUT_BYTES // 4:
            return
        digest = hashlib.blake2b(raw).digest()
        if passed:
            self._right.setdefault(digest, name)
        elif digest in self._right and self.repeats is None:
            self.repeats = (name, self._right[digest])


def find_change(
    before: torch.Tensor, after: torch.Tensor | None, layouts: list[Layout]
) -> tuple[str, int]:
    """Return what a run changed in the file of its inputs, and the number of the argument.

    The first value is "element", "guard" (memory next to the tensor) or "" for no change.
    """
    if after is None:
        return "guard", 0
    if torch.equal(before, after):
        return "", 0
    changed = (before != after).nonzero().reshape(-1)
    first = int(changed[0])
    for i, layout in enumerate(layouts):
        if layout.offset <= first < layout.offset + layout.nbytes:
            return "element", i
        if first < layout.offset + layout.nbytes + shared_tensors.GUARD:
            return "guard", i
    return "guard", len(layouts) - 1


def _fault_of_right_numbers(scattered: bool, only_compiled: bool, racy: bool, broken: str) -> str:
    """Say why a case whose numbers are right is wrong; `broken` names an argument that was changed."""
    if scattered:
        return "not contiguous"
    if only_compiled:
        return "not without `torch.compile`"
    if racy:
        return "programs or lanes meet in one element"
    return f"`{broken}` or memory beside it was written"


def _largest(tensor: torch.Tensor) -> float:
    if not tensor.is_floating_point() or not tensor.numel():
        return 0.0
    finite = tensor[torch.isfinite(tensor)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _is_constant(tensor: torch.Tensor) -> bool:
    return bool((tensor.reshape(-1)[:1] == tensor.reshape(-1)).all())
