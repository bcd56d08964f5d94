"""Tensor methods whose Python bindings make the tensor's device current, written without that.

A CPU build of torch has no device to make current, so on a pretended device these few fail, and
Inductor's decompositions use them. Each does the same through `torch.ops`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx.node import map_aggregate

aten: Any = torch.ops.aten
map_values: Any = map_aggregate  # nested arguments of any kind; torch names the kinds it knows


def copy_from(tensor: torch.Tensor, source: Any, non_blocking: bool = False) -> Any:
    """`Tensor.copy_`."""
    return aten.copy_.default(tensor, source, non_blocking)


def invert(tensor: torch.Tensor) -> Any:
    """`Tensor.__invert__`."""
    return aten.bitwise_not.default(tensor)


def make_contiguous(tensor: torch.Tensor, memory_format: Any = torch.contiguous_format) -> Any:
    """`Tensor.contiguous`."""
    if tensor.is_contiguous(memory_format=memory_format):
        return tensor
    return aten.clone.default(tensor, memory_format=memory_format)


def wrap_getitem(original: Callable[..., Any]) -> Callable[..., Any]:
    """`tensor[index]` by NumPy's rules; tensors of other devices go to the original."""

    def item(tensor: torch.Tensor, index: Any) -> Any:
        if tensor.device.type != "cuda":
            return original(tensor, index)
        view, indices = _make_view(tensor, index)
        return aten.index.Tensor(view, indices) if indices else view

    return item


def wrap_setitem(original: Callable[..., Any]) -> Callable[..., Any]:
    """`tensor[index] = value`, likewise."""

    def set_item(tensor: torch.Tensor, index: Any, value: Any) -> None:
        if tensor.device.type != "cuda":
            original(tensor, index, value)
            return
        view, indices = _make_view(tensor, index)
        if not isinstance(value, torch.Tensor):
            value = aten.full.default([], value, dtype=tensor.dtype, device=tensor.device)
        if indices:
            aten.index_put_.default(view, indices, value)
        else:
            aten.copy_.default(view, value)

    return set_item


def _make_view(tensor: torch.Tensor, index: Any) -> tuple[torch.Tensor, list[torch.Tensor | None]]:
    """The view that whole numbers, slices, None and `...` make; index tensors by dimension of it."""
    parts = list(index) if isinstance(index, tuple) else [index]
    used = sum(_dimensions(part) for part in parts)
    if Ellipsis not in [part for part in parts if not isinstance(part, torch.Tensor)]:
        parts.append(Ellipsis)
    view, at = tensor, 0
    indices: list[torch.Tensor | None] = []
    for part in parts:
        if part is Ellipsis:
            skipped = tensor.dim() - used
            at += skipped
            indices += [None] * skipped
        elif part is None:
            view, at = aten.unsqueeze.default(view, at), at + 1
            indices.append(None)
        elif isinstance(part, slice):
            view = aten.slice.Tensor(view, at, part.start, part.stop, part.step or 1)
            at += 1
            indices.append(None)
        elif isinstance(part, torch.Tensor):
            at += _dimensions(part)
            indices += [part, *[None] * (_dimensions(part) - 1)]
        else:
            view = aten.select.int(view, at, part)
    has_tensors = any(part is not None for part in indices)
    return view, (indices if has_tensors else [])


def _dimensions(part: Any) -> int:
    """Return how many dimensions of the tensor a part of the index covers."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8):
        return part.dim()
    return 1
