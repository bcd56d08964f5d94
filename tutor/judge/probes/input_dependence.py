"""Comparison of the input parts that reach each output element with those that the task wants.

The function is called with one set of numbers, then with other numbers in one part of one argument. The
output elements that change depend on that part. The truth (`Reference.want`) is computed for the same
numbers, so no knowledge of the task is needed. NaN would show less than numbers: a maximum ignores NaN,
and 0 * NaN reaches elements that no number reaches.

Parts are slices along one dimension: the last and the first index of a dimension over which the task
reduces, the middle index of any other. A part that is left out is then widened by bisection.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from tutor.judge.cases.arguments import tensor_names
from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts, at_least_half_wrong
from tutor.judge.probes.case_rerun import CaseRerun, compute_rounding, make_positive

Values = list[torch.Tensor]  # one tensor for each tensor argument
Ask = Callable[[Values], torch.Tensor | None]  # returns the output in float64, or None

_MAX_CALLS = 16  # of the learner's function
_MAX_ELEMENTS = 1 << 16  # of the largest tensor; the interpreter is slow
_MIN_ELEMENTS = 64  # of the largest tensor; a part of a smaller one is too soon the whole
_PROGRAM = 1024  # elements that take the interpreter about as long as one more program
_ROUNDING = 1e-12  # of the largest element: float64's rounding in another order


# --- calls and effects ----------------------------------------------------------------------------


@dataclass(frozen=True)
class InputPart:
    """Indices `start` to `stop` (not included) along `dim` of tensor argument `tensor`."""

    tensor: int
    dim: int
    start: int
    stop: int


@dataclass(frozen=True)
class Change:
    """The effect of other numbers in a part on each output element: bool tensors of its shape."""

    wanted: torch.Tensor  # the truth changes, by more than rounding
    missing: torch.Tensor  # the truth changes, and no bit of the output does
    got: torch.Tensor  # the output changes
    extra: torch.Tensor  # only the output changes; empty if all of this can be rounding

    @property
    def changes_nothing(self) -> bool:
        """Return True if nothing of the output changes and something should."""
        return bool(self.missing.any()) and not bool(self.got.any())


@dataclass(frozen=True)
class Finding:
    """A part of the input, and what other numbers in it change."""

    part: InputPart
    change: Change


class Unanswered(Exception):
    """There is no output, or the function was called too often."""


class Probe:
    """Compare a function of some tensors with the truth.

    Only dtypes and shapes of floating-point tensors matter; of the others also the elements.
    """

    def __init__(self, truth: Ask, function: Ask, tensors: Sequence[torch.Tensor]) -> None:
        draw = torch.Generator().manual_seed(0)
        self.base = make_positive(tensors, 0.5, draw)
        self.other = make_positive(tensors, 2.0, draw)
        self.changes = compute_rounding(tensors)
        self.left = _MAX_CALLS
        self._truth, self._function = truth, function
        self.want = self._compute_truth(self.base)
        self.got = self._call_function(self.base)

    def change(self, part: InputPart) -> Change:
        """Find the effect of other numbers in a part. Raise `Unanswered` without an output."""
        values = self._with_other(part)
        want, got = self._compute_truth(values), self._call_function(values)
        moved = (want - self.want).abs()
        size = float(torch.maximum(want.abs(), self.want.abs()).max())
        wanted = moved > self.changes * size
        known = torch.isfinite(self.got)
        changed = ~((got == self.got) | (got.isnan() & self.got.isnan()))
        extra = known & changed & (moved <= _ROUNDING * size)
        far = ~((got - self.got).abs() <= self.changes * size)
        if not bool((extra & far).any()):
            extra = torch.zeros_like(extra)
        return Change(wanted, wanted & known & ~changed, changed, extra)

    def repeats(self) -> bool:
        """Return True if the numbers of the first call give its output again."""
        try:
            again = self._call_function(self.base)
        except Unanswered:
            return False
        return torch.equal(again.nan_to_num(), self.got.nan_to_num())

    def sides(self) -> tuple[list[tuple[InputPart, InputPart]], list[InputPart]]:
        """Return the parts to probe.

        These are both ends of each dimension along which several indices reach one output element, the
        last index first, and the middle index of all other dimensions.
        """
        summed: list[tuple[InputPart, InputPart]] = []
        others: list[InputPart] = []
        for tensor, values in enumerate(self.base):
            if not values.is_floating_point():
                continue
            for dim, size in enumerate(values.shape):
                last = InputPart(tensor, dim, size - 1, size)
                first = InputPart(tensor, dim, 0, 1)
                if size > 1 and bool((self._find_reached(first) & self._find_reached(last)).any()):
                    summed.append((last, first))
                elif size > 1 or (values.numel() == 1 and dim == 0):
                    others.append(InputPart(tensor, dim, size // 2, size // 2 + 1))
        return summed, others

    def _find_reached(self, part: InputPart) -> torch.Tensor:
        return self._compute_truth(self._with_other(part)) != self.want

    def _with_other(self, part: InputPart) -> Values:
        values = list(self.base)
        changed = values[part.tensor].clone()
        where = part.dim, part.start, part.stop - part.start
        changed.narrow(*where).copy_(self.other[part.tensor].narrow(*where))
        values[part.tensor] = changed
        return values

    def _compute_truth(self, values: Values) -> torch.Tensor:
        want = self._truth(values)
        if want is None or not want.numel() or not bool(torch.isfinite(want).all()):
            raise Unanswered
        return want

    def _call_function(self, values: Values) -> torch.Tensor:
        got = self._function(values) if self.left > 0 else None
        self.left -= 1
        if got is None:
            raise Unanswered
        return got


# --- the search -----------------------------------------------------------------------------------


def find_dependence(truth: Ask, function: Ask, tensors: Sequence[torch.Tensor]) -> Finding | None:
    """Find the part that shows best how the function differs from the truth.

    This is a part left out of elements that the other end of the dimension reaches. If neither end
    reaches them, there can be another reason: a softmax over one key is 1 whatever the key is.
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
                    return _widen(probe, end)
            left_out += [end for end in ends if bool(end.change.missing.any())]
            reaching += [end for end in ends if bool(end.change.extra.any())]
        for part in others:
            finding = Finding(part, probe.change(part))
            if bool(finding.change.extra.any()):
                reaching.append(finding)
            elif bool(finding.change.missing.any()):
                left_out.append(finding)
    except Unanswered:  # the findings so far are still valid
        pass
    most = max(reaching, key=lambda finding: int(finding.change.extra.sum()), default=None)
    # An output that changes without a reason, as by a race, shows nothing about the part.
    if probe and most and probe.repeats():
        return most
    if probe and left_out:
        first = min(left_out, key=lambda finding: not finding.change.changes_nothing)
        size = probe.base[first.part.tensor].shape[first.part.dim]
        everything = replace(first.part, start=0, stop=size)
        return _repeat_for(probe, first, everything) or _widen(probe, first)
    return None


