import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634


@triton.jit
def one_block(
    q,
    k_ptr,
    v_ptr,
    query,
    start,
    tokens,
    scale,
    largest,
    total,
    acc,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
    D: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    key = start + tl.arange(0, BLOCK_N)
    dim = tl.arange(0, D)
    there = key < tokens
    k_at = k_ptr + key[None, :] * D + dim[:, None]
    v_at = v_ptr + key[:, None] * D + dim[None, :]
    if MASKED:
        k = tl.load(k_at, mask=there[None, :], other=0.0)
        v = tl.load(v_at, mask=there[:, None], other=0.0)
    else:
        k = tl.load(k_at)
        v = tl.load(v_at)
    scores = tl.dot(q, k) * scale
    if MASKED:
        allowed = there[None, :]
        if CAUSAL:
            allowed = allowed & (key[None, :] <= query[:, None])
        scores = tl.where(allowed, scores, float("-inf"))
    new = tl.maximum(largest, tl.max(scores, axis=1))
    weight = tl.exp2(scores - new[:, None])
    old = tl.exp2(largest - new)
    total = total * old + tl.sum(weight, axis=1)
    acc = tl.dot(weight.to(tl.float16), v, acc * old[:, None])
    return new, total, acc


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    tokens,
    scale,
    CAUSAL: tl.constexpr,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    first = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_M
    head = tl.program_id(1).to(tl.int64) * tokens * D
    query = first + tl.arange(0, BLOCK_M)
    dim = tl.arange(0, D)
    exists = query[:, None] < tokens
    q = tl.load(q_ptr + head + query[:, None] * D + dim[None, :], mask=exists, other=0.0)
    largest = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    if CAUSAL:
        whole = first // BLOCK_N * BLOCK_N
        end = tl.minimum(tokens, first + BLOCK_M)
    else:
        whole = tokens // BLOCK_N * BLOCK_N
        end = tokens
    for start in range(0, whole, BLOCK_N):
        largest, total, acc = one_block(
            q,
            k_ptr + head,
            v_ptr + head,
            query,
            start,
            tokens,
            scale,
            largest,
            total,
            acc,
            MASKED=False,
            CAUSAL=CAUSAL,
            D=D,
            BLOCK_N=BLOCK_N,
        )
    for start in range(whole, end, BLOCK_N):
        largest, total, acc = one_block(
            q,
            k_ptr + head,
            v_ptr + head,
            query,
            start,
            tokens,
            scale,
            largest,
            total,
            acc,
            MASKED=True,
            CAUSAL=CAUSAL,
            D=D,
            BLOCK_N=BLOCK_N,
        )
    at = out_ptr + head + query[:, None] * D + dim[None, :]
    tl.store(at, (acc / total[:, None]).to(tl.float16), mask=exists)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    heads, tokens, dim = q.shape
    out = torch.empty_like(q)
    block_m, block_n = 128, 64
    attention_kernel[(triton.cdiv(tokens, block_m), heads)](
        q,
        k,
        v,
        out,
        tokens,
        dim**-0.5 * LOG2_E,
        CAUSAL=causal,
        D=dim,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        num_warps=8,
        num_stages=3,
    )
    return out
