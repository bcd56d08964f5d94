# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def terms_kernel(x_ptr, most_ptr, sum_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    at = x_ptr + row * rs + column * cs
    x = tl.load(at, mask=column < columns, other=float("-inf"))
    most = tl.max(x, axis=0)
    tl.store(most_ptr + row, most)
    tl.store(sum_ptr + row, tl.sum(tl.exp(x - most), axis=0))


@triton.jit
def divide_kernel(x_ptr, most_ptr, sum_ptr, out_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * rs + column * cs, mask=mask)
    y = tl.exp(x - tl.load(most_ptr + row)) / tl.load(sum_ptr + row)
    tl.store(out_ptr + row * columns + column, y, mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    most, total = torch.empty(2, rows, device=x.device)
    block = triton.next_power_of_2(columns)
    terms_kernel[(rows,)](x, most, total, columns, *x.stride(), BLOCK=block)
    divide_kernel[(rows,)](x, most, total, out, columns, *x.stride(), BLOCK=block)
    return out
