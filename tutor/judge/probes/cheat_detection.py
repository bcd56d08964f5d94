"""Detection of outputs that the learner's kernel did not compute, or not in this call.

The learner's process can forge names, types and counts. So once all cases are right, two of them run
again with other numbers:

    withheld  The kernels run with their stores disabled (interpreter only). The output must be wrong.
              If it is still right, or already was in an argument before the launch, the kernel did
              not compute it.
    renewed   The same tensors at the same addresses have other numbers. An output equal to the one
              before was kept. The output of the call before must not change.

A wrong output can also come from another call: `find_kept_state` makes one call twice.

A case is used only if its answer is not trivial: not all zeros, not all ones, not one of its inputs.
"""

import itertools
import os
import random
from dataclasses import dataclass
from typing import Any

import torch

from tutor.judge.cases.arguments import tensors_of
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args, make_inputs
from tutor.judge.comparison import compare
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.probes.case_rerun import CaseRerun
from tutor.judge.probes.idle_products import find_idle_products
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import WorkerLimits, WorkerStopped

SECONDS = 3.0  # for one case; slower ones are not examined
# Added to the seed of a case for other numbers, which no earlier call has seen.
_SECOND, _THIRD = 104_729, 1_299_709
_MAX_HELD = 32
_MANY = 20_000  # elements of an output; the interpreter is slow on more
_MIN_DIFFERENCE = 0.01  # of the largest element; another order of a sum changes less


