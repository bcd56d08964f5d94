import torch
import triton
import triton.language as tl

B = 16


@triton.jit
def double_kernel(x_ptr, out_ptr, m, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [B, B])
    target = tl.make_tensor_descriptor(out_ptr, [m, n], [n, 1], [B, B])
    row, column = tl.program_id(0) * B, tl.program_id(1) * B
    target.store([row, column], 2 * source.load([row, column]))


def double(x):
    m, n = x.shape
    out = torch.empty_like(x)
    double_kernel[(triton.cdiv(m, B), triton.cdiv(n, B))](x, out, m, n, B)
    return out
