"""The largest number of each row keeps its second axis, of length 1."""

import torch
import tvm
from tvm import te


def conv1d(channels: int, length: int, filters: int, width: int):
    """A convolution x[c, n], w[f, c, k] -> out[f, n - k + 1], as a PrimFunc."""
    x = te.placeholder((channels, length), name="x")
    w = te.placeholder((filters, channels, width), name="w")
    # What is summed over gets an axis of its own; the others are spatial.
    c = te.reduce_axis((0, channels), name="c")
    r = te.reduce_axis((0, width), name="r")
    out = te.compute(
        (filters, length - width + 1),
        lambda f, i: te.sum(x[c, i + r] * w[f, c, r], axis=[c, r]),
        name="out",
    )
    return te.create_prim_func([x, w, out])


def row_softmax(rows: int, columns: int):
    """The softmax of each row, x[i, j] -> out[i, j], as a PrimFunc."""
    x = te.placeholder((rows, columns), name="x")
    j = te.reduce_axis((0, columns), name="j")
    k = te.reduce_axis((0, columns), name="k")
    # A sum may stand only at the top of a compute, so each step is a tensor.
    top = te.compute((rows, 1), lambda i, z: te.max(x[i, j], axis=j), name="top")
    power = te.compute((rows, columns), lambda i, q: te.exp(x[i, q] - top[i, 0]), name="power")
    total = te.compute((rows,), lambda i: te.sum(power[i, k], axis=k), name="total")
    out = te.compute((rows, columns), lambda i, q: power[i, q] / total[i], name="out")
    return te.create_prim_func([x, out])


def run(function, inputs, shape) -> torch.Tensor:
    """Build a PrimFunc, run it on the CPU, return its result."""
    out = torch.empty(shape)
    tensors = [tensor.contiguous().clone() for tensor in inputs]
    built = tvm.compile(function, target="llvm")
    built(*map(tvm.runtime.from_dlpack, (*tensors, out)))
    return out


def te_to_tir(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The softmax of a convolution, row by row. Leave this as it is."""
    (channels, length), (filters, _, width) = x.shape, w.shape
    places = length - width + 1
    scores = run(conv1d(channels, length, filters, width), (x, w), (filters, places))
    return run(row_softmax(filters, places), (scores,), (filters, places))
