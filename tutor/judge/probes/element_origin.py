"""The origin of a wrong output's elements, found by special inputs for the learner's function.

    ramp     Each element of the input is its own number (row-major, from 1). If the task only moves
             elements, each element of the output then names its origin. Other numbers must give the
             same origin, because 2 * x also gives numbers of elements.
    ones     All ones, then each row a ramp, then a single 1. They show which columns a sum along the
             last dimension counts. Zeros must give zeros, and two halves must add up to the whole.

The reference shows for the same inputs which of the two the task allows.
"""

import math

import torch

from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.tensor_grid import index_of
from tutor.judge.probes.case_rerun import CaseRerun

_MAX_ELEMENTS = 1 << 22  # float32 counts exactly to 2**24
_TRIES = 4  # cases


def choose_origin_cases(cases: Cases, facts: list[CaseFacts]) -> list[int]:
    """Return the wrong cases to probe: contiguous ones first, then large ones."""
    wrong = [
        i
        for i, case in enumerate(facts)
        if not case.passed and case.pattern and case.pattern.unwritten < case.pattern.total
    ]

    return sorted(wrong, key=lambda i: (not facts[i].contiguous, -CaseRerun.of(cases, i).elements))[
        :_TRIES
    ]


def describe_origin(cases: Cases, index: int) -> str:
    """Return one or two sentences on the wrong case `index`, or "".

    Call the learner's function up to five times within the worker's limits.
    """
    rerun = CaseRerun.of(cases, index)
    tensors = rerun.tensors
    if not tensors or any(
        a.dtype != torch.float32 or not 2 <= a.numel() <= _MAX_ELEMENTS or 0 in a.stride()
        for a in tensors
    ):
        return ""
    ramp = _with_first(rerun, _ramp(tensors[0]))
    want = rerun.compute_truth(ramp)
    if want is not None and _is_move(want, tensors[0]):
        got = rerun.compute_output(ramp)
        if got is None or (moved := _find_moved(rerun, got)) is None:
            return ""
        return _describe_move(got, moved, want, tensors[0].shape, rerun.case)
    if len(tensors) == 1 and tensors[0].dim() >= 1:
        return _describe_left_out_columns(rerun, tensors[0])
    return ""


def _with_first(rerun: CaseRerun, values: torch.Tensor) -> list[torch.Tensor]:
    """Return these numbers for the first tensor and zeros for the others."""
    return [values, *(torch.zeros(other.shape) for other in rerun.tensors[1:])]


def _ramp(like: torch.Tensor) -> torch.Tensor:
    return torch.arange(1, like.numel() + 1, dtype=torch.float32).reshape(like.shape)


# --- elements that are moved --------------------------------------------------------------------------


