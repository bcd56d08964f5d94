"""Does the output come from the learner's kernel, and from this call? Right numbers do not say so.

Names, types and counts in the learner's process can be forged; what follows from a cause cannot as
easily. So once all cases are right, two of them are run again, with other numbers:

    withheld  The kernels run, but their stores leave memory as it is (interpreter only). An output
              that is right all the same was computed by something else; so was one whose numbers
              stood in an argument of a launch before any kernel had stored anything.
    renewed   The very same tensors, at the same addresses, hold other numbers now. An output that
              repeats the one before was kept, whatever it was kept under; and the output of the call
              before must still be what it was.

A wrong output, too, may come of another call: `remembered` makes one call twice.

A case can show this only where its answer is not to be had for nothing: not all zeros, not all ones,
not one of its inputs.
"""

import os
import random
from dataclasses import dataclass
from typing import Any

import torch

from tutor.judge.cases.arguments import tensors_of
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args, make
from tutor.judge.comparison import compare
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.probes.rerun import Rerun
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import Limits, Stopped
from tutor.judge.processes.wire import Message

SECONDS = 3.0  # for one case; what takes longer in the interpreter stays unexamined
# From the seed of a case to those of other numbers for it: none of them was seen before, so a memory
# of earlier results, kept for good reasons or bad, does not answer for the kernel.
_SECOND, _THIRD = 104_729, 1_299_709
_MOST_HELD = 32
_OTHER = 0.01  # of the largest element: more than another order of the same sum makes


