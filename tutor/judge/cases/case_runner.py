"""Running an exercise's cases in one worker, and comparing what comes back: the server's side."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from tutor.course.model import Exercise
from tutor.judge.cases.reference import Args, Reference, described, make
from tutor.judge.comparison import compare, patterns, wrong_region
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.launch_options import BACKWARDS, POISONS
from tutor.judge.model.verdict import CaseResult, Mismatch, Traffic
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import Limits
from tutor.judge.processes.wire import Channel, Message, close_all
from tutor.judge.processes.worker_handle import Worker

Judged = tuple[CaseResult, CaseFacts]

_TELLING_BYTES = 64  # of an output, which two different inputs do not give by chance
_PROBE_SECONDS = 3.0
_RAISED_ENOUGH = 3  # cases that raised after which the rest would say the same


class Cases:
    """One worker with the learner's text, asked case by case. `mode` is the worker's."""

    def __init__(
        self,
        exercise: Exercise,
        reference: Reference,
        worker: Worker,
        *,
        mode: str,
        seed: int,
        caller: Channel,
    ) -> None:
        self.exercise, self.reference, self.worker = exercise, reference, worker
        self.mode, self.seed, self._caller = mode, seed, caller
        self.repeated = 0  # compiled functions: compilations for an input seen just before
        self.compiled: list[int] = []  # compiled functions: compilations in each case
        self.guards: list[str] = []  # and the guards whose failure caused them
        self.explained: dict[str, Any] | None = None  # compiled functions: graphs and breaks
        # The case whose wrong output had been right in an earlier one, and that one.
        self.repeats: tuple[str, str] | None = None
        self._drawn = False  # the map of a wrong output: one a submission
        self._right: dict[bytes, str] = {}  # outputs that were right, by digest: their cases

    def limits(self) -> Limits:
        return Limits(self.exercise.seconds, int(self.exercise.memory_gib * 2**30))

    def begin_probe(self) -> None:
        """Start the worker's clock for a look behind a verdict, which nobody is to wait long for."""
        self.worker.begin(Limits(_PROBE_SECONDS, self.limits().memory_bytes))

    def run(self, after_first: Callable[[], None] | None = None) -> Iterator[Judged]:
        """All cases in order; stops early where each one raises. `after_first` is called before the
        second one begins.

        While the worker runs one, the one before is compared here and the next is made.
        """
        raised, last = 0, len(self.reference.cases) - 1
        with contextlib.ExitStack() as files:
            given = files.enter_context(self._given(0))
            self._post(given)
            for index in range(last + 1):
                wanted = self._wanted(given.args)
                following = files.enter_context(self._given(index + 1)) if index < last else None
                answer = self._answer(given, wanted, *self.worker.reply(self._caller))
                raised += "raised" in answer.reply
                if raised >= _RAISED_ENOUGH or _lost(answer.reply):
                    following = None
                held = following if index == 0 and after_first else None
                if following and not held:
                    self._post(following)
                yield self._judged(given, wanted, answer)
                if held and after_first:
                    after_first()
                    self._post(held)
                given.close()
                if following is None:
                    return
                given = following

    def load(self, source: str, filename: str) -> Message:
        """The worker's answer to the learner's text: `loaded` with constants, or `failed`."""
        reply, _ = self.worker.ask(
            {
                "do": "load", "source": source, "filename": filename,
                "entry": self.exercise.entry, "kind": self.exercise.kind,
                "memory_bytes": self.worker.limits.memory_bytes,
            },
            (),
            self._caller,
        )  # fmt: skip
        return reply

    def probe(self, source: str, filename: str) -> Message:
        """What the exercise's probe finds in the learner's module: `found`, or `raised`."""
        reply, _ = self.worker.ask(
            {"do": "probe", "source": source, "filename": filename}, (), self._caller
        )
        return reply

    def case(self, index: int, **options: Any) -> Judged:
        """Run case `index` once more. Options: `padding` probes with that value in every masked lane of
        a load; `order` (see `_order`)."""
        with self._given(index) as given:
            self._post(given, **options)
            wanted = self._wanted(given.args)
            answer = self._answer(given, wanted, *self.worker.reply(self._caller))
        return self._judged(given, wanted, answer)

    def _given(self, index: int) -> "_Given":
        return _Given(index, make(self.reference.cases[index], self.seed + index))

    def _wanted(self, args: Args) -> "_Wanted":
        eager = self.reference.eager(*[_copy(a) for a in args])
        return _Wanted(eager, self.reference.want(args))

    def _post(self, given: "_Given", **options: Any) -> None:
        message = self._question(given.index, given.args, given.layouts, options)
        self.worker.post(message, (given.fd,))

    def _question(
        self, index: int, args: Args, layouts: list[shared_tensors.Layout], options: Message
    ) -> Message:
        return {
            "do": "case", "args": arguments(args, layouts), "first": index == 0,
            "poison": POISONS[index % len(POISONS)], "order": _order(self.seed, index), **options,
        }  # fmt: skip

    def ask(self, index: int, args: Args, fd: int, options: Message) -> tuple[Message, list[int]]:
        """Have the function called with `args`, whose bytes are in the file `fd`. The caller closes
        what comes back: a file with the output where there is one, perhaps a second file.

        Options: those of `case`, `withhold` (the kernels' stores), `again` (the tensors of the call
        before, whose file now holds other bytes), `trace` (keep every load and store).
        """
        _, layouts = shared_tensors.filled(tensors_of(args))
        message = self._question(index, args, layouts, options)
        return self.worker.ask(message, () if options.get("again") else (fd,), self._caller)

    def compared(self, index: int, args: Args, reply: Message, fds: list[int], fd: int) -> Judged:
        """What `ask` brought, held against the reference; `fd` is the file of the inputs."""
        wanted = self._wanted(args)
        with _Given(index, args, os.dup(fd)) as given:
            answer = self._answer(given, wanted, reply, fds, close=False)
        return self._judged(given, wanted, answer)

    def _answer(
        self,
        given: "_Given",
        wanted: "_Wanted",
        reply: Message,
        fds: list[int],
        *,
        close: bool = True,
    ) -> "_Answer":
        """Everything that the learner's process could still write to is read now."""
        try:
            data = shared_tensors.read_file(fds[0], wanted.bytes) if fds else None
            inputs = shared_tensors.read_file(given.fd, given.buffer.numel())
            return _Answer(reply, bool(fds), data, inputs)
        finally:
            if close:
                close_all(fds)

    def _judged(self, given: "_Given", wanted: "_Wanted", answer: "_Answer") -> Judged:
        args, reply = given.args, answer.reply
        name, tensors = self.reference.cases[given.index].name, tensors_of(args)
        touched = _touched(given.buffer, answer.inputs, given.layouts)
        names = self.tensor_names(args)
        alias = reply.get("alias")
        facts = CaseFacts(
            name=name,
            passed=False,
            contiguous=all(t.is_contiguous() for t in tensors),
            largest=max((_largest(t) for t in tensors), default=0.0),
            special=any(
                t.is_floating_point() and not bool(torch.isfinite(t).all()) for t in tensors
            ),
            sizes=self._sizes(args),
            raised=reply.get("raised"),
            returned=str(reply.get("wrong_type", "")),
            seen=reply.get("seen") or {},
            launches=int(reply.get("launches", 0)),
            guard_broken=names[touched[1]] if touched[0] == "guard" else "",
            changed=names[touched[1]] if touched[0] == "element" else "",
            alias=names[alias] if type(alias) is int and 0 <= alias < len(names) else "",
            options=tuple(
                f"{n}={a}"
                for n, a in zip(self.parameter_names(), args, strict=False)
                if isinstance(a, bool)
            ),
        )
        result = CaseResult(name, described(args), passed=False)
        if "compilations" in reply:
            self.repeated += int(reply["repeated"])
            self.compiled.append(int(reply["compilations"]) + int(reply["repeated"]))
            self.guards += reply.get("guards", [])
            self.explained = _worse(self.explained, reply.get("explained"))
        if self.exercise.kind == "kernel" and facts.launches and facts.seen and not facts.raised:
            facts = replace(facts, traffic=self._traffic(name, args, facts.seen))
        if facts.raised or facts.returned or not answer.has_output:
            note = "raised an error" if facts.raised else f"returned {facts.returned}"
            return replace(result, note=note), facts
        return self._held_against(result, facts, args, wanted, answer)

    def _held_against(
        self,
        result: CaseResult,
        facts: CaseFacts,
        args: Args,
        wanted: "_Wanted",
        answer: "_Answer",
    ) -> Judged:
        eager, want, reply = wanted.eager, wanted.want, answer.reply
        facts = replace(facts, numel=want.numel(), constant=_constant(want))
        if tuple(reply["shape"]) != tuple(want.shape):
            shape = (tuple(reply["shape"]), tuple(want.shape))
            return replace(result, note=f"shape {list(shape[0])}"), replace(facts, shape=shape)
        wanted_dtype = str(eager.dtype).removeprefix("torch.")
        if reply["dtype"] != wanted_dtype:
            dtype = (reply["dtype"], wanted_dtype)
            return replace(result, note=f"dtype {dtype[0]}"), replace(facts, dtype=dtype)
        home = "cuda:0" if self.mode == "cuda" else "cpu"
        if reply["device"] != home:
            device = (reply["device"], home)
            return replace(result, note=f"on {device[0]}"), replace(facts, device=device)
        data = answer.data
        if data is None:
            return replace(result, note="output incomplete"), replace(facts, returned="no data")
        got = data.view(eager.dtype).reshape(want.shape)
        scale = self.reference.magnitude(args, want, eager.dtype)
        found = compare.compare(
            got, want, scale, eager, self.reference.precision, self.reference.exact(scale)
        )
        broken = facts.guard_broken or facts.changed
        racy = bool(facts.seen.get("races"))
        passed = found.passed and not broken and not racy
        if found.mismatch:
            pattern = patterns.read(got, want, found.wrong, found.mismatch, scale)
            facts = replace(facts, pattern=pattern)
            mismatch = self._where(found.mismatch, found.wrong, pattern.where)
            result = replace(result, mismatch=mismatch)
        self._remember(result.name, data, passed)
        note = ""
        if found.passed and not passed:
            note = "right numbers, but " + (
                "programs race" if racy else f"`{broken}` or memory beside it was written"
            )
        return (
            replace(
                result, passed=passed, max_abs_err=found.max_abs_err, bound=found.bound,
                eager_err=found.eager_err, note=note,
            ),
            replace(facts, passed=passed),
        )  # fmt: skip

    def _where(self, mismatch: Mismatch, wrong: torch.Tensor, where: str) -> Mismatch:
        """The mismatch with what its elements have in common; the first one with a picture."""
        drawn = None if self._drawn else wrong_region.picture(wrong)
        self._drawn = self._drawn or drawn is not None
        return replace(mismatch, where=where, map=drawn)

    def _traffic(self, name: str, args: Args, seen: dict[str, Any]) -> Traffic:
        counted = ("launches", "programs", "loaded", "stored", "loaded_once", "stored_once")
        least = self.reference.work(*args).bytes
        return Traffic(name, **{key: seen.get(key, 0) for key in counted}, least=least)

    def _remember(self, name: str, data: torch.Tensor, passed: bool) -> None:
        """Note an output that was right, or one that had been right in an earlier case.

        Few bytes, and equal ones, may come about twice by themselves.
        """
        raw = data.numpy().tobytes()
        if len(raw) < _TELLING_BYTES or len(set(raw[:_TELLING_BYTES])) < _TELLING_BYTES // 4:
            return
        digest = hashlib.blake2b(raw).digest()
        if passed:
            self._right.setdefault(digest, name)
        elif digest in self._right and self.repeats is None:
            self.repeats = (name, self._right[digest])

    def parameter_names(self) -> list[str]:
        """The entry's parameter names, in order."""
        params = self.exercise.entry.partition("(")[2].rstrip(") ").split(",")
        return [p.split("=")[0].split(":")[0].strip() for p in params]

    def _sizes(self, args: Args) -> dict[str, int]:
        """Every size among the arguments by the name it has in the learner's function."""
        sizes: dict[str, int] = {}
        for name, value in zip(self.parameter_names(), args, strict=False):
            if isinstance(value, torch.Tensor):
                sizes |= {f"{name}.shape[{d}]": n for d, n in enumerate(value.shape)}
            elif type(value) is int:
                sizes[name] = value
        return sizes

    def tensor_names(self, args: Args) -> list[str]:
        """Parameter names of the tensor arguments, in order."""
        return [
            n
            for n, a in zip(self.parameter_names(), args, strict=False)
            if isinstance(a, torch.Tensor)
        ]


