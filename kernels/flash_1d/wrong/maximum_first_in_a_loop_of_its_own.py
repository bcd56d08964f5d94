# expect: too-much-traffic
import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, queries, keys, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    q = tl.load(q_ptr + i, mask=i < queries, other=0.0)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, keys, BLOCK):
        j = start + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + j, mask=j < keys, other=0.0)
        scores = tl.where((j < keys)[None, :], q[:, None] * k[None, :], float("-inf"))
        largest = tl.maximum(largest, tl.max(scores, axis=1))
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, keys, BLOCK):
        j = start + tl.arange(0, BLOCK)
        there = j < keys
        k = tl.load(k_ptr + j, mask=there, other=0.0)
        v = tl.load(v_ptr + j, mask=there, other=0.0)
        scores = q[:, None] * k[None, :]
        scores = tl.where(there[None, :], scores, float("-inf"))
        weight = tl.exp(scores - largest[:, None])
        total = total + tl.sum(weight, axis=1)
        acc = acc + tl.sum(weight * v[None, :], axis=1)
    tl.store(out_ptr + i, acc / total, mask=i < queries)


def attention(q, k, v):
    out = torch.empty_like(q)
    grid = (triton.cdiv(q.numel(), BLOCK),)
    attention_kernel[grid](q, k, v, out, q.numel(), k.numel(), BLOCK=BLOCK)
    return out
