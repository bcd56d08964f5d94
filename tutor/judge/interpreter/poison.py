"""Values for the masked lanes of a load, on which a right program does not depend."""

from typing import Any

import numpy as np

from tutor.judge.interpreter.arithmetic import float8


def fill_masked_lanes(result: Any, pointers: Any, off: np.ndarray, value: str | float) -> None:
    """Write `value` ("huge", "-huge", "nan" or a number) into the lanes `off` of a loaded tile."""
    kind = pointers.dtype
    element = kind.scalar.element_ty if hasattr(kind, "scalar") else None
    data = np.array(result.data)
    data[off] = encode_element(value, data.dtype, str(element))
    result.data = data


def encode_element(value: str | float, dtype: np.dtype, element: str) -> Any:
    """Return `value` as an element of an interpreter's array.

    The interpreter keeps bfloat16 as its upper 16 bits in uint16. "nan" has the two highest bits of its
    fraction set. Results computed from it have them too (IEEE 754-2019, 6.2.3), which tells them from
    the NaN that memory is filled with before a kernel runs: that one has one bit set
    (`patterns.untouched`).
    """
    if isinstance(value, str):
        largest = float(np.finfo(np.float32).max)
        numbers = {"huge": largest, "-huge": -largest, "nan": float("nan")}
        value = numbers[value]
    if element == "bf16":
        return (encode_element(value, np.dtype(np.float32), "fp32").view(np.uint32) >> 16).astype(
            np.uint16
        )
    if (bits := float8.encode_float8(value, element)) is not None:
        return bits
    if dtype.kind == "f":
        if value != value:
            all_ones = (1 << (8 * dtype.itemsize - 1)) - 1
            below = (1 << (np.finfo(dtype).nmant - 2)) - 1
            return np.array(all_ones & ~below, f"u{dtype.itemsize}").view(dtype)[()]
        with np.errstate(over="ignore"):
            return dtype.type(value)
    if dtype.kind == "b":
        return True
    info = np.iinfo(dtype)
    if value != value:
        return info.max
    return dtype.type(min(max(value, info.min), info.max))