class _Given:
    """A case's arguments, and the file in which the worker finds their tensors: an open one that
    holds them already, or a new one. Closed with it."""

    def __init__(self, index: int, args: Args, fd: int = -1) -> None:
        self.index, self.args = index, args
        self.buffer, self.layouts = shared_tensors.filled(tensors_of(args))
        self.fd = fd if fd >= 0 else shared_tensors.memory_file("inputs", self.buffer)

    def __enter__(self) -> "_Given":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1


@dataclass(frozen=True)
class _Wanted:
    """What PyTorch returns for the arguments, and the truth in float64."""

    eager: torch.Tensor
    want: torch.Tensor

    @property
    def bytes(self) -> int:
        return self.want.numel() * self.eager.element_size()


@dataclass(frozen=True)
class _Answer:
    """A worker's reply, and what the files held when it came: the output's bytes (None: too few of
    them), and the inputs' (None: the file was shortened)."""

    reply: Message
    has_output: bool
    data: torch.Tensor | None
    inputs: torch.Tensor | None


def _lost(reply: Message) -> bool:
    """Whether the case lost the GPU for this process: after an illegal access or a failed assertion
    every later call fails (CUDA C++ Programming Guide, Error Checking: sticky errors)."""
    message = str((reply.get("raised") or {}).get("message", ""))
    return "CUDA error:" in message and "out of memory" not in message


