# expect: too-much-traffic
import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def scores_kernel(q_ptr, k_ptr, scores_ptr, queries, keys, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    q = tl.load(q_ptr + i, mask=i < queries, other=0.0)
    k = tl.load(k_ptr + j, mask=j < keys, other=0.0)
    inside = (i[:, None] < queries) & (j[None, :] < keys)
    at = scores_ptr + i[:, None] * keys + j[None, :]
    tl.store(at, q[:, None] * k[None, :], mask=inside)


@triton.jit
def attention_kernel(scores_ptr, v_ptr, out_ptr, keys, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    largest = float("-inf")
    total = 0.0
    acc = 0.0
    for start in range(0, keys, BLOCK):
        j = start + tl.arange(0, BLOCK)
        there = j < keys
        s = tl.load(scores_ptr + i * keys + j, mask=there, other=float("-inf"))
        v = tl.load(v_ptr + j, mask=there, other=0.0)
        new = tl.maximum(largest, tl.max(s, axis=0))
        weight = tl.exp(s - new)
        total = total * tl.exp(largest - new) + tl.sum(weight, axis=0)
        acc = acc * tl.exp(largest - new) + tl.sum(weight * v, axis=0)
        largest = new
    tl.store(out_ptr + i, acc / total)


def attention(q, k, v):
    out = torch.empty_like(q)
    queries, keys = q.numel(), k.numel()
    scores = torch.empty((queries, keys), dtype=q.dtype, device=q.device)
    grid = (triton.cdiv(queries, BLOCK), triton.cdiv(keys, BLOCK))
    scores_kernel[grid](q, k, scores, queries, keys, BLOCK=BLOCK)
    attention_kernel[(queries,)](scores, v, out, keys, BLOCK=BLOCK)
    return out
