import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def keys_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, logsum_ptr, grad_ptr, dk_ptr, dv_ptr, tokens, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # Write the kernel: a block of keys of one head,
    # all queries in turn.
    pass


@triton.jit
def queries_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, logsum_ptr, grad_ptr, dq_ptr, tokens, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # Write the kernel: a block of queries of one head,
    # all keys in turn.
    pass


def attention_backward(q, k, v, out, logsum, grad):
    """dQ, dK and dV as [3, heads, tokens, head_dim], float32. No tile of scores is stored."""
    heads, tokens, dim = q.shape
    d = torch.empty((3, heads, tokens, dim), dtype=q.dtype, device=q.device)
    grid, scale = (heads, triton.cdiv(tokens, BLOCK)), dim**-0.5
    given = q, k, v, out, logsum, grad
    keys_kernel[grid](*given, d[1], d[2], tokens, scale, D=dim, BLOCK=BLOCK)
    queries_kernel[grid](*given, d[0], tokens, scale, D=dim, BLOCK=BLOCK)
    return d
