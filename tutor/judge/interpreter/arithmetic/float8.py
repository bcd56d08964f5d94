"""Eight-bit floats in Triton's interpreter: conversions that round as a GPU does, and no arithmetic.

The interpreter drops the carry when it rounds to eight bits: 1.99 becomes 1.0 (3.6.0 and 3.7.1). It
calculates with the bits, as if these were numbers, and takes them for bfloat16. Here PyTorch converts
`float8e4nv` and `float8e5`, to the nearest, and to the largest finite number where it would overflow, as
`cvt.rn.satfinite` does (PTX ISA, "cvt"). Triton compiles no arithmetic, no comparison and no
conversion between the two for NVIDIA GPUs, so these raise an error.

Private names of Triton: `_convert_float`, `InterpreterBuilder`'s operations, `TensorHandle`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
import triton.runtime.interpreter as private

from tutor.judge.interpreter.arithmetic.bfloat16 import COMPARISONS

_TYPES = {tl.float8e4nv: torch.float8_e4m3fn, tl.float8e5: torch.float8_e5m2}
_BITS = {  # of the interpreter's arrays
    **{kind: (torch.uint8, of) for kind, of in _TYPES.items()},
    tl.bfloat16: (torch.uint16, torch.bfloat16),
    tl.float16: (torch.float16, torch.float16),
    tl.float32: (torch.float32, torch.float32),
    tl.float64: (torch.float64, torch.float64),
}
_REFUSED = (
    "fadd",
    "fmul",
    "fdiv",
    "frem",
    "fsub",
    "precise_divf",
    "minimumf",
    "minnumf",
    "maximumf",
    "maxnumf",
    "clampf",
    "fma",
    "fneg",  # from Triton 3.8 on
    *COMPARISONS,
)


def patch_float8() -> None:
    """Patch the interpreter's operations, after those of other types. Call once before a kernel runs."""
    private._convert_float = _patch_conversion(private._convert_float)
    builder = private.InterpreterBuilder
    builder.create_fp_to_fp = _patch_cast(builder.create_fp_to_fp)
    for name in _REFUSED:
        if operation := getattr(builder, f"create_{name}", None):
            setattr(builder, f"create_{name}", _refuse(operation))


def convert(values: np.ndarray, source: Any, target: Any) -> np.ndarray:
    """Convert an array of the interpreter between two float types, one of which has eight bits."""
    stored, kind = _BITS[source]
    numbers = torch.from_numpy(np.array(values)).view(stored).view(kind)
    if target in _TYPES:
        most = torch.finfo(_TYPES[target]).max
        numbers = numbers.to(torch.float32).clamp(-most, most)  # NaN stays
    stored, kind = _BITS[target]
    bits: np.ndarray = numbers.to(kind).view(stored).numpy()
    return bits


def _patch_conversion(default: Callable[..., Any]) -> Callable[..., Any]:
    def run(values: Any, source: Any, target: Any, rounding: Any) -> Any:
        if not {source, target} & _TYPES.keys() or not {source, target} <= _BITS.keys():
            return default(values, source, target, rounding)
        return convert(values, source, target)

    return run


def _patch_cast(cast: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, source: Any, to: Any, rounding: Any) -> Any:
        kinds = {source.dtype.scalar, to.scalar}
        if not kinds & _TYPES.keys() or not kinds <= _BITS.keys():
            return cast(self, source, to, rounding)
        if kinds <= _TYPES.keys():
            raise TypeError(f"fp8: no conversion from {source.dtype.scalar} to {to.scalar}")
        data = convert(source.data, source.dtype.scalar, to.scalar)
        return private.TensorHandle(data, to.scalar)

    return run


def _refuse(operation: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **named: Any) -> Any:
        for value in args:
            if isinstance(value, private.TensorHandle) and value.dtype.scalar in _TYPES:
                raise TypeError(f"fp8: no arithmetic in {value.dtype.scalar}")
        return operation(self, *args, **named)

    return run


def encode_float8(value: float, element: str) -> Any:
    """Return the bits of a number as an element of a tile of this type, such as "fp8e5"; None if the
    type is another."""
    kind = next((dtype for dtype in _TYPES if dtype.name == element), None)
    return kind and convert(np.array([value], np.float32), tl.float32, kind)[0]
