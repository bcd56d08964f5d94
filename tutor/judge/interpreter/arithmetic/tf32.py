"""Rounding of the operands of `tl.dot` to TF32 in Triton's interpreter, as on a GPU.

Without `input_precision="ieee"` (or "tf32x3") the compiler lets tensor cores multiply float32 as TF32,
which has 10 bits of fraction (NVIDIA A100 whitepaper, "TF32"; the default in
triton/runtime/interpreter.py and backends/nvidia/compiler.py, 3.6.0 and 3.7.1, from sm_80 on). The
interpreter multiplies in full precision, so that a kernel too inexact for its task would be right. Here
the operands are rounded to the nearest TF32: no GPU is more exact.

Private names of Triton: `InterpreterBuilder.create_dot`, `ir.INPUT_PRECISION`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import triton.language as tl
import triton.runtime.interpreter as private
from triton._C.libtriton import ir

_DROPPED_BITS = 13  # of float32's 23 bits of fraction


def patch_tf32() -> None:
    """Patch the interpreter's `create_dot`. Call once before a kernel runs."""
    private.InterpreterBuilder.create_dot = _patch_dot(private.InterpreterBuilder.create_dot)


def round_to_tf32(values: np.ndarray) -> np.ndarray:
    """Round float32 to the nearest TF32 (ties to even), in float32. Keep NaN and infinities."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> _DROPPED_BITS) & 1
    half = np.uint32((1 << _DROPPED_BITS - 1) - 1)
    near = (bits + half + odd) >> _DROPPED_BITS << _DROPPED_BITS
    rounded: np.ndarray = np.where(np.isfinite(values), near.view(np.float32), values)
    return rounded


def _patch_dot(dot: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(dot)
    def with_tf32(self: Any, a: Any, b: Any, d: Any, input_precision: Any, *rest: Any) -> Any:
        if input_precision == ir.INPUT_PRECISION.TF32 and a.dtype == b.dtype == tl.float32:
            a, b = (
                private.TensorHandle(round_to_tf32(handle.data), tl.float32) for handle in (a, b)
            )
        elif a.dtype == b.dtype == tl.float16 and d.dtype == tl.float32:
            # The same numbers: NumPy multiplies float16 one by one, and float32 by BLAS.
            a, b = (
                private.TensorHandle(handle.data.astype(np.float32), tl.float32)
                for handle in (a, b)
            )
        return dot(self, a, b, d, input_precision, *rest)

    return with_tf32
