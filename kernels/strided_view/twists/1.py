import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, columns, sr, sc, out_sr, out_sc, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * sr + column * sc, mask=mask)
    tl.store(out_ptr + row * out_sr + column * out_sc, 2 * x, mask=mask)


def double(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    double_kernel[(rows,)](x, out, columns, *x.stride(), *out.stride(), BLOCK=block)
    return out
