import torch
import triton
import triton.language as tl


@triton.jit
def top_kernel(x_ptr, out_ptr, n, B: tl.constexpr):
    row, lanes = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + row * n + lanes, mask=lanes < n, other=float("-inf"))
    value, index = tl.max(x, axis=0, return_indices=True)
    tl.store(out_ptr + 2 * row, value)
    tl.store(out_ptr + 2 * row + 1, index.to(tl.float32))


def top(x):
    m, n = x.shape
    out = torch.empty(m, 2, device=x.device)
    top_kernel[(m,)](x, out, n, triton.next_power_of_2(n))
    return out