def _widen(probe: Probe, finding: Finding) -> Finding:
    """Return the largest part from the same end of the dimension to which the finding applies.

    It is less than the whole dimension, and `found` itself if that is at neither end.
    """
    part, size = finding.part, probe.base[finding.part.tensor].shape[finding.part.dim]
    holds, fails = 1, size if part.start == 0 or part.stop == size else 1  # indices
    while fails - holds > 1:
        length = (holds + fails) // 2
        wider = replace(part, start=size - length) if part.start else replace(part, stop=length)
        if seen := _repeat_for(probe, finding, wider):
            finding, holds = seen, length
        else:
            fails = length
    return finding


def _repeat_for(probe: Probe, finding: Finding, part: InputPart) -> Finding | None:
    """Return the finding for this part if nothing changes, or the same elements do not; else None."""
    try:
        change = probe.change(part)
    except Unanswered:
        return None
    same = not bool((finding.change.missing & ~change.missing).any())
    return (
        Finding(part, change)
        if (change.changes_nothing if finding.change.changes_nothing else same)
        else None
    )


# --- the sentence ------------------------------------------------------------------------------------


def describe_finding(
    finding: Finding, names: Sequence[str], shapes: Sequence[Sequence[int]], case: str
) -> str:
    """Describe a finding; `names` and `shapes` are those of the tensor arguments."""
    part, change = finding.part, finding.change
    name, shape = names[part.tensor], shapes[part.tensor]
    ranges = [(0, size) for size in shape]
    ranges[part.dim] = part.start, part.stop
    what = f"Other numbers in `{format_slice(name, ranges, shape)}` (case “{case}”)"
    whole = part.stop - part.start == shape[part.dim]
    if change.changes_nothing:
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
    """Return the chosen elements (at least one) as a slice of the output, or ""."""
    places = chosen.nonzero()
    ranges = [
        (int(low), int(high) + 1) for low, high in zip(places.amin(0), places.amax(0), strict=True)
    ]
    whole = bool(chosen[tuple(slice(*ends) for ends in ranges)].all())
    return f"`{format_slice('output', ranges, chosen.shape)}`" if whole else ""


