import torch
import triton
import triton.language as tl

BLOCK = 64  # queries of one program, and keys of one step


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, queries, keys, BLOCK: tl.constexpr
):  # fmt: skip
    # Write the kernel: a block of queries, a loop over
    # blocks of keys. Three blocks are carried: the
    # maximum so far, the sum so far, and the weighted
    # sum of v so far.
    pass


def attention(q, k, v):
    """[queries], [keys], [keys] -> [queries]: the softmax of q[i] * k[j] over j, times v[j]."""
    out = torch.empty_like(q)
    grid = (triton.cdiv(q.numel(), BLOCK),)
    attention_kernel[grid](q, k, v, out, q.numel(), k.numel(), BLOCK=BLOCK)
    return out
