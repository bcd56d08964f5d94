import torch
import triton
import triton.language as tl

QUERIES, KEYS = 32, 64


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    # Write the kernel.
    pass


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The mean of v, weighted by softmax(q[i] * k), for each i."""
    out = torch.empty_like(q)
    n = q.numel()
    grid = (triton.cdiv(n, QUERIES),)
    attention_kernel[grid](q, k, v, out, n, QUERIES=QUERIES, KEYS=KEYS)
    return out
