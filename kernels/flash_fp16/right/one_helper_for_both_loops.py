import torch
import triton
import triton.language as tl


@triton.jit
def one_block(
    q, k_ptr, v_ptr, start, query, tokens, scale, m, total, acc,
    MASKED: tl.constexpr, CAUSAL: tl.constexpr, D: tl.constexpr, N: tl.constexpr,
):
    key = start + tl.arange(0, N)
    dim = tl.arange(0, D)
    k_at = k_ptr + key[None, :] * D + dim[:, None]
    v_at = v_ptr + key[:, None] * D + dim[None, :]
    if MASKED:
        k = tl.load(k_at, mask=key[None, :] < tokens, other=0.0)
        v = tl.load(v_at, mask=key[:, None] < tokens, other=0.0)
    else:
        k = tl.load(k_at)
        v = tl.load(v_at)
    s = tl.dot(q, k) * scale
    if MASKED:
        seen = key[None, :] < tokens
        if CAUSAL:
            seen &= key[None, :] <= query[:, None]
        s = tl.where(seen, s, float("-inf"))
    m_new = tl.maximum(m, tl.max(s, axis=1))
    p = tl.exp2(s - m_new[:, None])
    alpha = tl.exp2(m - m_new)
    total = total * alpha + tl.sum(p, axis=1)
    acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
    return m_new, total, acc


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, tokens, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64) * tokens * D
    first = tl.program_id(0) * M
    query = first + tl.arange(0, M)
    dim = tl.arange(0, D)
    here = query[:, None] * D + dim[None, :]
    inside = query[:, None] < tokens
    q = tl.load(q_ptr + head + here, mask=inside, other=0.0)
    m = tl.full([M], float("-inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    if CAUSAL:
        whole = first // N * N
        end = tl.minimum(tokens, first + M)
    else:
        whole = tokens // N * N
        end = tokens
    for start in range(0, whole, N):
        m, total, acc = one_block(
            q, k_ptr + head, v_ptr + head, start, query, tokens, scale, m, total, acc,
            False, CAUSAL, D, N,
        )
    for start in range(whole, end, N):
        m, total, acc = one_block(
            q, k_ptr + head, v_ptr + head, start, query, tokens, scale, m, total, acc,
            True, CAUSAL, D, N,
        )
    tl.store(o_ptr + head + here, (acc / total[:, None]).to(tl.float16), mask=inside)


def attention(q, k, v, causal):
    heads, tokens, dim = q.shape
    o = torch.empty((heads, tokens, dim), dtype=torch.float16, device=q.device)
    M, N = 64, 32
    flash_kernel[(triton.cdiv(tokens, M), heads)](
        q, k, v, o, tokens, dim**-0.5 * 1.4426950408889634, CAUSAL=causal, D=dim, M=M, N=N, num_warps=4
    )
    return o
