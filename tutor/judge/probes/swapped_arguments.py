"""A probe for outputs that are right for other arguments: one negated, inverted or left out, two
exchanged, or one in another's place.

The function is called once with special numbers. The truth (`Reference.want`) is then computed for each
of the other arguments. No knowledge of the task is needed.
"""

from collections.abc import Iterator, Sequence

import torch

from tutor.judge.cases.arguments import parameter_names
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.probes import input_dependence
from tutor.judge.probes.case_rerun import CaseRerun, compute_rounding, make_positive

_MAX_ELEMENTS = 1 << 16  # of the largest tensor; the interpreter is slow
_MIN_ELEMENTS = 16  # of the largest tensor; fewer can be right by chance
_TRIES = 3  # cases
_FAR = 100  # times rounding: a difference that is surely a fault


def choose_swap_cases(cases: Cases, facts: Sequence[CaseFacts]) -> list[int]:
    """Return the wrong cases to probe: those with most wrong elements first, then small ones."""
    sizes = {i: CaseRerun.of(cases, i).elements for i in input_dependence.find_unexplained(facts)}

    def rank(index: int) -> tuple[bool, bool, float, int]:
        case, seen = facts[index], facts[index].pattern
        share = seen.wrong / seen.total if seen else 0.0
        return not case.largest, not case.contiguous, -share, sizes[index]

    return sorted(
        (i for i, size in sizes.items() if _MIN_ELEMENTS <= size <= _MAX_ELEMENTS), key=rank
    )[:_TRIES]


def describe_swap(cases: Cases, index: int) -> str:
    """Return a sentence on the wrong case `index`, or "".

    Call the learner's function once within the worker's limits.
    """
    rerun = CaseRerun.of(cases, index)
    tensors = rerun.tensors
    if not tensors or any(0 in tensor.stride() for tensor in tensors):
        return ""
    numbers = make_positive(tensors, 0.5, torch.Generator().manual_seed(0))
    args = rerun.with_numbers(numbers)
    want, got = _compute_finite_truth(cases, args), rerun.compute_output(numbers)
    if want is None or got is None or not want.numel():
        return ""
    close = compute_rounding(tensors)
    if _difference(got, want) <= _FAR * close:
        return ""
    for words, others in _other_arguments(parameter_names(cases.exercise.entry), args):
        truth = _compute_finite_truth(cases, others)
        if truth is None or truth.shape != got.shape or _difference(truth, want) <= _FAR * close:
            continue
        if _difference(got, truth) <= close:
            return f"The output is right {words} (“{rerun.case}” with other numbers)."
    return ""


def _other_arguments(names: Sequence[str], args: Args) -> Iterator[tuple[str, Args]]:
    """Yield other arguments, the likeliest first, each with words that follow "right"."""

    def with_one(at: int, value: object) -> Args:
        return (*args[:at], value, *args[at + 1 :])

    places = [
        i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.is_floating_point()
    ]
    alike = [(i, j) for i in places for j in places if i != j and args[i].shape == args[j].shape]
    for i, j in alike:
        if i < j:
            other = list(args)
            other[i], other[j] = args[j], args[i]
            yield f"with `{names[i]}` and `{names[j]}` exchanged", tuple(other)
    for i, j in alike:
        yield f"if `{names[i]}` is read for `{names[j]}` as well", with_one(j, args[i])
    for i, value in enumerate(args):
        name = f"`{names[i]}`"
        if i in places:
            yield f"for `-{names[i]}` in place of {name}: its sign is wrong", with_one(i, -value)
            yield (
                f"for `1 / {names[i]}` in place of {name}: you divide where it should be a "
                "factor, or the other way round",
                with_one(i, 1 / value),
            )
        elif type(value) is float and value:
            yield f"for {name} = 0: it is left out", with_one(i, 0.0)
            yield f"for `-{names[i]}` in place of {name}: its sign is wrong", with_one(i, -value)
            yield f"for `1 / {names[i]}` in place of {name}", with_one(i, 1 / value)


def _compute_finite_truth(cases: Cases, args: Args) -> torch.Tensor | None:
    """Return the truth if it is finite, or None."""
    try:
        want = cases.reference.want(args)
    except (RuntimeError, ValueError, IndexError, ZeroDivisionError):
        return None
    return want.double() if bool(torch.isfinite(want).all()) else None


def _difference(one: torch.Tensor, other: torch.Tensor) -> float:
    """Return the largest difference over the largest element; infinite if it is NaN."""
    size = float(torch.maximum(one.abs(), other.abs()).max())
    apart = float((one - other).abs().max()) / size if size else 0.0
    return apart if apart == apart else float("inf")
