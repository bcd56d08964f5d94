import torch
import triton
import triton.language as tl


@triton.jit
def turned_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    # Everything stands on its side: q as [D, queries], scores as [keys, queries].
    q = tl.load(q_ptr + i[None, :] * D + d[:, None], mask=i[None, :] < n, other=0.0)
    m = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([D, BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        v = tl.load(v_ptr + j[None, :] * D + d[:, None], mask=j[None, :] < n, other=0.0)
        s = tl.dot(k, q, input_precision="ieee") * scale
        s = tl.where(j[:, None] < n, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, axis=0))
        w = tl.exp(s - new[None, :])
        old = tl.exp(m - new)
        total = total * old + tl.sum(w, axis=0)
        acc = acc * old[None, :] + tl.dot(v, w, input_precision="ieee")
        m = new
    at = out_ptr + i[None, :] * D + d[:, None]
    tl.store(at, acc / total[None, :], mask=i[None, :] < n)


def attention(q, k, v):
    """Return attention of one head, computed with queries along the columns."""
    tokens, dim = q.shape
    out = torch.empty_like(q)
    grid = (triton.cdiv(tokens, 32),)
    turned_kernel[grid](q, k, v, out, tokens, dim**-0.5, D=dim, BLOCK=32)
    return out
