"""The tensors of a case that a learner wrote, and the form of an exercise's own ones."""

import math

import torch

from tutor.judge.breaking.case_text import TensorText, Value
from tutor.judge.breaking.habits import Form, Forms, TensorForm
from tutor.judge.cases.reference import Args
from tutor.xray.model.input_specs import DTYPES


def make_arguments(values: tuple[Value, ...], seed: int) -> Args:
    """Return the arguments of a case: the same for the same seed. Gaps of views hold zeros."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        _make_tensor(value, generator) if isinstance(value, TensorText) else value
        for value in values
    )


def _make_tensor(text: TensorText, generator: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, DTYPES[text.dtype][0])
    numbers = _draw(text, dtype, generator).to(dtype).reshape(text.shape)
    if not text.strides:
        return numbers
    memory = torch.zeros(max(text.extent, 1), dtype=dtype)
    view = memory.as_strided(text.shape, text.strides)
    for place in _places(text) if _overlaps(text.shape, text.strides) else ():
        view[place] = numbers[place]
    return view if _overlaps(text.shape, text.strides) else view.copy_(numbers)


def _places(text: TensorText) -> list[tuple[int, ...]]:
    """Return the indices of a view whose elements overlap, which `copy_` refuses."""
    return [tuple(map(int, place)) for place in torch.ones(text.shape).nonzero()]


def _draw(text: TensorText, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Return the numbers in row-major order, as float64."""
    count = text.elements
    match text.fill:
        case "zeros" | "ones" | "full":
            number = {"zeros": 0.0, "ones": 1.0}.get(text.fill, (*text.numbers, 0.0)[0])
            return torch.full((count,), number, dtype=torch.float64)
        case "counting":
            return torch.arange(count, dtype=torch.float64)
        case "values":
            given = torch.tensor(text.numbers, dtype=torch.float64)
            return given.repeat(math.ceil(count / len(given)))[:count]
    drawn = torch.randn(count, generator=generator, dtype=torch.float64)
    if not dtype.is_floating_point:
        drawn = (drawn * 5).round() if dtype != torch.bool else (drawn > 0).double()
        drawn = drawn.abs() if dtype == torch.uint8 else drawn
    if text.fill == "large":
        return drawn * 1e4
    if text.fill == "negative":
        return -100 - drawn.abs()
    if text.fill == "one" and count:
        drawn[count // 2] = text.numbers[0]
    return drawn


def _overlaps(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return True if two indices may share an element: a dimension does not pass the one below it."""
    reach = 1
    for step, size in sorted((step, size) for size, step in zip(shape, strides, strict=True)):
        if size > 1 and step < reach:
            return True
        reach += (size - 1) * step if size else 0
    return False


def form_of(args: Args) -> Forms:
    """Return what is known of arguments without their numbers."""
    return tuple(_form(value) for value in args)


def _form(value: object) -> Form:
    if isinstance(value, torch.Tensor):
        finite = not value.is_floating_point() or bool(torch.isfinite(value).all())
        return TensorForm(
            str(value.dtype).removeprefix("torch."),
            tuple(value.shape),
            value.is_contiguous(),
            finite,
        )
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)
