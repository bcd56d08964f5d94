import torch
import tvm
from tvm import te


def conv1d(channels: int, length: int, filters: int, width: int):
    """A convolution x[c, n], w[f, c, k] -> out[f, n - k + 1], as a PrimFunc."""
    x = te.placeholder((channels, length), name="x")
    w = te.placeholder((filters, channels, width), name="w")
    # This multiplies two elements. Sum over channels
    # and width.
    out = te.compute(
        (filters, length - width + 1),
        lambda f, i: x[0, i] * w[f, 0, 0],
        name="out",
    )
    return te.create_prim_func([x, w, out])


def row_softmax(rows: int, columns: int):
    """The softmax of each row, x[i, j] -> out[i, j], as a PrimFunc."""
    x = te.placeholder((rows, columns), name="x")
    # Each row's largest number comes first. Which
    # steps follow?
    out = te.compute((rows, columns), lambda i, q: x[i, q], name="out")
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
