"""bfloat16 in Triton's interpreter, computed as what it is.

The interpreter keeps a bfloat16 as its upper 16 bits in an integer, for NumPy has no such type, and
then calculates with these integers (triton-lang/triton issues 4972, 11584; 3.6.0 and 3.7.1: `x + y`
gives NaN, `tl.dot` is off by 5e10). Here each operation gets the operands in float32 and its result
is rounded to the nearest bfloat16, as a GPU does it.

Private names of Triton: `InterpreterBuilder`'s operations, `TensorHandle`, `ReduceScanOpInterface`.

Atomic additions to bfloat16, which a GPU can do, are refused in words of their own: what carries them
out is compiled, and knows the 16 bits as an integer only.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import triton.language as tl
import triton.runtime.interpreter as private

_COMPARED = tuple(
    f"fcmp{ordered}{how}" for ordered in "OU" for how in ("LT", "GT", "LE", "GE", "EQ", "NE")
)
_ONE_BY_ONE = (
    "fadd", "fmul", "fdiv", "frem", "fsub", "precise_divf", "minimumf", "minnumf", "maximumf",
    "maxnumf", "clampf", "fma", "fabs", "cos", "exp", "exp2", "floor", "ceil", "log", "log2",
    "precise_sqrt", "sqrt", "sin", "erf", "rsqrt", "dot", *_COMPARED,
)  # fmt: skip
_CASTS = (
    "si_to_fp", "ui_to_fp", "fp_to_si", "fp_to_ui", "fp_ext", "fp_trunc", "fp_to_fp",
)  # fmt: skip


def mend() -> None:
    """To be called once, before a kernel runs. Other types are calculated as before."""
    builder = private.InterpreterBuilder
    for name in _ONE_BY_ONE:
        setattr(builder, f"create_{name}", _mended(getattr(builder, f"create_{name}")))
    for name in _CASTS:
        setattr(builder, f"create_{name}", _mended_cast(getattr(builder, f"create_{name}")))
    builder.get_bf16 = lambda self, value: _narrow(self.get_fp32(value))
    builder.create_atomic_rmw = _refused_for_bfloat16(builder.create_atomic_rmw)
    for kind in (private.ReduceOps, private.ScanOps):
        kind.apply_impl = _mended_reduction(kind.apply_impl)


def rounded(values: np.ndarray) -> np.ndarray:
    """float32 to the bits of the nearest bfloat16 (ties to even), in uint16. A NaN stays that NaN, as
    far as it has room."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> 16) & 1
    up = ((bits + np.uint32(0x7FFF) + odd) >> 16).astype(np.uint16)
    nan = (bits >> 16).astype(np.uint16) | np.uint16(0x0040)
    return np.asarray(np.where(np.isnan(values), nan, up), np.uint16)


def widened(bits: np.ndarray) -> np.ndarray:
    """The bits of bfloat16 numbers, in uint16, to float32; exact."""
    found: np.ndarray = (bits.astype(np.uint32) << 16).view(np.float32)
    return found


def _is(handle: Any) -> bool:
    return isinstance(handle, private.TensorHandle) and handle.dtype.scalar == tl.bfloat16


def _wide(handle: Any) -> Any:
    if not _is(handle):
        return handle
    return private.TensorHandle(widened(np.asarray(handle.data)), tl.float32)


def _narrow(handle: Any) -> Any:
    if np.asarray(handle.data).dtype != np.float32:
        return handle  # truths
    return private.TensorHandle(rounded(handle.data), tl.bfloat16)


def _mended(operation: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **named: Any) -> Any:
        if not any(_is(each) for each in (*args, *named.values())):
            return operation(self, *args, **named)
        # A dot product has the type of what it adds to, anything else that of its operands.
        tensors = [each for each in args if isinstance(each, private.TensorHandle)]
        narrow = _is(tensors[-1])
        result = operation(
            self, *map(_wide, args), **{name: _wide(each) for name, each in named.items()}
        )
        return _narrow(result) if narrow else result

    return run


def _mended_cast(cast: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, source: Any, to: Any, *rest: Any) -> Any:
        wide = _wide(source)
        if to.scalar != tl.bfloat16:
            if wide is not source and to.scalar == tl.float32:
                return wide
            return cast(self, wide, to, *rest)
        return private.TensorHandle(rounded(np.asarray(wide.data).astype(np.float32)), to.scalar)

    return run


def _refused_for_bfloat16(atomic: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(atomic)
    def run(self: Any, operation: Any, pointer: Any, value: Any, *rest: Any) -> Any:
        if _is(value):
            raise NotImplementedError("atomics on bfloat16 not supported in interpreter mode")
        return atomic(self, operation, pointer, value, *rest)

    return run


def _mended_reduction(apply: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, inputs: tuple[Any, ...]) -> Any:
        was = [_is(each.handle) for each in inputs]
        if not any(was):
            return apply(self, inputs)
        found = apply(self, tuple(map(_as_float32, inputs)))
        several = isinstance(found, list | tuple)
        results = [
            _as_bfloat16(each) if i < len(was) and was[i] else each
            for i, each in enumerate(found if several else (found,))
        ]
        return tuple(results) if several else results[0]

    return run


def _as_float32(value: Any) -> Any:
    if not _is(value.handle):
        return value
    return tl.core.tensor(_wide(value.handle), _with_element(value.type, tl.float32))


def _as_bfloat16(value: Any) -> Any:
    return tl.core.tensor(_narrow(value.handle), _with_element(value.type, tl.bfloat16))


def _with_element(kind: Any, element: Any) -> Any:
    return tl.block_type(element, list(kind.shape)) if kind.is_block() else element
