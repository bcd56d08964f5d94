# expect: unstable-numerics
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale_log2,
    q_head, q_token, q_dim, k_head, k_token, k_dim, v_head, v_token, v_dim,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    head = tl.program_id(1)
    first = tl.program_id(0) * BLOCK_M
    query = first + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    q = tl.load(
        q_ptr + head * q_head + query[:, None] * q_token + dims[None, :] * q_dim,
        mask=query[:, None] < tokens, other=0.0,
    )

    row_max = tl.zeros([BLOCK_M], dtype=tl.float32)
    row_sum = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)

    stop = tokens
    if CAUSAL:
        stop = tl.minimum(tokens, first + BLOCK_M)
    for start in range(0, stop, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        kt = tl.load(
            k_ptr + head * k_head + key[None, :] * k_token + dims[:, None] * k_dim,
            mask=key[None, :] < tokens, other=0.0,
        )
        # scores in units of log2, so that exp2 can be used
        scores = tl.dot(q, kt, input_precision="ieee") * scale_log2
        keep = key[None, :] < tokens
        if CAUSAL:
            keep = keep & (query[:, None] >= key[None, :])
        scores = tl.where(keep, scores, float("-inf"))

        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        p = tl.exp2(scores - new_max[:, None])
        correction = tl.exp2(row_max - new_max)
        row_sum = row_sum * correction + tl.sum(p, axis=1)
        vals = tl.load(
            v_ptr + head * v_head + key[:, None] * v_token + dims[None, :] * v_dim,
            mask=key[:, None] < tokens, other=0.0,
        )
        acc = tl.dot(p, vals, acc * correction[:, None], input_precision="ieee")
        row_max = new_max

    tl.store(
        out_ptr + head * tokens * D + query[:, None] * D + dims[None, :],
        acc / row_sum[:, None], mask=query[:, None] < tokens,
    )


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    heads, tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    scale_log2 = dim**-0.5 * 1.4426950408889634
    attention_kernel[(triton.cdiv(tokens, 32), heads)](
        q, k, v, out, tokens, scale_log2, *q.stride(), *k.stride(), *v.stride(),
        CAUSAL=causal, D=dim, BLOCK_M=32, BLOCK_N=32,
    )
    return out
