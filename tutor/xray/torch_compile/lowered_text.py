"""Inductor's lowered operations as text that grows with their number and no faster.

torch prints an operation with its inputs, these with theirs, and so on: where each value is used
twice, the text doubles at each step.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from typing import Any

from tutor.xray.fake_gpu.fake_gpu import private


@dataclasses.dataclass(frozen=True)
class _Name:
    """The name of a buffer, in its place."""

    name: str

    def __repr__(self) -> str:
        return self.name


def name_inputs(operation: Any) -> Any:
    """Return a copy of a lowered operation that prints each buffer it uses by the buffer's name."""
    return _copy_with(operation, {f.name for f in dataclasses.fields(operation)})


def _copy_with(node: Any, fields: set[str]) -> Any:
    """Return a copy of an IR node in which these fields refer to buffers by name."""
    copied = copy.copy(node)
    for name in fields & vars(node).keys():
        object.__setattr__(copied, name, _refer(vars(node)[name]))  # IR nodes are frozen
    return copied


def _refer(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(map(_refer, value))
    if type(value) is dict:
        return {key: _refer(member) for key, member in value.items()}
    box, view, buffer = _classes()
    if isinstance(value, box):
        return _refer(value.data)
    if isinstance(value, view):
        return _copy_with(value, {"data"})
    return _Name(str(value.get_name())) if isinstance(value, buffer) else value


@functools.cache
def _classes() -> tuple[Any, ...]:
    return tuple(
        private(f"torch._inductor.ir.{name}") for name in ("MutableBox", "BaseView", "Buffer")
    )
