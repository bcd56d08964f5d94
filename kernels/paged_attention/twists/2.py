import torch
import triton
import triton.language as tl


@triton.jit
def paged_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, most, scale,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, D: tl.constexpr, SIZE: tl.constexpr,
):
    sequence, head = tl.program_id(0) // HEADS, tl.program_id(0) % HEADS
    kv_head = head // (HEADS // KV_HEADS)
    dim = tl.arange(0, D)
    slot = tl.arange(0, SIZE)
    length = tl.load(lengths_ptr + sequence)
    q = tl.load(q_ptr + (sequence * HEADS + head) * D + dim) * scale
    largest = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    acc = tl.zeros([D], tl.float32)
    for b in range(0, tl.cdiv(length, SIZE)):
        block = tl.load(table_ptr + sequence * most + b).to(tl.int64)
        there = b * SIZE + slot < length
        at = ((block * SIZE + slot)[:, None] * KV_HEADS + kv_head) * D + dim[None, :]
        k = tl.load(k_ptr + at, mask=there[:, None], other=0.0)
        scores = tl.sum(k * q[None, :], axis=1)
        scores = tl.where(there, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=0))
        weight = tl.exp2(scores - new)
        old = tl.exp2(largest - new)
        v = tl.load(v_ptr + at, mask=there[:, None], other=0.0)
        total = total * old + tl.sum(weight, axis=0)
        acc = acc * old + tl.sum(weight[:, None] * v, axis=0)
        largest = new
    tl.store(out_ptr + (sequence * HEADS + head) * D + dim, acc / total)


def paged_attention(
    q: torch.Tensor,
    k_cache: torch.Tensor,
    v_cache: torch.Tensor,
    table: torch.Tensor,
    lengths: torch.Tensor,
) -> torch.Tensor:
    """One query a sequence and head, over the tokens to which the table leads: float32."""
    sequences, heads, dim = q.shape
    size, kv_heads = k_cache.shape[1:3]
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    paged_kernel[(sequences * heads,)](
        q, k_cache, v_cache, table, lengths, out, table.shape[1], dim**-0.5 * 1.4426950408889634,
        HEADS=heads, KV_HEADS=kv_heads, D=dim, SIZE=size,
    )
    return out
