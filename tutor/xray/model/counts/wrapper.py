"""Blocks of memory in the wrapper that Inductor writes, read from its text. Pure.

buffers   allocations whose memory is returned in no result, whatever names it has had
bytes     of these together; without it where a size is a symbol

What a library call allocates by itself is not seen. Form of the text: torch 2.11 to 2.15.
"""

from __future__ import annotations

import ast
import re
from math import prod

from tutor.xray.model.stages import Number

_ALLOCATION = re.compile(
    r"^\s+(\w+) = empty_strided\w*\((\(.*?\)), (\(.*?\)), (?:.*?\b)?torch\.(\w+)", re.MULTILINE
)
# `buf1 = buf0; del buf0  # reuse`, `buf5 = reinterpret_tensor(buf0, …)`
_ALIAS = re.compile(r"^\s+(\w+) = (?:reinterpret_tensor\()?(\w+)[;,]", re.MULTILINE)
_RETURN = re.compile(r"^\s+return \((.*)\)$", re.MULTILINE)
_BITS = re.compile(r"[a-z]+(\d+)")  # float8_e4m3fn too
_BYTE = ("bool",)


def count_buffers(body: str) -> dict[str, Number]:
    """Count the body of a wrapper, `call()`."""
    parents = {name: parent for name, parent in _ALIAS.findall(body) if name != parent}
    returned = {
        _root(name, parents)
        for line in _RETURN.findall(body)
        for name in re.findall(r"\b[a-z]\w*", line)
    }
    own = [match for match in _ALLOCATION.findall(body) if match[0] not in returned]
    sizes = [_size(shape, strides, kind) for _, shape, strides, kind in own]
    counts: dict[str, Number] = {"buffers": len(own)}
    if None not in sizes:
        counts["bytes"] = sum(size for size in sizes if size)
    return counts


def _root(name: str, parents: dict[str, str]) -> str:
    """The name under which the memory was allocated."""
    seen = {name}
    while (parent := parents.get(name)) and parent not in seen:
        seen.add(parent)
        name = parent
    return name


def _size(shape: str, strides: str, kind: str) -> int | None:
    """Bytes from the first element to the last; None for a symbol or a type that is not known."""
    try:
        sizes, steps = ast.literal_eval(shape), ast.literal_eval(strides)
    except (ValueError, SyntaxError):
        return None
    bits = _BITS.match(kind)
    width = 1 if kind in _BYTE else int(bits[1]) // 8 if bits else 0
    if not width or not all(isinstance(size, int) for size in (*sizes, *steps)):
        return None
    if not prod(sizes):
        return 0
    return width * int(1 + sum((size - 1) * step for size, step in zip(sizes, steps, strict=True)))
