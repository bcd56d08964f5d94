import torch
import triton
import triton.language as tl


@triton.jit
def grouped_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, most, scale,
    GROUP: tl.constexpr, LANES: tl.constexpr, KV: tl.constexpr, D: tl.constexpr, SIZE: tl.constexpr,
):
    s, kv = tl.program_id(0), tl.program_id(1)
    one, dim, slot = tl.arange(0, LANES), tl.arange(0, D), tl.arange(0, SIZE)
    mine = (one < GROUP)[:, None]
    where = ((s * KV + kv) * GROUP + one)[:, None] * D + dim[None, :]
    q = tl.load(q_ptr + where, mask=mine, other=0.0)
    length = tl.load(lengths_ptr + s)
    largest = tl.full([LANES], -1e30, tl.float32)
    total = tl.zeros([LANES], tl.float32)
    acc = tl.zeros([LANES, D], tl.float32)
    left, row = length, table_ptr + s * most
    while left > 0:
        there = slot < left
        at = ((tl.load(row).to(tl.int64) * SIZE + slot)[:, None] * KV + kv) * D + dim[None, :]
        k = tl.load(k_ptr + at, mask=there[:, None], other=0.0)
        scores = tl.sum(q[:, None, :] * k[None, :, :], axis=2) * scale
        scores = tl.where(there[None, :], scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight, old = tl.exp(scores - new[:, None]), tl.exp(largest - new)
        v = tl.load(v_ptr + at, mask=there[:, None], other=0.0)
        total = total * old + tl.sum(weight, axis=1)
        acc = acc * old[:, None] + tl.sum(weight[:, :, None] * v[None, :, :], axis=1)
        largest, left, row = new, left - SIZE, row + 1
    tl.store(out_ptr + where, acc / total[:, None], mask=mine)


def paged_attention(q, k_cache, v_cache, table, lengths):
    out = torch.empty_like(q)
    (s, heads, dim), (_, size, kv, _) = q.shape, k_cache.shape
    group = heads // kv
    grouped_kernel[(s, kv)](
        q, k_cache, v_cache, table, lengths, out, table.shape[1], dim**-0.5,
        GROUP=group, LANES=triton.next_power_of_2(group), KV=kv, D=dim, SIZE=size,
    )
    return out
