# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale, qh, qt, qd, kh, kt, kd, vh, vt, vd,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dim = tl.arange(0, D)
    at_q = q_ptr + head * qh + i[:, None] * qt + dim[None, :] * qd
    q = tl.load(at_q, mask=i[:, None] < tokens, other=0.0)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, tokens, BLOCK):
        j = start + tl.arange(0, BLOCK)
        at_k = k_ptr + head * kh + j[None, :] * kt + dim[:, None] * kd
        k = tl.load(at_k, mask=j[None, :] < tokens, other=0.0)
        allowed = j[None, :] < tokens
        if CAUSAL:
            allowed = allowed & (j[None, :] <= i[:, None])
        s = tl.where(allowed, tl.dot(q, k, input_precision="ieee") * scale, float("-inf"))
        largest = tl.maximum(largest, tl.max(s, axis=1))
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        j = start + tl.arange(0, BLOCK)
        at_k = k_ptr + head * kh + j[None, :] * kt + dim[:, None] * kd
        k = tl.load(at_k, mask=j[None, :] < tokens, other=0.0)
        at_v = v_ptr + head * vh + j[:, None] * vt + dim[None, :] * vd
        v = tl.load(at_v, mask=j[:, None] < tokens, other=0.0)
        allowed = j[None, :] < tokens
        if CAUSAL:
            allowed = allowed & (j[None, :] <= i[:, None])
        s = tl.where(allowed, tl.dot(q, k, input_precision="ieee") * scale, float("-inf"))
        weight = tl.exp(s - largest[:, None])
        total += tl.sum(weight, axis=1)
        acc = tl.dot(weight, v, acc, input_precision="ieee")
    at = out_ptr + (head * tokens + i[:, None]) * D + dim[None, :]
    tl.store(at, acc / total[:, None], mask=i[:, None] < tokens)


def attention(q, k, v, causal):
    heads, tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    attention_kernel[(triton.cdiv(tokens, 32), heads)](
        q, k, v, out, tokens, dim**-0.5, *q.stride(), *k.stride(), *v.stride(),
        CAUSAL=causal, D=dim, BLOCK=32,
    )  # fmt: skip
    return out
