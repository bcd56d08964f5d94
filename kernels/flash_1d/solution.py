import torch
import triton
import triton.language as tl

BLOCK = 64  # queries of one program, and keys of one step


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, queries, keys, BLOCK: tl.constexpr
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    q = tl.load(q_ptr + i, mask=i < queries, other=0.0)
    # What the keys so far amount to, for each query: as if there had been none.
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, keys, BLOCK):
        j = start + tl.arange(0, BLOCK)
        there = j < keys
        k = tl.load(k_ptr + j, mask=there, other=0.0)
        v = tl.load(v_ptr + j, mask=there, other=0.0)
        # A key past the end has the score 0 by now, which is as good as any. -inf counts for nothing.
        scores = q[:, None] * k[None, :]
        scores = tl.where(there[None, :], scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight = tl.exp(scores - new[:, None])
        # Both sums are relative to the old maximum; one factor brings both to the new one.
        old = tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        acc = acc * old + tl.sum(weight * v[None, :], axis=1)
        largest = new
    tl.store(out_ptr + i, acc / total, mask=i < queries)


def attention(q, k, v):
    """[queries], [keys], [keys] -> [queries].

    The softmax of q[i] * k[j] over j, times v[j].
    """
    out = torch.empty_like(q)
    grid = (triton.cdiv(q.numel(), BLOCK),)
    attention_kernel[grid](q, k, v, out, q.numel(), k.numel(), BLOCK=BLOCK)
    return out
