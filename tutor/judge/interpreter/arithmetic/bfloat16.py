"""Arithmetic with bfloat16 in Triton's interpreter, rounded as a GPU rounds it.

The interpreter keeps a bfloat16 as an integer that has its 16 bits, because NumPy has no such type, and
then calculates with these integers (triton-lang/triton issues 4972, 11584; 3.6.0 and 3.7.1: `x + y`
gives NaN, `tl.dot` is off by 5e10). Here each operation gets the operands in float32, and its result
is rounded to the nearest bfloat16.

Atomic operations on bfloat16, which a GPU can do, raise an error: compiled code carries them out and
treats the 16 bits as an integer.

Private names of Triton: `InterpreterBuilder`'s operations, `TensorHandle`, `ReduceOps`, `ScanOps`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import triton.language as tl
import triton.runtime.interpreter as private

COMPARISONS = tuple(
    f"fcmp{ordered}{how}" for ordered in "OU" for how in ("LT", "GT", "LE", "GE", "EQ", "NE")
)
_OPERATIONS = (
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
    "fabs",
    "fneg",  # from Triton 3.8 on; before, `-x` is `0 - x`
    "cos",
    "exp",
    "exp2",
    "floor",
    "ceil",
    "log",
    "log2",
    "precise_sqrt",
    "sqrt",
    "sin",
    "erf",
    "rsqrt",
    "dot",
    *COMPARISONS,
)
_CASTS = (
    "si_to_fp",
    "ui_to_fp",
    "fp_to_si",
    "fp_to_ui",
    "fp_ext",
    "fp_trunc",
    "fp_to_fp",
)


def patch_bfloat16() -> None:
    """Patch the interpreter's operations. Call once before a kernel runs; other types are unaffected."""
    builder = private.InterpreterBuilder
    for name in _OPERATIONS:
        if operation := getattr(builder, f"create_{name}", None):
            setattr(builder, f"create_{name}", _patch_operation(operation))
    for name in _CASTS:
        setattr(builder, f"create_{name}", _patch_cast(getattr(builder, f"create_{name}")))
    builder.get_bf16 = lambda self, value: _narrow(self.get_fp32(value))
    builder.create_atomic_rmw = _refuse_bfloat16(builder.create_atomic_rmw)
    for kind in (private.ReduceOps, private.ScanOps):
        kind.apply_impl = _patch_reduction(kind.apply_impl)


def to_bits(values: np.ndarray) -> np.ndarray:
    """Convert float32 to the bits of the nearest bfloat16 (ties to even), in uint16.

    A NaN keeps the upper bits of its fraction.
    """
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> 16) & 1
    up = ((bits + np.uint32(0x7FFF) + odd) >> 16).astype(np.uint16)
    nan = (bits >> 16).astype(np.uint16) | np.uint16(0x0040)
    return np.asarray(np.where(np.isnan(values), nan, up), np.uint16)


def from_bits(bits: np.ndarray) -> np.ndarray:
    """Convert the bits of bfloat16 numbers, in uint16, to float32 without loss."""
    numbers: np.ndarray = (bits.astype(np.uint32) << 16).view(np.float32)
    return numbers


def _is_bfloat16(handle: Any) -> bool:
    return isinstance(handle, private.TensorHandle) and handle.dtype.scalar == tl.bfloat16


def _wide(handle: Any) -> Any:
    if not _is_bfloat16(handle):
        return handle
    return private.TensorHandle(from_bits(np.asarray(handle.data)), tl.float32)


def _narrow(handle: Any) -> Any:
    if np.asarray(handle.data).dtype != np.float32:
        return handle  # of Booleans
    return private.TensorHandle(to_bits(handle.data), tl.bfloat16)


def _patch_operation(operation: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **named: Any) -> Any:
        if not any(_is_bfloat16(value) for value in (*args, *named.values())):
            return operation(self, *args, **named)
        # A dot product has the type of its accumulator, which is the last tensor.
        tensors = [value for value in args if isinstance(value, private.TensorHandle)]
        narrow = _is_bfloat16(tensors[-1])
        result = operation(
            self, *map(_wide, args), **{name: _wide(value) for name, value in named.items()}
        )
        return _narrow(result) if narrow else result

    return run


def _patch_cast(cast: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, source: Any, to: Any, *rest: Any) -> Any:
        wide = _wide(source)
        if to.scalar != tl.bfloat16:
            if wide is not source and to.scalar == tl.float32:
                return wide
            return cast(self, wide, to, *rest)
        return private.TensorHandle(to_bits(np.asarray(wide.data).astype(np.float32)), to.scalar)

    return run


def _refuse_bfloat16(atomic: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(atomic)
    def run(self: Any, operation: Any, pointer: Any, value: Any, *rest: Any) -> Any:
        if _is_bfloat16(value):
            raise NotImplementedError("atomics on bfloat16 not supported in interpreter mode")
        return atomic(self, operation, pointer, value, *rest)

    return run


def _patch_reduction(apply: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, inputs: tuple[Any, ...]) -> Any:
        was = [_is_bfloat16(tensor.handle) for tensor in inputs]
        if not any(was):
            return apply(self, inputs)
        result = apply(self, tuple(map(_as_float32, inputs)))
        several = isinstance(result, list | tuple)
        results = [
            _as_bfloat16(tensor) if i < len(was) and was[i] else tensor
            for i, tensor in enumerate(result if several else (result,))
        ]
        return tuple(results) if several else results[0]

    return run


def _as_float32(value: Any) -> Any:
    if not _is_bfloat16(value.handle):
        return value
    return tl.core.tensor(_wide(value.handle), _with_element(value.type, tl.float32))


def _as_bfloat16(value: Any) -> Any:
    return tl.core.tensor(_narrow(value.handle), _with_element(value.type, tl.bfloat16))


def _with_element(kind: Any, element: Any) -> Any:
    return tl.block_type(element, list(kind.shape)) if kind.is_block() else element