def _is_move(want: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Return True if each expected element is an element of the input."""
    whole = torch.equal(want, want.round())
    inside = bool(want.numel()) and float(want.min()) >= 1 and float(want.max()) <= tensor.numel()
    return whole and inside


def _find_moved(rerun: CaseRerun, got: torch.Tensor) -> torch.Tensor | None:
    """Return which elements of `got`, the output for a ramp, are moved elements of the input.

    They come from the same element when the input has other numbers. Return None without an output.
    """
    size = rerun.tensors[0].numel()
    known = torch.isfinite(got) & (got == got.round()) & (got >= 1) & (got <= size)
    other = torch.rand(size, generator=torch.Generator().manual_seed(0)) + 0.5
    again = rerun.compute_output(_with_first(rerun, other.reshape(rerun.tensors[0].shape)))
    if again is None:
        return None
    number = torch.where(known, got - 1, torch.zeros_like(got)).long()
    return known & (again == other.double()[number])


def _describe_move(
    got: torch.Tensor, known: torch.Tensor, want: torch.Tensor, shape: tuple[int, ...], case: str
) -> str:
    """Describe by the first rule that fits all `known` elements where the elements came from.

    `got` and `want` have the numbers of input elements, from 1.
    """
    wrong = known & (got != want)
    if not bool(wrong.any()):
        return ""
    first = tuple(wrong.nonzero()[0].tolist())
    here, there = (index_of(int(numbers[first]) - 1, shape) for numbers in (got, want))
    seen = f"With its own number in each input element (case “{case}”), output {list(first)} holds "
    seen += f"input {list(here)}"
    rule = _rule(got, want, known, wrong, shape)
    return f"{seen}; {list(there)} belongs there{f': {rule}' if rule else ''}."


def _rule(
    got: torch.Tensor,
    want: torch.Tensor,
    known: torch.Tensor,
    wrong: torch.Tensor,
    shape: tuple[int, ...],
) -> str:
    shift = got[wrong] - want[wrong]
    if bool((shift == shift[0]).all()):
        by = int(shift[0])
        every = "each output element" if bool((known == wrong).all()) else "each wrong element"
        way = "after" if by > 0 else "before"
        return f"{every} holds the one {abs(by)} {way} that which belongs there"
    if got.dim() == 2 and len(shape) == 2:
        rows, columns = shape
        at = got[known] - 1
        if sorted(got.shape) == sorted(shape):
            flat = torch.arange(got.numel(), dtype=got.dtype).reshape(got.shape)[known]
            if bool((at == flat).all()):
                return "the elements stand in the order in which they came"
            swapped = torch.arange(rows * columns, dtype=got.dtype).reshape(shape).T
            if tuple(swapped.shape) == tuple(got.shape) and bool((at == swapped[known]).all()):
                return "rows and columns are exchanged"
        from_row = torch.div(at, columns, rounding_mode="floor")
        if len(from_row) > 1 and bool((from_row == from_row[0]).all()):
            return f"everything comes from row {int(from_row[0])}"
    if int((got[known] == got[known][0]).sum()) == int(known.sum()) > 1:
        return "every element comes from that one"
    return ""


# --- columns that are summed ---------------------------------------------------------------------------


def _describe_left_out_columns(rerun: CaseRerun, tensor: torch.Tensor) -> str:
    """Name the columns that the learner's sum along the last dimension leaves out, or return ""."""
    columns = tensor.shape[-1]
    total = columns * (columns + 1) / 2
    if columns < 2 or total > 1 << 24:
        return ""
    ones = torch.ones(tensor.shape)
    ramp = torch.arange(1, columns + 1, dtype=torch.float32).expand(tensor.shape)
    if not (_is(rerun.compute_truth([ones]), columns) and _is(rerun.compute_truth([ramp]), total)):
        return ""  # the task is not such a sum
    count, sum_of_columns = _sums(rerun, ones, ramp)
    if not 0 <= count < columns or count % 1:
        return ""
    left_out = _first_left_out(int(count), sum_of_columns, columns)
    if left_out is None:
        if not _adds_up(rerun, ones, count):
            return ""
        return (
            f"With all ones (case “{rerun.case}”) each sum is {count:g} and not {columns}: some columns "
            "are left out."
        )
    column, text = left_out
    single = torch.zeros(tensor.shape)
    single[..., column] = 1.0
    alone = rerun.compute_output([single])
    if alone is None or bool(alone.any()):
        return ""
    return (
        f"With a single 1, in column {column} of each row (case “{rerun.case}”), every sum is 0: {text} "
        "not counted."
    )


def _is(output: torch.Tensor | None, number: float) -> bool:
    """Return True if there are elements and each is `number`."""
    return output is not None and output.numel() > 0 and bool((output == number).all())


def _sums(rerun: CaseRerun, ones: torch.Tensor, ramp: torch.Tensor) -> tuple[float, float]:
    """Return the learner's sum of a row of ones and of a row of 1, 2, 3, …

    The first is NaN if it is not the same for all rows, if zeros do not give zeros, or if there is no
    output.
    """
    of_zeros, of_ones, of_ramp = (
        rerun.compute_output([numbers]) for numbers in (0 * ones, ones, ramp)
    )
    if of_zeros is None or of_ones is None or of_ramp is None or bool(of_zeros.any()):
        return math.nan, math.nan
    count = float(of_ones.reshape(-1)[0])
    return (count if _is(of_ones, count) else math.nan), float(of_ramp.reshape(-1)[0])


def _first_left_out(count: int, sum_of_columns: float, columns: int) -> tuple[int, str] | None:
    """Return the first column that is left out, and words for all that are.

    `count` columns are counted, and `sum_of_columns` is the sum of their numbers, from 1. Return None
    unless the last columns are left out, or one.
    """
    if sum_of_columns == count * (count + 1) / 2:
        one = count == columns - 1
        return count, f"the last column, {count}, is" if one else f"columns from {count} on are"
    missing = columns * (columns + 1) / 2 - sum_of_columns
    if count == columns - 1 and 1 <= missing <= columns:
        column = int(missing) - 1
        return column, f"column {column} is"
    return None


def _adds_up(rerun: CaseRerun, ones: torch.Tensor, count: float) -> bool:
    """Return True if the sums of the even and of the odd columns add up to `count`, which those of a
    maximum or a mean do not."""
    even = ones * (torch.arange(ones.shape[-1]) % 2 == 0)
    one, other = rerun.compute_output([even]), rerun.compute_output([ones - even])
    if one is None or other is None or bool((one % 1).any()):
        return False
    return bool((one + other == count).all())
