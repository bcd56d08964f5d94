import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    # Write the kernel: a loop without masks over the
    # blocks of keys that every query sees, then a loop
    # with masks over the rest.
    pass


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """softmax(q @ k.T * head_dim**-0.5) @ v for each head: [heads, tokens, head_dim], float16."""
    heads, tokens, dim = q.shape
    out = torch.empty_like(q)
    block_m, block_n = 128, 64
    attention_kernel[(triton.cdiv(tokens, block_m), heads)](
        q, k, v, out, tokens, dim**-0.5 * LOG2_E,
        CAUSAL=causal, D=dim, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=8, num_stages=3,
    )  # fmt: skip
    return out
