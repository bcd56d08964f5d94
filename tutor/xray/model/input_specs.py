"""Parser of `--input`: a tensor's dtype and shape, or a Python literal. Pure, without torch.

`f32[1024,1024]`, `bf16[8,64]`, `i64[16]`, `f32[]` are tensors; `f32[s0,32]` has a size that
torch.compile takes for a symbol, `f32[s0=10,32]` one that is 10 in the traced call; `f32[8,4][1,8]`
has strides, `f32[2,3,8,8][channels_last]` that layout; `(f32[8], f32[8])` and `[f32[8], 2]` are a
tuple and a list with tensors;
`f16[64,128]@[32,64]` is a tensor descriptor with its block, for a kernel alone;
`128`, `True`, `1e-5`, `"sum"`, `(2, 3)` and `None` are passed as they are;
`torch.float16` and `tl.float32` are dtypes, PyTorch's and Triton's;
`BLOCK=1024` gives an argument by name.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
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
    "u16": ("uint16", "u16", 2),
    "u32": ("uint32", "u32", 4),
    "u64": ("uint64", "u64", 8),
    "c64": ("complex64", "c64", 8),
    "c128": ("complex128", "c128", 16),
    "bool": ("bool", "i1", 1),
}
# Names of dtypes in `triton.language`.
_TRITON_DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "float8e4nv", "float8e5", "int1"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
MAX_INPUTS = 64
MAX_DIMENSIONS = 8
MAX_BYTES = 1 << 40  # nothing is allocated, but addresses are computed
_MAX_TEXT = 10_000  # characters of one SPEC
_DEEPEST = 4  # levels of tuples and lists

_TENSOR = re.compile(r"\s*([A-Za-z]\w*)\s*\[([^\[\]]*)\]\s*(?:\[([^\[\]]*)\]\s*)?")
_DESCRIPTOR = re.compile(rf"({_TENSOR.pattern})@\s*\[([^\[\]]*)\]\s*")
_DTYPE = re.compile(r"(torch|tl)\.(\w+)")
_OURS = {torch_name: ours for ours, (torch_name, _, _) in DTYPES.items()}
_SIZE = re.compile(r"[0-9]{1,15}")
_SYMBOL = re.compile(r"s([0-9]{1,2})(?:=([0-9]{1,15}))?")
_SIZED_SYMBOL = re.compile(r"[\[,]\s*s([0-9]{1,2})=([0-9]{1,15})\s*(?=[\],])")
_FIRST_SYMBOL, _NEXT_SYMBOL = 96, 8  # the size that s0 has in the traced call, and the step to s1's
_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)(.*)", re.DOTALL)


@dataclass(frozen=True)
class TensorSpec:
    """A tensor: `dtype` as in `DTYPES`, `shape` and `strides` in elements; no strides: contiguous.

    `symbols` are the dimensions whose sizes torch.compile is to take for symbols, `numbers` the
    symbols' numbers: of `f32[8,s3]` these are 1 and 3. `aligned`: its address is a multiple of 16.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] = ()
    symbols: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    aligned: bool = True

    @property
    def torch_name(self) -> str:
        """The attribute of `torch` that is this dtype."""
        return DTYPES[self.dtype][0]

    @property
    def pointer(self) -> str:
        """The type of a Triton parameter that gets this tensor."""
        return f"*{DTYPES[self.dtype][1]}"

    @property
    def elements(self) -> int:
        """How many elements of memory it spans, from its first to its last."""
        if 0 in self.shape or not self.strides:
            return math.prod(self.shape)
        return 1 + sum(
            (size - 1) * step for size, step in zip(self.shape, self.strides, strict=True)
        )

    @property
    def bytes(self) -> int:
        size = DTYPES[self.dtype][2]
        for length in self.shape:
            size *= length
        return size

    def __str__(self) -> str:
        strides = f"[{','.join(map(str, self.strides))}]" if self.strides else ""
        return f"{self.dtype}[{','.join(map(str, self.shape))}]{strides}"


@dataclass(frozen=True)
class DescriptorSpec:
    """A `TensorDescriptor` made on the host: `dtype` as in `DTYPES`, `block` in elements."""

    dtype: str
    block: tuple[int, ...]

    @property
    def triton_type(self) -> str:
        return f"tensordesc<{DTYPES[self.dtype][1]}[{', '.join(map(str, self.block))}]>"


@dataclass(frozen=True)
class DtypeSpec:
    """A dtype as a plain argument: `name` of `torch`, or of `tl`, which is `triton.language`."""

    package: str
    name: str

    def __str__(self) -> str:
        return f"{self.package}.{self.name}"


