import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    tokens,
    scale,
    q_head,
    q_token,
    q_dim,
    k_head,
    k_token,
    k_dim,
    v_head,
    v_token,
    v_dim,
    CAUSAL: tl.constexpr,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    head = tl.program_id(0).to(tl.int64)
    first = (tl.num_programs(1) - 1 - tl.program_id(1)) * BLOCK_M
    query = (first + tl.arange(0, BLOCK_M)).to(tl.int64)
    dim = tl.arange(0, D)
    exists = query[:, None] < tokens
    q = tl.load(
        q_ptr + head * q_head + query[:, None] * q_token + dim[None, :] * q_dim,
        mask=exists,
        other=0.0,
    )
    largest = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    end = tokens
    if CAUSAL:
        end = tl.minimum(tokens, first + BLOCK_M)
    for start in range(0, end, BLOCK_N):
        key = (start + tl.arange(0, BLOCK_N)).to(tl.int64)
        there = key < tokens
        k = tl.load(
            k_ptr + head * k_head + key[None, :] * k_token + dim[:, None] * k_dim,
            mask=there[None, :],
            other=0.0,
        )
        scores = tl.dot(q, k, input_precision="ieee") * scale
        allowed = there[None, :]
        if CAUSAL:
            allowed = allowed & (key[None, :] <= query[:, None])
        scores = tl.where(allowed, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight = tl.exp2(scores - new[:, None])
        old = tl.exp2(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        v = tl.load(
            v_ptr + head * v_head + key[:, None] * v_token + dim[None, :] * v_dim,
            mask=there[:, None],
            other=0.0,
        )
        acc = tl.dot(weight, v, acc * old[:, None], input_precision="ieee")
        largest = new
    at = out_ptr + (head * tokens + query[:, None]) * D + dim[None, :]
    tl.store(at, acc / total[:, None], mask=exists)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    heads, tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    block_m, block_n = 32, 32
    attention_kernel[(heads, triton.cdiv(tokens, block_m))](
        q,
        k,
        v,
        out,
        tokens,
        dim**-0.5 * 1.4426950408889634,
        *q.stride(),
        *k.stride(),
        *v.stride(),
        CAUSAL=causal,
        D=dim,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
    )
    return out