def of_kernel(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """Kernels whose numbers are all right: do these come from the kernel, and from this call?"""
    every = len(facts) == len(cases.reference.cases) and all(f.passed for f in facts)
    return examine(cases, facts) if every and cases.exercise.kind == "kernel" else None


def examine(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """To be called with every case right. `facts` are theirs, in order."""
    with_elements = [i for i in range(len(facts)) if facts[i].numel]
    for index in with_elements if cases.mode == "interpret" else ():
        # (A GPU's count misses launches of a compiled kernel that was kept, as in Triton's tutorials.)
        if facts[index].launches == 0 and _tells(cases, index):
            return _no_launch(facts[index].name)
    drawn = random.Random(cases.seed).sample(with_elements, len(with_elements))
    largest = sorted(with_elements, key=lambda i: -facts[i].numel)
    chosen = [next((i for i in order if _tells(cases, i)), None) for order in (drawn, largest)]
    stood: list[str] = []
    examined = [i for i in dict.fromkeys(chosen) if i is not None]
    try:
        for index in examined:
            first, finding = _examined(cases, index, renewed=index == chosen[0])
            if finding:
                return finding
            if first.stood:
                stood.append(facts[index].name)
        # In one case an argument may hold the answer by chance, as exp(x) does for a softmax whose
        # sum is nearly 1.
        if stood and len(stood) == len(examined):
            return _not_from_the_kernel(stood[0], without=False)
    except Stopped as stop:
        # A kernel that waits for what another program stores waits for ever here, and no fault of its
        # own: what was found right stays right. On a GPU nothing was withheld.
        if stop.code == "cancelled" or cases.mode != "interpret":
            raise
    return None


def kept(cases: Cases) -> Diagnosis | None:
    """An output that was right in an earlier case and came back in one where it is wrong."""
    if not cases.repeats:
        return None
    now, before = cases.repeats
    return Diagnosis(
        "stale-output",
        f"In the case “{now}” you returned, bit for bit, the output of the case “{before}”: a result "
        "is kept and handed out again, though the numbers have changed.",
    )


def remembered(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """Whether a wrong output is another one when the same call is made again: something was kept."""
    wrong = [
        i for i, each in enumerate(facts) if not each.passed and each.pattern and not each.special
    ]
    if not wrong:
        return None
    index = min(wrong, key=lambda i: facts[i].numel)
    rerun = Rerun.of(cases, index)
    cases.begin_probe()
    one, other = rerun.got(rerun.tensors), rerun.got(rerun.tensors)
    if one is None or other is None or not one.numel():
        return None
    apart = (one - other).nan_to_num().abs().max()
    if apart <= _OTHER * one.nan_to_num().abs().max():
        return None
    return Diagnosis(
        "stale-output",
        f"The same call, made twice, gives two outputs (case “{facts[index].name}”): something is kept "
        "from one call to the next, as in a buffer that is made once and then added to.",
    )


def _tells(cases: Cases, index: int) -> bool:
    args = make(cases.reference.cases[index], cases.seed + index + _SECOND)
    want = cases.reference.want(args)
    for_nothing = [torch.zeros_like(want), torch.ones_like(want)]
    for_nothing += [
        a.to(want.dtype).reshape(want.shape)
        for a in args
        if isinstance(a, torch.Tensor) and a.numel() == want.numel()
    ]
    return not _any_right(cases, args, want, for_nothing)


def _any_right(cases: Cases, args: Args, want: torch.Tensor, outputs: list[torch.Tensor]) -> bool:
    eager = cases.reference.eager(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args])
    scale = cases.reference.magnitude(args, want, eager.dtype)
    precision = cases.reference.precision
    return any(
        compare.compare(each.to(eager.dtype), want, scale, eager, precision).passed
        for each in outputs
    )


@dataclass(frozen=True)
class _Call:
    """One call of the learner's function: right or not, its bytes, and what came along."""

    right: bool
    output: torch.Tensor | None = None  # uint8
    # uint8: what the launches were given, or the output of the call before
    more: torch.Tensor | None = None
    stood: bool = False  # the answer was among what the launches were given


def _examined(cases: Cases, index: int, renewed: bool) -> tuple[_Call, Diagnosis | None]:
    case = cases.reference.cases[index]
    args = make(case, cases.seed + index + _SECOND)
    limits = cases.limits()
    cases.worker.begin(Limits(min(SECONDS, limits.seconds), limits.memory_bytes))
    buffer, layouts = shared_tensors.filled(tensors_of(args))
    fd = shared_tensors.memory_file("inputs", buffer)
    try:
        withhold = cases.mode == "interpret"
        first = _call(cases, index, args, fd, {"withhold": withhold})
        if withhold and first.right:
            return first, _not_from_the_kernel(case.name, without=True)
        other = make(case, cases.seed + index + _THIRD)
        buffer, again = shared_tensors.filled(tensors_of(other))
        if not renewed or again != layouts or _plain(other) != _plain(args):
            return first, None
        shared_tensors.overwrite(fd, buffer)
        second = _call(cases, index, other, fd, {"again": True})
        return first, _not_from_this_call(case.name, first, second)
    finally:
        os.close(fd)


def _call(cases: Cases, index: int, args: Args, fd: int, options: Message) -> _Call:
    reply, fds = cases.ask(index, args, fd, options)
    try:
        _, facts = cases.compare(index, args, reply, fds, fd)
        size = os.fstat(fds[0]).st_size if facts.passed or facts.pattern else 0
        if not size:
            return _Call(facts.passed)
        most = min(os.fstat(fds[1]).st_size, _MOST_HELD * size) if len(fds) > 1 else 0
        more = shared_tensors.read_file(fds[1], most // size * size) if most else None
        dtype = shared_tensors.DTYPES[reply["dtype"]]
        stood = bool(options.get("withhold")) and _among(cases, args, more, size, dtype)
        return _Call(facts.passed, shared_tensors.read_file(fds[0], size), more, stood)
    finally:
        for each in fds:
            os.close(each)


def _among(
    cases: Cases, args: Args, held: torch.Tensor | None, size: int, dtype: torch.dtype
) -> bool:
    """Whether one of the tensors held, of `size` bytes each, is the answer."""
    if held is None:
        return False
    want = cases.reference.want(args)
    outputs = [each.view(dtype).reshape(want.shape) for each in held.reshape(-1, size)]
    return _any_right(cases, args, want, outputs)


def _not_from_this_call(name: str, first: _Call, second: _Call) -> Diagnosis | None:
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