def _order(seed: int, index: int) -> int:
    """In which order the interpreter runs the programs of case `index` (`ProgramOrder.order`).

    Every second case goes backwards, which turns each pair of programs round; the others go in an order
    drawn for this submission, which nobody can know beforehand. All calls of one case, those of probes
    too, go in one order: where the outputs of two differ, it is by what was asked, not by the order.
    The worker is not to learn the seed, so what it gets is a digest.
    """
    if index % 2 == 0:
        return BACKWARDS
    digest = hashlib.blake2b(f"{seed} {index}".encode(), digest_size=4).digest()
    return 1 + int.from_bytes(digest, "big")


def arguments(args: Args, layouts: list[shared_tensors.Layout]) -> list[Message]:
    """The message form of arguments whose tensors lie in a memory file."""
    left = list(layouts)
    return [
        {"tensor": left.pop(0).to_json()} if isinstance(a, torch.Tensor) else {"value": a}
        for a in args
    ]


def tensors_of(args: Args) -> list[torch.Tensor]:
    return [a for a in args if isinstance(a, torch.Tensor)]


def _worse(known: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any] | None:
    """Of two captures the one with more breaks: those of any case count."""
    if known is None or new is None:
        return known or new
    return new if len(new["breaks"]) > len(known["breaks"]) else known


def _touched(
    before: torch.Tensor, after: torch.Tensor | None, layouts: list[shared_tensors.Layout]
) -> tuple[str, int]:
    """What a run changed in its inputs' file: ("", 0), ("guard", argument) or ("element", argument)."""
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


def _largest(tensor: torch.Tensor) -> float:
    if not tensor.is_floating_point() or not tensor.numel():
        return 0.0
    return (
        float(tensor[torch.isfinite(tensor)].abs().max()) if torch.isfinite(tensor).any() else 0.0
    )


def _constant(tensor: torch.Tensor) -> bool:
    return bool((tensor == tensor.reshape(-1)[:1]).all())


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