@dataclass(frozen=True)
class InputSpec:
    """One input of a call, parsed: a tensor, a tuple or list of inputs that has tensors (`members`), a
    dtype, or a Python literal. A tensor with a `block` is a tensor descriptor.

    `text` is what was written without the name; `name` is "" for a positional one. A literal travels
    as its text, because msgpack has no tuples, sets or large integers.
    """

    text: str
    name: str = ""
    tensor: TensorSpec | None = None
    members: tuple[InputSpec, ...] = ()
    block: tuple[int, ...] = ()

    @property
    def value(self) -> Any:
        """A `TensorSpec`, `DescriptorSpec` or `DtypeSpec`, a tuple or list with some, or the literal's
        value."""
        if self.tensor and self.block:
            return DescriptorSpec(self.tensor.dtype, self.block)
        if self.members:
            members = tuple(member.value for member in self.members)
            return list(members) if self.text.startswith("[") else members
        if match := _DTYPE.fullmatch(self.text):
            return DtypeSpec(*match.groups())
        return self.tensor or ast.literal_eval(self.text)

    def __str__(self) -> str:
        return f"{self.name}={self.text}" if self.name else self.text


@dataclass(frozen=True)
class Arguments:
    """All of a call's inputs: `TensorSpec`s, in tuples and lists too, and the values of the rest. A
    `DtypeSpec` becomes the dtype where the function is called (`dtype_arguments`)."""

    positional: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, inputs: tuple[InputSpec, ...]) -> Arguments:
        """Return the call's arguments by position and by name."""
        positional = tuple(argument.value for argument in inputs if not argument.name)
        return cls(
            positional, {argument.name: argument.value for argument in inputs if argument.name}
        )


def parse_input(text: str) -> Any:
    """Return a `TensorSpec`, or the literal's value. Raises `UsageError` with one sentence."""
    return _parse(text, _find_sizes((text,))).value


def _members(text: str, sizes: dict[int, int], depth: int) -> tuple[InputSpec, ...]:
    """Return the inputs in a tuple or list that has tensors; none for any other text."""
    if depth >= _DEEPEST or (text[:1], text[-1:]) not in (("(", ")"), ("[", "]")):
        return ()
    parts = split_inputs(text[1:-1])
    if not any(_TENSOR.search(part) for part in parts) or len(parts) > MAX_INPUTS:
        return ()
    return tuple(_parse(part, sizes, depth=depth + 1) for part in parts)


def _find_sizes(texts: tuple[str, ...]) -> dict[int, int]:
    """Return the sizes that the inputs of a call give to symbols, such as 10 of `f32[s0=10,4]`."""
    sizes: dict[int, int] = {}
    for text in texts:
        for symbol, size in _SIZED_SYMBOL.findall(text):
            if sizes.setdefault(int(symbol), int(size)) != int(size):
                both = f"{sizes[int(symbol)]} and {int(size)}"
                raise UsageError(f"s{int(symbol)} is {both}: a symbol has one size a call")
    return sizes


def _parse(text: str, sizes: dict[int, int], name: str = "", depth: int = 0) -> InputSpec:
    if len(text) > _MAX_TEXT:
        raise UsageError(f"an input of {len(text)} characters is too long")
    written = text.strip()
    if match := _TENSOR.fullmatch(text):
        return InputSpec(written, name, _tensor(written, sizes, *match.groups()))
    if match := _DESCRIPTOR.fullmatch(written):
        return _parse_descriptor(written, sizes, name, match)
    if members := _members(written, sizes, depth):
        return InputSpec(written, name, members=members)
    if match := _DTYPE.fullmatch(written):
        _check_dtype(text, *match.groups())
        return InputSpec(written, name)
    try:
        ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise UsageError(
            f"the input {_short(text)} is neither a dtype and shape, such as f32[1024,1024], "
            f"nor a Python literal, such as 128 or True, nor a dtype, such as torch.float16 or "
            f"tl.float32{_advise_quotes(text)}"
        ) from None
    return InputSpec(written, name)


def _check_dtype(text: str, package: str, name: str) -> None:
    known = sorted(_OURS) if package == "torch" else list(_TRITON_DTYPES)
    if name not in known:
        raise UsageError(
            f"the input {_short(text)}: {package} has no such dtype; take one of {', '.join(known)}"
        )


