import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, columns, xr, xc, outr, outc, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK).to(tl.int64)
    mask = column < columns
    x = tl.load(x_ptr + row * xr + column * xc, mask=mask)
    tl.store(out_ptr + row * outr + column * outc, x + x, mask=mask)


def double(x):
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device).T
    block = triton.next_power_of_2(columns)
    kernel[(rows,)](x, out, columns, *x.stride(), *out.stride(), BLOCK=block)
    return out
