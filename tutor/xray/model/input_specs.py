"""Parser of `--input`: a tensor's dtype and shape, or a Python literal. Pure, without torch.

`f32[1024,1024]`, `bf16[8,64]`, `i64[16]`, `f32[]` are tensors; `128`, `True`, `1e-5`, `"sum"`,
`(2, 3)` and `None` are passed as they are; `BLOCK=1024` gives an argument by name.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from tutor.base.errors import UsageError

# Our spelling of a dtype -> (torch's name, Triton's name in a pointer type, bytes of an element).
DTYPES: dict[str, tuple[str, str, int]] = {
    "f64": ("float64", "fp64", 8),
    "f32": ("float32", "fp32", 4),
    "f16": ("float16", "fp16", 2),
    "bf16": ("bfloat16", "bf16", 2),
    "f8e4m3": ("float8_e4m3fn", "fp8e4nv", 1),
    "f8e5m2": ("float8_e5m2", "fp8e5", 1),
    "i64": ("int64", "i64", 8),
    "i32": ("int32", "i32", 4),
    "i16": ("int16", "i16", 2),
    "i8": ("int8", "i8", 1),
    "u8": ("uint8", "u8", 1),
    "bool": ("bool", "i1", 1),
}
MAX_INPUTS = 64
MAX_DIMENSIONS = 8
MAX_BYTES = 1 << 40  # nothing is allocated, but addresses are computed
_MAX_TEXT = 10_000  # characters of one SPEC

_TENSOR = re.compile(r"\s*([A-Za-z]\w*)\s*\[([^\[\]]*)\]\s*")
_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)(.*)", re.DOTALL)


@dataclass(frozen=True)
class TensorSpec:
    """A contiguous tensor: `dtype` as in `DTYPES`, `shape` in elements."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def torch_name(self) -> str:
        """The attribute of `torch` that is this dtype."""
        return DTYPES[self.dtype][0]

    @property
    def pointer(self) -> str:
        """The type of a Triton parameter that gets this tensor."""
        return f"*{DTYPES[self.dtype][1]}"

    @property
    def bytes(self) -> int:
        size = DTYPES[self.dtype][2]
        for length in self.shape:
            size *= length
        return size

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class DescriptorSpec:
    """A `TensorDescriptor` made on the host: `dtype` as in `DTYPES`, `block` in elements."""

    dtype: str
    block: tuple[int, ...]

    @property
    def triton_type(self) -> str:
        return f"tensordesc<{DTYPES[self.dtype][1]}[{', '.join(map(str, self.block))}]>"


@dataclass(frozen=True)
class Arguments:
    """All of a call's inputs: tensors as `TensorSpec`, everything else as its value."""

    positional: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)


def parse_input(text: str) -> Any:
    """A `TensorSpec`, or the literal's value. Raises `UsageError` with one sentence."""
    if len(text) > _MAX_TEXT:
        raise UsageError(f"an --input of {len(text)} characters is too long")
    if match := _TENSOR.fullmatch(text):
        return _tensor(text.strip(), match[1], match[2])
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise UsageError(
            f"--input {_short(text)} is neither a dtype and shape, such as f32[1024,1024], "
            "nor a Python literal, such as 128 or True"
        ) from None


def parse_inputs(texts: tuple[str, ...]) -> Arguments:
    """The arguments of a call, in order. Raises `UsageError` with one sentence."""
    if len(texts) > MAX_INPUTS:
        raise UsageError(f"{len(texts)} inputs are too many; at most {MAX_INPUTS}")
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for text in texts:
        if match := _NAMED.fullmatch(text):
            if match[1] in named:
                raise UsageError(f"--input {match[1]}=… is given twice")
            named[match[1]] = parse_input(match[2])
        elif named:
            raise UsageError(f"--input {_short(text)} has no name but follows one that has")
        else:
            positional.append(parse_input(text))
    return Arguments(tuple(positional), named)


def split_inputs(text: str) -> tuple[str, ...]:
    """`f32[8, 8], 128 x=True` as three inputs: commas and blanks separate, not inside brackets or
    quotes."""
    parts: list[str] = []
    part, depth, quote = "", 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth = max(0, depth - 1)
        if not quote and not depth and (c.isspace() or c == ","):
            if part:
                parts.append(part)
            part = ""
        elif quote or not c.isspace():
            part += c
    return (*parts, part) if part else tuple(parts)


def _tensor(text: str, dtype: str, inside: str) -> TensorSpec:
    if dtype not in DTYPES:
        raise UsageError(
            f"--input {_short(text)}: there is no dtype {_short(dtype)}; take one of "
            f"{', '.join(DTYPES)}"
        )
    parts = [part.strip() for part in inside.split(",")] if inside.strip() else []
    if not all(re.fullmatch(r"[0-9]{1,15}", part) for part in parts):
        raise UsageError(
            f"--input {_short(text)}: a shape is whole numbers with commas between, "
            "such as [1024,1024]"
        )
    if len(parts) > MAX_DIMENSIONS:
        raise UsageError(
            f"--input {_short(text)} has {len(parts)} dimensions; at most {MAX_DIMENSIONS}"
        )
    spec = TensorSpec(dtype, tuple(int(part) for part in parts))
    if spec.bytes > MAX_BYTES:
        raise UsageError(f"--input {_short(text)} is larger than {MAX_BYTES >> 40} TiB")
    return spec


def _short(text: str) -> str:
    """A learner's text in a sentence: one line, bounded, control characters escaped."""
    shown = ascii(text)[1:-1] if not text.isprintable() else text
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