def format_slice(name: str, ranges: Sequence[tuple[int, int]], shape: Sequence[int]) -> str:
    """Return a slice such as `a[:, 32:]` of one range (start, stop) for each dimension of `shape`."""
    parts = [_range(*ends, size) for ends, size in zip(ranges, shape, strict=True)]
    while parts and parts[-1] == ":":
        parts.pop()
    return f"{name}[{', '.join(parts)}]" if parts else name


def _range(start: int, stop: int, size: int) -> str:
    if (start, stop) == (0, size):
        return ":"
    if stop - start == 1:
        return str(start)
    return f"{start or ''}:{stop if stop < size else ''}"


# --- cases --------------------------------------------------------------------------------------------


def find_unexplained(facts: Sequence[CaseFacts]) -> list[int]:
    """Return the wrong cases that other numbers can explain.

    Rounding, a factor, overflow and missing stores have other causes. Outputs that are nearly right in
    a few cases only are not rounded.
    """
    wrong = [
        i
        for i, case in enumerate(facts)
        if not case.passed
        and case.ordinary
        and (seen := case.pattern)
        and not seen.affine
        and seen.unwritten < seen.wrong
    ]
    if at_least_half_wrong(wrong, facts):
        return [i for i in wrong if not _near(facts[i])]
    return wrong


def _near(case: CaseFacts) -> bool:
    return case.pattern is not None and case.pattern.near


def choose_dependence_case(cases: Cases, facts: Sequence[CaseFacts]) -> list[int]:
    """Return the wrong case to probe, if any: one that runs quickly and is large enough for parts."""
    wrong = find_unexplained(facts)
    sizes = {i: CaseRerun.of(cases, i).elements for i in wrong}

    def rank(index: int) -> tuple[bool, bool, bool, int]:
        case, size = facts[index], sizes[index]
        zeros = case.pattern is not None and case.pattern.zeros
        small = size < _MIN_ELEMENTS or case.constant
        # The interpreter's time grows with the number of programs, until these are large.
        effort = _PROGRAM * case.seen.programs + size
        return zeros, not case.contiguous, small, effort

    return sorted((i for i in wrong if sizes[i] <= _MAX_ELEMENTS), key=rank)[:1]


def describe_dependence(cases: Cases, index: int) -> str:
    """Return a sentence on the wrong case `index`, or "".

    Call the learner's function up to `_MAX_CALLS` times within the worker's limits.
    """
    rerun = CaseRerun.of(cases, index)
    tensors = rerun.tensors
    if any(0 in tensor.stride() or not tensor.numel() for tensor in tensors):
        return ""  # one number is in several places, so a part cannot be changed alone
    finding = find_dependence(rerun.compute_truth, rerun.compute_output, tensors)
    names = tensor_names(cases.exercise.entry, rerun.args)
    return (
        describe_finding(finding, names, [t.shape for t in tensors], rerun.case) if finding else ""
    )
