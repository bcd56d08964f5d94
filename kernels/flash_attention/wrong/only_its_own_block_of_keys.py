# expect: wrong-values
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    q_head, q_token, q_dim, k_head, k_token, k_dim, v_head, v_token, v_dim,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(1)
    query = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dim = tl.arange(0, D)
    q = tl.load(
        q_ptr + head * q_head + query[:, None] * q_token + dim[None, :] * q_dim,
        mask=query[:, None] < tokens, other=0.0,
    )
    m = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK, D], tl.float32)
    for key_block in range(1):
        key = query
        k = tl.load(
            k_ptr + head * k_head + key[None, :] * k_token + dim[:, None] * k_dim,
            mask=key[None, :] < tokens, other=0.0,
        )
        v = tl.load(
            v_ptr + head * v_head + key[:, None] * v_token + dim[None, :] * v_dim,
            mask=key[:, None] < tokens, other=0.0,
        )
        s = tl.dot(q, k, input_precision="ieee") * scale
        s = tl.where(key[None, :] < tokens, s, float("-inf"))
        if CAUSAL:
            s = tl.where(key[None, :] <= query[:, None], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        old = tl.exp(m - new)
        total = total * old + tl.sum(p, axis=1)
        acc = acc * old[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    at = out_ptr + (head * tokens + query[:, None]) * D + dim[None, :]
    tl.store(at, acc / total[:, None], mask=query[:, None] < tokens)


def attention(q, k, v, causal):
    heads, tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    attention_kernel[(triton.cdiv(tokens, 32), heads)](
        q, k, v, out, tokens, dim**-0.5, *q.stride(), *k.stride(), *v.stride(),
        CAUSAL=causal, D=dim, BLOCK=32,
    )
    return out
