"""`tl.reduce` and `tl.associative_scan` with any combine function, on whole arrays.

The interpreter of Triton 3.6 and 3.7 calls a combine function that it does not know once for each
element: a millisecond each. Here it is called on halves of the array, log2(n) times, with the operands
in the order of their elements, as the compiler may group them too.

Private names of Triton: `ReduceOps.generic_reduce`, `ScanOps.generic_scan`, and of both `unravel`,
`axis`, `keep_dims`, `combine_fn` and `to_tensor`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import triton.language as tl
import triton.runtime.interpreter as private

Arrays = list[np.ndarray]
Combine = Callable[[Arrays, Arrays], Arrays]


def patch_combine_functions() -> None:
    """Replace the interpreter's loops over elements. Call once before a kernel runs."""
    private.ReduceOps.generic_reduce = _generic_reduce
    private.ScanOps.generic_scan = _generic_scan


def reduce_arrays(arrays: Arrays, combine: Combine) -> Arrays:
    """Combine all elements along the last axis, which keeps the length 1."""
    while (length := arrays[0].shape[-1]) > 1:
        pairs = length // 2 * 2
        rest = [array[..., pairs:] for array in arrays]
        arrays = combine([a[..., 0:pairs:2] for a in arrays], [a[..., 1:pairs:2] for a in arrays])
        if length > pairs:
            arrays = [np.concatenate(both, axis=-1) for both in zip(arrays, rest, strict=True)]
    return arrays


def scan_arrays(arrays: Arrays, combine: Combine) -> Arrays:
    """Combine each element along the last axis with all before it (Hillis and Steele 1986).

    The function always gets the whole axis, whose length a tile may have. What it makes of the first
    elements, which have none before them, is left out.
    """
    distance = 1
    while distance < arrays[0].shape[-1]:
        before = [np.roll(array, distance, axis=-1) for array in arrays]
        combined = combine(before, arrays)
        arrays = [
            np.concatenate((first[..., :distance], all_[..., distance:]), axis=-1)
            for first, all_ in zip(arrays, combined, strict=True)
        ]
        distance *= 2
    return arrays


def _generic_reduce(self: Any, inputs: tuple[Any, ...]) -> list[Any]:
    flat, axis = self.unravel(inputs, self.axis)
    arrays = [np.moveaxis(tensor.handle.data, axis, -1) for tensor in flat]
    reduced = reduce_arrays(arrays, _combine(self, flat))
    if not self.keep_dims:
        reduced = [array[..., 0] for array in reduced]
    elif self.axis is None:
        reduced = [array.reshape([1] * len(inputs[0].shape)) for array in reduced]
    else:
        reduced = [np.moveaxis(array, -1, axis) for array in reduced]
    return [self.to_tensor(_value(f), i.dtype) for f, i in zip(reduced, flat, strict=True)]


def _generic_scan(self: Any, inputs: Sequence[Any]) -> list[Any]:
    arrays = [np.moveaxis(tensor.handle.data, self.axis, -1) for tensor in inputs]
    scanned = scan_arrays(arrays, _combine(self, inputs))
    moved = [np.moveaxis(array, -1, self.axis) for array in scanned]
    return [self.to_tensor(m, i.dtype) for m, i in zip(moved, inputs, strict=True)]


def _value(array: np.ndarray) -> Any:
    return array if array.shape else array.item()


def _combine(operation: Any, inputs: Sequence[Any]) -> Combine:
    """Return the learner's combine function as one of arrays with the types of `inputs`."""
    types = [tensor.dtype for tensor in inputs]

    def combine(left: Arrays, right: Arrays) -> Arrays:
        tiles = [
            operation.to_tensor(np.ascontiguousarray(value), dtype)
            for side in (left, right)
            for value, dtype in zip(side, types, strict=True)
        ]
        result = operation.combine_fn.fn(*tiles)
        parts = result if isinstance(result, tuple | tl.tuple) else (result,)
        return [_as_array(part, like) for part, like in zip(parts, left, strict=True)]

    return combine


def _as_array(part: Any, like: np.ndarray) -> np.ndarray:
    """Return what a combine function gave, perhaps a number, with the shape and type of `like`."""
    data = part.handle.data if isinstance(part, tl.tensor) else np.asarray(part)
    return np.broadcast_to(data, like.shape).astype(like.dtype)
