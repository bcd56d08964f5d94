"""One reciprocal a row, reduction axes in another order, and names of its own."""

import torch
import tvm
from tvm import te


def conv1d(channels: int, length: int, filters: int, width: int):
    x = te.placeholder((channels, length), name="signal")
    w = te.placeholder((filters, channels, width), name="filters")
    over = te.reduce_axis((0, width), name="over"), te.reduce_axis((0, channels), name="channel")

    def element(f, i):
        r, c = over
        return te.sum(w[f, c, r] * x[c, i + r], axis=over)

    return te.create_prim_func(
        [x, w, te.compute((filters, length - width + 1), element, name="out")]
    )


def row_softmax(rows: int, columns: int):
    x = te.placeholder((rows, columns), name="x")
    j = te.reduce_axis((0, columns), name="j")
    largest = te.compute((rows,), lambda i: te.max(x[i, j], axis=j))
    shifted = te.compute(x.shape, lambda i, q: te.exp(x[i, q] - largest[i]))
    total = te.compute((rows,), lambda i: te.sum(shifted[i, j], axis=j))
    inverse = te.compute((rows,), lambda i: 1.0 / total[i])
    out = te.compute(x.shape, lambda i, q: shifted[i, q] * inverse[i], name="out")
    return te.create_prim_func([x, out])


def run(function, inputs, shape) -> torch.Tensor:
    """Build a PrimFunc, run it on the CPU, return its result."""
    out = torch.empty(shape)
    tensors = [tensor.contiguous().clone() for tensor in inputs]
    built = tvm.compile(function, target="llvm")
    built(*map(tvm.runtime.from_dlpack, (*tensors, out)))
    return out


def te_to_tir(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    (channels, length), (filters, _, width) = x.shape, w.shape
    places = length - width + 1
    scores = run(conv1d(channels, length, filters, width), (x, w), (filters, places))
    return run(row_softmax(filters, places), (scores,), (filters, places))