def check_kernel(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """Examine a kernel if all cases ran and are right."""
    every = len(facts) == len(cases.reference.cases) and all(f.passed for f in facts)
    if not every or cases.exercise.kind != "kernel":
        return None
    return detect_cheating(cases, facts) or find_idle_products(cases, facts)


def detect_cheating(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """Examine right cases; `facts` has those of all cases in order."""
    with_elements = [i for i in range(len(facts)) if facts[i].numel]
    for index in with_elements if cases.mode == "interpret" else ():
        # On a GPU the count misses launches of a kept compiled kernel, as in Triton's tutorials.
        if facts[index].launches == 0 and _is_not_trivial(cases, index):
            return _no_launch(facts[index].name)
    drawn = random.Random(cases.seed).sample(with_elements, len(with_elements))
    quick_first = sorted(with_elements, key=lambda i: (facts[i].numel > _MANY, -facts[i].numel))
    # A case of drawn sizes cannot run again in the same tensors.
    again = (i for i in drawn if _keeps_its_form(cases, i))
    chosen = [
        next((i for i in order if _is_not_trivial(cases, i)), None)
        for order in (itertools.chain(again, drawn), quick_first)
    ]
    stood: list[str] = []
    examined = [i for i in dict.fromkeys(chosen) if i is not None]
    try:
        for index in examined:
            first, finding = _examine_case(cases, index, renewed=index == chosen[0])
            if finding:
                return finding
            if first.in_arguments:
                stood.append(facts[index].name)
        # In one case an argument can hold the answer by chance, as exp(x) does for a softmax with a
        # sum near 1.
        if stood and len(stood) == len(examined):
            return _not_from_the_kernel(stood[0], without=False)
    except WorkerStopped as stop:
        # A right kernel that waits for a store of another program waits for ever if stores are
        # disabled. On a GPU none is.
        if stop.code == "cancelled" or cases.mode != "interpret":
            raise
    return None


def find_repeated_output(cases: Cases) -> Diagnosis | None:
    """Find an output that was right in an earlier case and was returned in one where it is wrong."""
    if not cases.repeats:
        return None
    now, before = cases.repeats
    return Diagnosis(
        "stale-output",
        f"In the case “{now}” you returned, bit for bit, the output of the case “{before}”: a result "
        "is kept and handed out again, though the numbers have changed.",
    )


def find_kept_state(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """Find a wrong output that changes when the same call is repeated: something was kept."""
    wrong = [
        i for i, case in enumerate(facts) if not case.passed and case.pattern and not case.special
    ]
    if not wrong:
        return None
    index = min(wrong, key=lambda i: facts[i].numel)
    rerun = CaseRerun.of(cases, index)
    cases.begin_probe()
    one, other = rerun.compute_output(rerun.tensors), rerun.compute_output(rerun.tensors)
    if one is None or other is None or not one.numel():
        return None
    apart = (one - other).nan_to_num().abs().max()
    if apart <= _MIN_DIFFERENCE * one.nan_to_num().abs().max():
        return None
    return Diagnosis(
        "stale-output",
        f"The same call, made twice, gives two outputs (case “{facts[index].name}”): something is kept "
        "from one call to the next, as in a buffer that is made once and then added to.",
    )


def _keeps_its_form(cases: Cases, index: int) -> bool:
    """Return True if other numbers for a case have the same sizes, and come with the same arguments."""
    one, other = (
        make_inputs(cases.reference.cases[index], cases.seed + index + shift)
        for shift in (_SECOND, _THIRD)
    )
    sizes = [[t.shape for t in tensors_of(args)] for args in (one, other)]
    return sizes[0] == sizes[1] and _plain(one) == _plain(other)


def _is_not_trivial(cases: Cases, index: int) -> bool:
    args = make_inputs(cases.reference.cases[index], cases.seed + index + _SECOND)
    want = cases.reference.want(args)
    trivial = [torch.zeros_like(want), torch.ones_like(want)]
    if want.is_floating_point():  # new memory holds NaN where nothing is stored
        trivial.append(torch.full_like(want, float("nan")))
    trivial += [
        a.to(want.dtype).reshape(want.shape)
        for a in args
        if isinstance(a, torch.Tensor) and a.numel() == want.numel()
    ]
    return not _any_right(cases, args, want, trivial)


def _any_right(cases: Cases, args: Args, want: torch.Tensor, outputs: list[torch.Tensor]) -> bool:
    eager = cases.reference.eager(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args])
    scale = cases.reference.magnitude(args, want, eager.dtype)
    precision = cases.reference.precision
    return any(
        compare.compare_output(output.to(eager.dtype), want, scale, eager, precision).passed
        for output in outputs
    )


@dataclass(frozen=True)
class _CallResult:
    """The result of one call of the learner's function."""

    right: bool
    output: torch.Tensor | None = None  # uint8
    # uint8: the arguments of the launches, or the output of the call before
    more: torch.Tensor | None = None
    in_arguments: bool = False  # the answer was in an argument of a launch


def _examine_case(cases: Cases, index: int, renewed: bool) -> tuple[_CallResult, Diagnosis | None]:
    case = cases.reference.cases[index]
    args = make_inputs(case, cases.seed + index + _SECOND)
    limits = cases.limits()
    cases.worker.begin(WorkerLimits(min(SECONDS, limits.seconds), limits.memory_bytes))
    buffer, layouts = shared_tensors.fill_buffer(tensors_of(args))
    fd = shared_tensors.memory_file("inputs", buffer)
    try:
        withhold = cases.mode == "interpret"
        first = _call(cases, index, args, fd, withhold=withhold)
        if withhold and first.right:
            return first, _not_from_the_kernel(case.name, without=True)
        other = make_inputs(case, cases.seed + index + _THIRD)
        buffer, again = shared_tensors.fill_buffer(tensors_of(other))
        if not renewed or again != layouts or _plain(other) != _plain(args):
            return first, None
        shared_tensors.overwrite(fd, buffer)
        second = _call(cases, index, other, fd, again=True)
        return first, _not_from_this_call(case.name, first, second)
    finally:
        os.close(fd)


def _call(
    cases: Cases, index: int, args: Args, fd: int, *, withhold: bool = False, again: bool = False
) -> _CallResult:
    reply, fds = cases.ask(index, args, fd, withhold=withhold, again=again)
    try:
        _, facts = cases.compare(index, args, reply, fds, fd)
        size = os.fstat(fds[0]).st_size if facts.passed or facts.pattern else 0
        if not size:
            return _CallResult(facts.passed)
        most = min(os.fstat(fds[1]).st_size, _MAX_HELD * size) if len(fds) > 1 else 0
        more = shared_tensors.read_file(fds[1], most // size * size) if most else None
        assert reply.output is not None
        dtype = shared_tensors.DTYPES[reply.output.dtype]
        stood = withhold and _among(cases, args, more, size, dtype)
        return _CallResult(facts.passed, shared_tensors.read_file(fds[0], size), more, stood)
    finally:
        for descriptor in fds:
            os.close(descriptor)


def _among(
    cases: Cases, args: Args, held: torch.Tensor | None, size: int, dtype: torch.dtype
) -> bool:
    """Return True if one of the held tensors, of `size` bytes each, is the answer."""
    if held is None:
        return False
    want = cases.reference.want(args)
    outputs = [row.view(dtype).reshape(want.shape) for row in held.reshape(-1, size)]
    return _any_right(cases, args, want, outputs)


def _not_from_this_call(name: str, first: _CallResult, second: _CallResult) -> Diagnosis | None:
    if first.output is None:
        return None
    same = second.output is not None and torch.equal(first.output, second.output)
    if same and not second.right:
        return Diagnosis(
            "stale-output",
            f"Called again with the same tensors (case “{name}”), whose numbers had changed, your "
            "function returned what it had returned before. Compute the result in every call.",
        )
    if not second.right:
        return Diagnosis(
            "wrong-values",
            f"Right in the case “{name}”, wrong when called once more with other numbers in the same "
            "tensors: does the result depend on what earlier calls left behind?",
        )
    if second.more is not None and not torch.equal(second.more, first.output):
        return Diagnosis(
            "stale-output",
            f"The second call changed what the first had returned (case “{name}”): both handed out "
            "the same memory. Return a new tensor each time; scratch memory may be kept.",
        )
    return None


def _no_launch(name: str) -> Diagnosis:
    return Diagnosis(
        "did-not-launch",
        f"In the case “{name}” no kernel was launched: what came back was made by PyTorch alone.",
    )


def _not_from_the_kernel(name: str, without: bool) -> Diagnosis:
    how = (
        "with everything left out that it stores, the output was still right"
        if without
        else "the answer stood in one of its arguments before it had stored anything"
    )
    return Diagnosis(
        "did-not-launch",
        f"A kernel was launched, but it does not compute the output: {how} (case “{name}”). "
        "The kernel must do the work, and what it stores must be what you return.",
    )


def _plain(args: Args) -> list[Any]:
    return [a for a in args if not isinstance(a, torch.Tensor)]
