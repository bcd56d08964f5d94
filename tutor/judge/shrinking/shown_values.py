"""Arguments as a verdict shows them, and back: `show_value`, `restore_inputs`. Pure."""

import ast
from typing import Any

import torch

from tutor.base.number_text import Number
from tutor.judge.cases.reference import Args, describe_arguments
from tutor.judge.model.verdict import ShownValue, WrongExample
from tutor.judge.processes.shared_tensors import DTYPES, extent_elements

MOST_SHOWN = 64  # elements of a tensor that are shown


def show_value(name: str, value: Any) -> ShownValue:
    """Return the record of an argument or an output; without elements if there are too many."""
    spec = describe_arguments((value,))
    if not isinstance(value, torch.Tensor):
        return ShownValue(name, spec)
    numbers: tuple[Number, ...] | None = None
    if value.numel() <= MOST_SHOWN:
        numbers = tuple(value.reshape(-1).tolist())
    dtype = str(value.dtype).removeprefix("torch.")
    return ShownValue(name, spec, dtype, tuple(value.shape), value.stride(), numbers)


def restore_inputs(example: WrongExample) -> Args | None:
    """Return the arguments of an example; None if it shows too few of them to make them again.

    Raises `ValueError` or `SyntaxError` for a record that is damaged.
    """
    if not example.is_complete:
        return None
    return tuple(_restore(shown) for shown in example.inputs)


def _restore(shown: ShownValue) -> Any:
    if not shown.dtype:
        return ast.literal_eval(shown.spec)
    values = shown.values or ()
    if extent_elements(shown.shape, shown.stride) > MOST_SHOWN**2 or shown.dtype not in DTYPES:
        raise ValueError(f"{shown.name} is no tensor of an example")
    numbers = [float(value) if isinstance(value, str) else value for value in values]
    dtype = DTYPES[shown.dtype]
    flat = torch.tensor(numbers, dtype=dtype).reshape(shown.shape)
    tensor = torch.empty_strided(shown.shape, shown.stride, dtype=dtype)
    # Elements that share an address, as of an expanded row, are written once.
    own = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in shown.stride)
    tensor[own].copy_(flat[own])
    return tensor
