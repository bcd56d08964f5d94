# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(
    q_ptr, k_ptr, s_ptr, tokens, scale, qh, qt, qd, kh, kt, kd,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(2)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    dim = tl.arange(0, D)
    at_q = q_ptr + head * qh + i[:, None] * qt + dim[None, :] * qd
    at_k = k_ptr + head * kh + j[None, :] * kt + dim[:, None] * kd
    q = tl.load(at_q, mask=i[:, None] < tokens, other=0.0)
    k = tl.load(at_k, mask=j[None, :] < tokens, other=0.0)
    s = tl.dot(q, k, input_precision="ieee") * scale
    if CAUSAL:
        s = tl.where(j[None, :] <= i[:, None], s, float("-inf"))
    inside = (i[:, None] < tokens) & (j[None, :] < tokens)
    tl.store(s_ptr + head * tokens * tokens + i[:, None] * tokens + j[None, :], s, mask=inside)


@triton.jit
def values_kernel(
    s_ptr, v_ptr, out_ptr, tokens, vh, vt, vd, D: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    head = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dim = tl.arange(0, D)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        j = start + tl.arange(0, BLOCK)
        inside = (i[:, None] < tokens) & (j[None, :] < tokens)
        at = s_ptr + head * tokens * tokens + i[:, None] * tokens + j[None, :]
        s = tl.load(at, mask=inside, other=float("-inf"))
        at_v = v_ptr + head * vh + j[:, None] * vt + dim[None, :] * vd
        v = tl.load(at_v, mask=j[:, None] < tokens, other=0.0)
        new = tl.maximum(tl.maximum(largest, tl.max(s, axis=1)), -1e30)
        weight = tl.exp(s - new[:, None])
        old = tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        acc = tl.dot(weight, v, acc * old[:, None], input_precision="ieee")
        largest = new
    at = out_ptr + (head * tokens + i[:, None]) * D + dim[None, :]
    tl.store(at, acc / total[:, None], mask=i[:, None] < tokens)


def attention(q, k, v, causal):
    heads, tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    scores = torch.empty((heads, tokens, tokens), dtype=q.dtype, device=q.device)
    blocks = triton.cdiv(tokens, 32)
    scores_kernel[(blocks, blocks, heads)](
        q, k, scores, tokens, dim**-0.5, *q.stride(), *k.stride(), CAUSAL=causal, D=dim, BLOCK=32
    )
    values_kernel[(blocks, heads)](scores, v, out, tokens, *v.stride(), D=dim, BLOCK=32)
    return out
