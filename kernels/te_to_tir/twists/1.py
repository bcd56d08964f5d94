"""Sums by a reducer of its own, and one function for both reductions of the softmax."""

import torch
import tvm
from tvm import te

add = te.comm_reducer(lambda a, b: a + b, lambda kind: tvm.tirx.const(0, dtype=kind), name="add")


def conv1d(channels: int, length: int, filters: int, width: int):
    x = te.placeholder((channels, length), name="x")
    w = te.placeholder((filters, channels, width), name="w")
    r = te.reduce_axis((0, width), name="r")
    c = te.reduce_axis((0, channels), name="c")
    shape = (filters, length - width + 1)
    out = te.compute(shape, lambda f, i: add(x[c, i + r] * w[f, c, r], axis=[r, c]), name="out")
    return te.create_prim_func([x, w, out])


def row_softmax(rows: int, columns: int):
    x = te.placeholder((rows, columns), name="x")

    def reduced(how, tensor, name):
        k = te.reduce_axis((0, columns), name="k")
        return te.compute((rows,), lambda i: how(tensor[i, k], axis=k), name=name)

    top = reduced(te.max, x, "top")
    power = te.compute((rows, columns), lambda i, j: te.exp(x[i, j] - top[i]), name="power")
    total = reduced(add, power, "total")
    out = te.compute((rows, columns), lambda i, j: power[i, j] / total[i], name="out")
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
