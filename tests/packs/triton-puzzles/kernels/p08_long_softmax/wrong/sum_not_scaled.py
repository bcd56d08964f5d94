# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 128


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    largest = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + j, mask=j < columns, other=-float("inf"))
        high = tl.maximum(largest, tl.max(x, axis=0))
        total = total + tl.sum(tl.exp(x - high), axis=0)
        largest = high
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + j, mask=j < columns)
        tl.store(out_ptr + row + j, tl.exp(x - largest) / total, mask=j < columns)


def long_softmax(x: torch.Tensor) -> torch.Tensor:
    """The softmax of each row."""
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=BLOCK)
    return out
