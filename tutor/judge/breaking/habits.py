"""Compare a case with an exercise's own cases. What they all have in common, the task promises.

Pure. A dtype, a number of dimensions, views or none, sizes that are always equal, always one number or
always multiples of one, whether numbers are finite. A task that promises less or more says so itself, by
`PROMISED` of its `reference.py`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

_ENOUGH = 5  # cases from which on a size that is always the same is no chance
_SMALLEST_FACTOR = 8  # common factors below it are chance


@dataclass(frozen=True)
class TensorForm:
    """What is known of a tensor without its numbers. `contiguous` counts only where there are elements,
    `finite` is True for integers."""

    dtype: str
    shape: tuple[int, ...]
    contiguous: bool
    finite: bool


Form: TypeAlias = TensorForm | bool | int | float | str | None
Forms: TypeAlias = tuple[Form, ...]  # of a call, in the order of the parameters


def find_strangeness(case: Forms, own: Sequence[Forms], names: Sequence[str]) -> str:
    """Return half a sentence on what a case has that no own case has: "x is 3-D, and 2-D in this task";
    "" for a case like the others."""
    for index, (form, name) in enumerate(zip(case, names, strict=True)):
        others = [call[index] for call in own]
        if said := _strange_argument(form, others, name):
            return said
    return _strange_sizes(case, own, names)


def _strange_argument(form: Form, others: Sequence[Form], name: str) -> str:
    tensors = [other for other in others if isinstance(other, TensorForm)]
    if not isinstance(form, TensorForm):
        return _strange_value(form, others, name)
    if not tensors:
        return f"`{name}` is a number in this task, not a tensor"
    return next(
        (
            f"`{name}` is {is_so}, and {should} in this task"
            for is_so, should, holds in _tensor_habits(form, tensors)
            if not holds
        ),
        "",
    )


def _tensor_habits(
    form: TensorForm, others: Sequence[TensorForm]
) -> Iterator[tuple[str, str, bool]]:
    """Yield what the tensor is, what it should be, and whether it is."""
    dtypes = sorted({other.dtype for other in others})
    yield form.dtype, " or ".join(dtypes), form.dtype in dtypes
    ranks = sorted({len(other.shape) for other in others})
    wanted = "of any of " + ", ".join(map(str, ranks)) if len(ranks) > 1 else f"{ranks[0]}-D"
    # Where the own cases have several numbers of dimensions, the task says "any shape".
    fits = len(form.shape) in ranks if len(ranks) == 1 else len(form.shape) >= ranks[0]
    yield f"{len(form.shape)}-D", wanted, fits
    empty, allowed = 0 in form.shape, any(0 in other.shape for other in others)
    yield "without elements", "has at least one", allowed or not empty
    views = any(not other.contiguous for other in others)
    yield "not contiguous", "contiguous", views or form.contiguous
    special = any(not other.finite for other in others)
    yield "not finite everywhere", "finite", special or form.finite


def _strange_value(form: Form, others: Sequence[Form], name: str) -> str:
    plain = [other for other in others if not isinstance(other, TensorForm)]
    if not plain:
        return f"`{name}` is a tensor in this task"
    kinds = {type(other) for other in plain}
    fits = type(form) in kinds or (type(form) is int and float in kinds)
    if not fits:
        return f"`{name}` is {form!r}, and a value such as {plain[0]!r} in this task"
    least = min((other for other in plain if type(other) is int), default=None)
    if type(form) is int and least is not None and form < min(least, 1):
        return f"`{name}` is {form}, and at least {min(least, 1)} in this task"
    if isinstance(form, str) and form not in plain:
        return (
            f"`{name}` is {form!r}, and one of {', '.join(map(repr, sorted(set(map(str, plain)))))}"
        )
    return ""


def _sizes(call: Forms, names: Sequence[str]) -> dict[str, int]:
    """Return each size of a call by its name."""
    return {
        f"{name}.shape[{axis}]": size
        for form, name in zip(call, names, strict=True)
        if isinstance(form, TensorForm)
        for axis, size in enumerate(form.shape)
    }


def _strange_sizes(case: Forms, own: Sequence[Forms], names: Sequence[str]) -> str:
    """Look for sizes that are equal, fixed, or multiples in each own case of the same dimensions."""
    ranks = [len(form.shape) if isinstance(form, TensorForm) else -1 for form in case]
    alike = [
        _sizes(call, names)
        for call in own
        if ranks == [len(form.shape) if isinstance(form, TensorForm) else -1 for form in call]
    ]
    if len(alike) < 2:
        return _strange_shapes(case, own, names)
    sizes = _sizes(case, names)
    for one, other in combinations(sizes, 2):
        if sizes[one] != sizes[other] and all(call[one] == call[other] for call in alike):
            both = f"`{one}` is {sizes[one]} and `{other}` is {sizes[other]}"
            return f"{both}, and they are equal in this task"
    if len(alike) < _ENOUGH:
        return ""
    for name, size in sizes.items():
        known = [call[name] for call in alike]
        if said := _strange_size(name, size, known):
            return said
    return ""


def _strange_size(name: str, size: int, known: Sequence[int]) -> str:
    factor = math.gcd(*known)
    if len(set(known)) == 1 and size != known[0]:
        return f"`{name}` is {size}, and {known[0]} in this task"
    if factor >= _SMALLEST_FACTOR and size % factor:
        return f"`{name}` is {size}, and a multiple of {factor} in this task"
    powers = all(n and not n & (n - 1) for n in known)
    if powers and len(set(known)) >= 3 and (not size or size & (size - 1)):
        return f"`{name}` is {size}, and a power of two in this task"
    return ""


def _strange_shapes(case: Forms, own: Sequence[Forms], names: Sequence[str]) -> str:
    """Look for tensors that have one shape in each own case, where no own case has these dimensions."""
    places = [i for i, form in enumerate(case) if isinstance(form, TensorForm)]
    for one, other in combinations(places, 2):
        if all(_shape(call[one]) == _shape(call[other]) for call in own) and _shape(
            case[one]
        ) != _shape(case[other]):
            return f"`{names[one]}` and `{names[other]}` have one shape in this task"
    return ""


def _shape(form: Form) -> tuple[int, ...]:
    return form.shape if isinstance(form, TensorForm) else ()
