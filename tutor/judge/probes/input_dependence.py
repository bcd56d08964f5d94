"""Which parts of the inputs reach which elements of the output, held against what the task wants.

Asked by difference: the function is called with one set of numbers, then with others in one part of one
argument and everything else as it was. What of the output changes depends on that part. The truth
(`Reference.want`) is asked the same, so nothing about the task need be known. Numbers tell more here
than NaN would: a maximum ignores NaN, and 0 * NaN reaches places that no number reaches.

Parts are slices along one dimension: the last and the first index of a dimension that the task
sums, or takes a maximum, over; the one in the middle of any other. What is left out is then widened
as far as it goes, by bisection.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from tutor.judge.cases.arguments import tensor_names
from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts, at_least_half_wrong
from tutor.judge.probes.rerun import Rerun, positive, rounding

Values = list[torch.Tensor]  # one tensor for each tensor argument
Ask = Callable[[Values], torch.Tensor | None]  # the output in float64, or None where there is none

_MOST_CALLS = 16  # of the learner's function
_MOST = 1 << 16  # elements of the largest tensor: interpreted, more would be felt
_TELLING = 64  # elements of the largest tensor, below which a part is all too soon the whole
_PROGRAM = 1024  # elements that take the interpreter about as long as a program does by itself
_STAYS = 1e-12  # of the largest element: float64's own rounding, in another order


# --- what is asked ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InputPart:
    """Indices `start` to `stop` (not included) along `dim` of tensor argument `tensor`."""

    tensor: int
    dim: int
    start: int
    stop: int


@dataclass(frozen=True)
class Change:
    """What other numbers in a part do to each element of the output: bool tensors of its shape."""

    wanted: torch.Tensor  # the truth changes, by more than rounding
    missing: torch.Tensor  # it does, and no bit of the output changes
    got: torch.Tensor  # the output changes
    extra: torch.Tensor  # it does, and the truth does not; empty where all of that may be rounding

    @property
    def nothing(self) -> bool:
        """Whether the output stays as it is, and should not."""
        return bool(self.missing.any()) and not bool(self.got.any())


@dataclass(frozen=True)
class Finding:
    part: InputPart
    change: Change


class Unanswered(Exception):
    """There is no output to look at, or the function was called often enough."""


class Probe:
    """Two functions of the same tensors: the truth, and what is held against it. Of the tensors only
    dtypes, shapes and, where they do not hold floating-point numbers, elements count."""

    def __init__(self, truth: Ask, function: Ask, tensors: Sequence[torch.Tensor]) -> None:
        draw = torch.Generator().manual_seed(0)
        self.base = positive(tensors, 0.5, draw)
        self.other = positive(tensors, 2.0, draw)
        self.changes = rounding(tensors)
        self.left = _MOST_CALLS
        self._truth, self._function = truth, function
        self.want = self._wanted(self.base)
        self.got = self._called(self.base)

    def change(self, part: InputPart) -> Change:
        """Raises `Unanswered`."""
        values = self._with_other(part)
        want, got = self._wanted(values), self._called(values)
        moved = (want - self.want).abs()
        size = float(torch.maximum(want.abs(), self.want.abs()).max())
        wanted = moved > self.changes * size
        known = torch.isfinite(self.got)
        changed = ~((got == self.got) | (got.isnan() & self.got.isnan()))
        extra = known & changed & (moved <= _STAYS * size)
        far = ~((got - self.got).abs() <= self.changes * size)
        if not bool((extra & far).any()):
            extra = torch.zeros_like(extra)
        return Change(wanted, wanted & known & ~changed, changed, extra)

    def repeats(self) -> bool:
        """Whether the first call's numbers give the first call's output again."""
        try:
            again = self._called(self.base)
        except Unanswered:
            return False
        return torch.equal(again.nan_to_num(), self.got.nan_to_num())

    def sides(self) -> tuple[list[tuple[InputPart, InputPart]], list[InputPart]]:
        """The parts to ask of: of dimensions along which several indices reach one element of the
        output both ends, the last index first; of all others the index in the middle."""
        summed: list[tuple[InputPart, InputPart]] = []
        others: list[InputPart] = []
        for tensor, values in enumerate(self.base):
            if not values.is_floating_point():
                continue
            for dim, size in enumerate(values.shape):
                last = InputPart(tensor, dim, size - 1, size)
                first = InputPart(tensor, dim, 0, 1)
                if size > 1 and bool((self._reached(first) & self._reached(last)).any()):
                    summed.append((last, first))
                elif size > 1 or (values.numel() == 1 and dim == 0):
                    others.append(InputPart(tensor, dim, size // 2, size // 2 + 1))
        return summed, others

    def _reached(self, part: InputPart) -> torch.Tensor:
        return self._wanted(self._with_other(part)) != self.want

    def _with_other(self, part: InputPart) -> Values:
        values = list(self.base)
        changed = values[part.tensor].clone()
        where = part.dim, part.start, part.stop - part.start
        changed.narrow(*where).copy_(self.other[part.tensor].narrow(*where))
        values[part.tensor] = changed
        return values

    def _wanted(self, values: Values) -> torch.Tensor:
        want = self._truth(values)
        if want is None or not want.numel() or not bool(torch.isfinite(want).all()):
            raise Unanswered
        return want

    def _called(self, values: Values) -> torch.Tensor:
        got = self._function(values) if self.left > 0 else None
        self.left -= 1
        if got is None:
            raise Unanswered
        return got


# --- what is found ------------------------------------------------------------------------------------


def find(truth: Ask, function: Ask, tensors: Sequence[torch.Tensor]) -> Finding | None:
    """The most telling part whose change the function answers otherwise than the truth does.

    That is one that is left out of elements some of which the other end of the dimension reaches.
    Where neither end does, they may depend on nothing there for another reason: a softmax over one key
    is 1 whatever the key is.
    """
    left_out: list[Finding] = []
    reaching: list[Finding] = []
    probe = None
    try:
        probe = Probe(truth, function, tensors)
        summed, others = probe.sides()
        for sides in summed:
            ends = [Finding(side, probe.change(side)) for side in sides]
            for end, other in (ends, ends[::-1]):
                if bool((end.change.missing & other.change.got).any()):
                    return _widened(probe, end)
            left_out += [end for end in ends if bool(end.change.missing.any())]
            reaching += [end for end in ends if bool(end.change.extra.any())]
        for part in others:
            found = Finding(part, probe.change(part))
            if bool(found.change.extra.any()):
                reaching.append(found)
            elif bool(found.change.missing.any()):
                left_out.append(found)
    except Unanswered:  # what has been seen so far is true as well
        pass
    most = max(reaching, key=lambda each: int(each.change.extra.sum()), default=None)
    # What changes by itself, as a race makes it, says nothing of the part.
    if probe and most and probe.repeats():
        return most
    if probe and left_out:
        first = min(left_out, key=lambda each: not each.change.nothing)
        size = probe.base[first.part.tensor].shape[first.part.dim]
        everything = replace(first.part, start=0, stop=size)
        return _still(probe, first, everything) or _widened(probe, first)
    return None


def _widened(probe: Probe, found: Finding) -> Finding:
    """The largest part from the same end of the dimension of which the same is true. (Less than all
    of it, and no more than `found` where that lies at neither end.)"""
    part, size = found.part, probe.base[found.part.tensor].shape[found.part.dim]
    holds, fails = 1, size if part.start == 0 or part.stop == size else 1  # indices
    while fails - holds > 1:
        length = (holds + fails) // 2
        wider = replace(part, start=size - length) if part.start else replace(part, stop=length)
        if seen := _still(probe, found, wider):
            found, holds = seen, length
        else:
            fails = length
    return found


def _still(probe: Probe, found: Finding, part: InputPart) -> Finding | None:
    """Whether what was found holds for this part too: that nothing of the output changes, or else that
    the same elements do not. None where it does not, or cannot be asked any more."""
    try:
        change = probe.change(part)
    except Unanswered:
        return None
    same = not bool((found.change.missing & ~change.missing).any())
    return Finding(part, change) if (change.nothing if found.change.nothing else same) else None


# --- what is said of it -------------------------------------------------------------------------------


def sentence(
    found: Finding, names: Sequence[str], shapes: Sequence[Sequence[int]], case: str
) -> str:
    """`names` and `shapes` of the tensor arguments."""
    part, change = found.part, found.change
    name, shape = names[part.tensor], shapes[part.tensor]
    ranges = [(0, size) for size in shape]
    ranges[part.dim] = part.start, part.stop
    what = f"Other numbers in `{indexed(name, ranges, shape)}` (case “{case}”)"
    whole = part.stop - part.start == shape[part.dim]
    if change.nothing:
        left_out = f"`{name}`" if whole else f"that part of `{name}`"
        return f"{what} change nothing in the output, as if {left_out} were left out."
    if not bool(change.extra.any()):
        return f"{what} should change {_region(change.missing)}, and do not."
    if not bool(change.missing.any()):
        return f"{what} change {_region(change.extra)}, and should not."
    return f"{what} change {_region(change.got)}; they should change {_region(change.wanted)}."


def _region(chosen: torch.Tensor) -> str:
    """The chosen elements of the output (at least one): a slice where they or the others are one."""
    if bool(chosen.all()):
        return "every element of the output"
    if these := _box(chosen):
        return these
    if rest := _box(~chosen):
        return f"everything but {rest}"
    places = chosen.nonzero()
    first = ", ".join(map(str, places[0].tolist()))
    others = len(places) - 1
    return f"`output[{first}]` and {others} other element{'s' if others > 1 else ''}"


def _box(chosen: torch.Tensor) -> str:
    """The chosen elements (at least one) as a slice of the output, or "" where they are none."""
    places = chosen.nonzero()
    ranges = [
        (int(low), int(high) + 1)
        for low, high in zip(places.amin(0), places.amax(0), strict=True)
    ]  # fmt: skip
    whole = bool(chosen[tuple(slice(*each) for each in ranges)].all())
    return f"`{indexed('output', ranges, chosen.shape)}`" if whole else ""


def indexed(name: str, ranges: Sequence[tuple[int, int]], shape: Sequence[int]) -> str:
    """`a[:, 32:]`, as Python writes it: one range (start, stop) for each dimension of `shape`."""
    said = [_range(*each, size) for each, size in zip(ranges, shape, strict=True)]
    while said and said[-1] == ":":
        said.pop()
    return f"{name}[{', '.join(said)}]" if said else name


def _range(start: int, stop: int, size: int) -> str:
    if (start, stop) == (0, size):
        return ":"
    if stop - start == 1:
        return str(start)
    return f"{start or ''}:{stop if stop < size else ''}"


# --- the server's side --------------------------------------------------------------------------------


def unexplained(facts: Sequence[CaseFacts]) -> list[int]:
    """The wrong cases that other numbers may explain: rounding, a factor, overflow, and what was never
    stored have causes of their own. What is nearly right in a few cases only is not rounded."""
    wrong = [
        i for i, each in enumerate(facts)
        if not each.passed and each.ordinary and (seen := each.pattern)
        and not seen.affine and seen.unwritten < seen.wrong
    ]  # fmt: skip
    if at_least_half_wrong(wrong, facts):
        return [i for i in wrong if not _near(facts[i])]
    return wrong


def _near(each: CaseFacts) -> bool:
    return each.pattern is not None and each.pattern.near


def candidates(cases: Cases, facts: Sequence[CaseFacts]) -> list[int]:
    """The wrong case to ask about, if there is one: quickly run, but large enough to have parts."""
    wrong = unexplained(facts)
    sizes = {i: Rerun.of(cases, i).elements for i in wrong}

    def rank(index: int) -> tuple[bool, bool, bool, int]:
        each, size = facts[index], sizes[index]
        zeros = each.pattern is not None and each.pattern.zeros
        small = size < _TELLING or each.constant
        # What the interpreter takes goes with the programs, until these are large.
        effort = _PROGRAM * int(each.seen.get("programs", 0)) + size
        return zeros, not each.contiguous, small, effort

    return sorted((i for i in wrong if sizes[i] <= _MOST), key=rank)[:1]


def sources(cases: Cases, index: int) -> str:
    """A sentence on case `index`, whose output is wrong; "" where nothing is to be said.

    Calls the learner's function up to `_MOST_CALLS` times, within the limits that the worker was
    given.
    """
    rerun = Rerun.of(cases, index)
    tensors = rerun.tensors
    if any(0 in each.stride() or not each.numel() for each in tensors):
        return ""  # one number in several places: a part of it cannot be changed alone
    found = find(rerun.wanted, rerun.got, tensors)
    names = tensor_names(cases.exercise.entry, rerun.args)
    return sentence(found, names, [t.shape for t in tensors], rerun.case) if found else ""
