import torch
import triton
import triton.language as tl


@triton.jit
def one_head(
    q_ptr, k_ptr, v_ptr, out_ptr, n, c, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    rows = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0) * c
    m = tl.full([M], -1e30, tl.float32)
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    for start in range(0, n, N):
        cols = start + tl.arange(0, N)
        at = cols[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at, mask=cols[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        s = tl.where(cols[None, :] < n, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        w = tl.exp2(s - new[:, None])
        old = tl.exp2(m - new)
        total = total * old + tl.sum(w, 1)
        v = tl.load(v_ptr + at, mask=cols[:, None] < n, other=0.0)
        acc = tl.dot(w, v, acc * old[:, None], input_precision="ieee")
        m = new
    result = acc / total[:, None]
    tl.store(out_ptr + rows[:, None] * D + d[None, :], result, mask=rows[:, None] < n)


def attention(q, k, v):
    """Return attention of one head, with powers of two and tiles of 16 queries and 64 keys."""
    tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=torch.float32, device=q.device)
    scale = dim**-0.5 * 1.4426950408889634
    one_head[(triton.cdiv(tokens, 16),)](q, k, v, out, tokens, scale, D=dim, M=16, N=64)
    return out
