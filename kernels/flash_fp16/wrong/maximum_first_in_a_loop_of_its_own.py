# expect: too-much-traffic
import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
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
        key = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + head + key[None, :] * D + dim[:, None])
        largest = tl.maximum(largest, tl.max(tl.dot(q, k), axis=1) * scale)
    for start in range(whole, end, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        there = key < tokens
        at_k = k_ptr + head + key[None, :] * D + dim[:, None]
        k = tl.load(at_k, mask=there[None, :], other=0.0)
        allowed = there[None, :]
        if CAUSAL:
            allowed = allowed & (key[None, :] <= query[:, None])
        scores = tl.where(allowed, tl.dot(q, k) * scale, float("-inf"))
        largest = tl.maximum(largest, tl.max(scores, axis=1))
    for start in range(0, whole, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + head + key[None, :] * D + dim[:, None])
        v = tl.load(v_ptr + head + key[:, None] * D + dim[None, :])
        scores = tl.dot(q, k)
        new = tl.maximum(largest, tl.max(scores, axis=1) * scale)
        weight = tl.exp2(scores * scale - new[:, None])
        old = tl.exp2(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        acc = tl.dot(weight.to(tl.float16), v, acc * old[:, None])
        largest = new
    for start in range(whole, end, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        there = key < tokens
        k = tl.load(
            k_ptr + head + key[None, :] * D + dim[:, None], mask=there[None, :], other=0.0
        )  # fmt: skip
        v = tl.load(
            v_ptr + head + key[:, None] * D + dim[None, :], mask=there[:, None], other=0.0
        )  # fmt: skip
        allowed = there[None, :]
        if CAUSAL:
            allowed = allowed & (key[None, :] <= query[:, None])
        scores = tl.where(allowed, tl.dot(q, k) * scale, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight = tl.exp2(scores - new[:, None])
        old = tl.exp2(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        acc = tl.dot(weight.to(tl.float16), v, acc * old[:, None])
        largest = new
    at = out_ptr + head + query[:, None] * D + dim[None, :]
    tl.store(at, (acc / total[:, None]).to(tl.float16), mask=exists)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """softmax(q @ k.T * head_dim**-0.5) @ v for each head: [heads, tokens, head_dim], float16."""
    heads, tokens, dim = q.shape
    out = torch.empty_like(q)
    block_m, block_n = 128, 64
    attention_kernel[(triton.cdiv(tokens, block_m), heads)](
        q, k, v, out, tokens, dim**-0.5 * LOG2_E,
        CAUSAL=causal, D=dim, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=8, num_stages=3,
    )  # fmt: skip
    return out