def _parse_descriptor(
    text: str, sizes: dict[int, int], name: str, match: re.Match[str]
) -> InputSpec:
    """Return a descriptor's input. Triton asks for as many sizes in the block as the tensor has, and
    for a last dimension whose elements lie side by side."""
    tensor = _tensor(text, sizes, *match.groups()[1:4])
    parts = [part.strip() for part in match[5].split(",")]
    if len(parts) != len(tensor.shape) or not all(map(_SIZE.fullmatch, parts)):
        raise UsageError(
            f"the input {_short(text)}: after the @ stands the block of a tensor descriptor, a whole "
            "number for each dimension, such as f16[64,128]@[32,64]"
        )
    if tensor.strides and tensor.strides[-1] != 1:
        raise UsageError(
            f"the input {_short(text)}: a descriptor's last dimension has the stride 1, "
            f"not {tensor.strides[-1]}"
        )
    return InputSpec(text, name, tensor, block=tuple(map(int, parts)))


def parse_inputs(texts: tuple[str, ...]) -> tuple[InputSpec, ...]:
    """Return the inputs of a call, in order. Raises `UsageError` with one sentence."""
    if len(texts) > MAX_INPUTS:
        raise UsageError(f"{len(texts)} inputs are too many; at most {MAX_INPUTS}")
    inputs: list[InputSpec] = []
    names: set[str] = set()
    sizes = _find_sizes(texts)
    for text in texts:
        if match := _NAMED.fullmatch(text):
            if match[1] in names:
                raise UsageError(f"the input {match[1]}=… is given twice")
            names.add(match[1])
            inputs.append(_parse(match[2], sizes, match[1]))
        elif names:
            raise UsageError(f"the input {_short(text)} has no name but follows one that has")
        else:
            inputs.append(_parse(text, sizes))
    return tuple(inputs)


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


def _advise_quotes(text: str) -> str:
    """Return the advice to quote a plain word."""
    return f"; a text is quoted: '\"{text.strip()}\"'" if text.strip().isidentifier() else ""


def _tensor(
    text: str, sizes: dict[int, int], dtype: str, inside: str, layout: str | None
) -> TensorSpec:
    dtype = _OURS.get(dtype, dtype)
    if dtype not in DTYPES:
        raise UsageError(
            f"the input {_short(text)}: there is no dtype {_short(dtype)}; take one of "
            f"{', '.join(DTYPES)}"
        )
    parts = [part.strip() for part in inside.split(",")] if inside.strip() else []
    if not all(_SIZE.fullmatch(part) or _SYMBOL.fullmatch(part) for part in parts):
        raise UsageError(
            f"the input {_short(text)}: a shape is whole numbers with commas between, such as "
            "[1024,1024], or symbols such as s0, or s0=10 for its size"
        )
    if len(parts) > MAX_DIMENSIONS:
        raise UsageError(
            f"the input {_short(text)} has {len(parts)} dimensions; at most {MAX_DIMENSIONS}"
        )
    found = [
        (place, int(m[1])) for place, part in enumerate(parts) if (m := _SYMBOL.fullmatch(part))
    ]
    symbols, numbers = (tuple(pair[i] for pair in found) for i in range(2))
    shape = tuple(_size(part, sizes) for part in parts)
    spec = TensorSpec(dtype, shape, _strides(text, shape, layout), symbols, numbers)
    if spec.bytes > MAX_BYTES:
        raise UsageError(f"the input {_short(text)} is larger than {MAX_BYTES >> 40} TiB")
    return spec


def _size(part: str, sizes: dict[int, int]) -> int:
    symbol = _SYMBOL.fullmatch(part)
    if symbol is None:
        return int(part)
    number = int(symbol[1])
    return sizes.get(number, _FIRST_SYMBOL + _NEXT_SYMBOL * number)


def _strides(text: str, shape: tuple[int, ...], layout: str | None) -> tuple[int, ...]:
    """Read what stands in the second brackets: strides, or a memory format's name."""
    if layout is None:
        return ()
    if layout.strip() == "channels_last" and len(shape) == 4:
        _, channels, height, width = shape
        return (channels * height * width, 1, width * channels, channels)
    parts = [part.strip() for part in layout.split(",")]
    if len(parts) != len(shape) or not all(map(_SIZE.fullmatch, parts)):
        raise UsageError(
            f"the input {_short(text)}: after the shape stand its strides, such as f32[8,4][1,8], or "
            "channels_last for four dimensions"
        )
    strides = tuple(map(int, parts))
    if sum((size - 1) * step for size, step in zip(shape, strides, strict=True)) >= MAX_BYTES:
        raise UsageError(f"the input {_short(text)} reaches over more than {MAX_BYTES >> 40} TiB")
    return strides


def _short(text: str) -> str:
    """A learner's text in a sentence: one line, bounded, control characters escaped."""
    shown = ascii(text)[1:-1] if not text.isprintable() else text
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


def map_tensors(change: Callable[[TensorSpec], Any], value: Any) -> Any:
    """Return the value with `change` of each `TensorSpec` in its place, in tuples and lists too."""
    if isinstance(value, TensorSpec):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(map_tensors(change, member) for member in value)
    return value
