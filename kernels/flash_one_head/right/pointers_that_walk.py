import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0) * M + tl.arange(0, M)
    d, key = tl.arange(0, D), tl.arange(0, N)
    q = tl.load(q_ptr + row[:, None] * D + d[None, :], mask=row[:, None] < n, other=0.0)
    k_at = k_ptr + key[None, :] * D + d[:, None]
    v_at = v_ptr + key[:, None] * D + d[None, :]
    largest = tl.full([M], float("-inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    for start in range(0, n, N):
        left = n - start
        k = tl.load(k_at, mask=key[None, :] < left, other=0.0)
        v = tl.load(v_at, mask=key[:, None] < left, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        s += tl.where(key[None, :] < left, 0.0, float("-inf"))
        new = tl.maximum(largest, tl.max(s, axis=1))
        weight = tl.exp(s - new[:, None])
        factor = tl.exp(largest - new)
        total = total * factor + tl.sum(weight, axis=1)
        acc = tl.dot(weight, v, acc * factor[:, None], input_precision="ieee")
        largest = new
        k_at += N * D
        v_at += N * D
    tl.store(out_ptr + row[:, None] * D + d[None, :], acc / total[:, None], mask=row[:, None] < n)


def attention(q, k, v):
    """Return attention of one head; the pointers of both tiles move on at each step."""
    tokens, dim = q.shape
    out = torch.empty_like(q)
    grid = (triton.cdiv(tokens, 64),)
    walking_kernel[grid](q, k, v, out, tokens, dim**-0.5, D=dim, M=64, N=16)
    return out
