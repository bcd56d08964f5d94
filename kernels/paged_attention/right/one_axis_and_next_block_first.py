import torch
import triton
import triton.language as tl


@triton.jit
def one_head(
    q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, most, heads, group, factor,
    D: tl.constexpr, SIZE: tl.constexpr, KV: tl.constexpr,
):
    row = tl.program_id(0)
    s, kv = row // heads, row % heads // group
    dim, slot = tl.arange(0, D)[None, :], tl.arange(0, SIZE)[:, None]
    q = tl.load(q_ptr + row * D + dim)
    n = tl.load(lengths_ptr + s)
    low = -3.4028234663852886e38
    top, below, above = low, 0.0, tl.zeros([1, D], tl.float32)
    entry = tl.load(table_ptr + s * most)
    blocks = (n + SIZE - 1) // SIZE
    for b in range(blocks):
        following = tl.load(table_ptr + s * most + b + 1, mask=b + 1 < blocks, other=0)
        there = slot < n - b * SIZE
        at = (entry.to(tl.int64) * SIZE + slot) * KV * D + kv * D + dim
        k = tl.load(k_ptr + at, mask=there, other=0.0)
        score = tl.sum(q * k, axis=1, keep_dims=True) * factor
        score = tl.where(there, score, low)
        higher = tl.maximum(top, tl.max(score))
        part = tl.where(there, tl.exp(score - higher), 0.0)
        shrink = tl.exp(top - higher)
        v = tl.load(v_ptr + at, mask=there, other=0.0)
        below = below * shrink + tl.sum(part)
        above = above * shrink + tl.sum(part * v, axis=0, keep_dims=True)
        top, entry = higher, following
    tl.store(out_ptr + row * D + dim, above / below)


def paged_attention(q, k_cache, v_cache, table, lengths):
    sequences, heads, dim = q.shape
    out = torch.empty((sequences, heads, dim), dtype=torch.float32, device=q.device)
    one_head[(sequences * heads,)](
        q, k_cache, v_cache, table, lengths, out, table.stride(0), heads,
        heads // k_cache.shape[2], dim**-0.5, D=dim, SIZE=k_cache.shape[1], KV=k_cache.shape[2],
    )
    return out
