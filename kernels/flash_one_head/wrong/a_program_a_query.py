# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 128  # keys of one step


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale, D: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    i = tl.program_id(0)
    dim = tl.arange(0, D)
    q = tl.load(q_ptr + i * D + dim)
    largest = float("-inf")
    total = 0.0
    acc = tl.zeros([D], tl.float32)
    for start in range(0, tokens, BLOCK):
        j = start + tl.arange(0, BLOCK)
        there = j < tokens
        at = j[:, None] * D + dim[None, :]
        k = tl.load(k_ptr + at, mask=there[:, None], other=0.0)
        v = tl.load(v_ptr + at, mask=there[:, None], other=0.0)
        scores = tl.sum(q[None, :] * k, axis=1) * scale
        scores = tl.where(there, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=0))
        weight = tl.exp(scores - new)
        old = tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=0)
        acc = acc * old + tl.sum(weight[:, None] * v, axis=0)
        largest = new
    tl.store(out_ptr + i * D + dim, acc / total)


def attention(q, k, v):
    """One query a program, and no tile of queries: nothing for tl.dot to multiply."""
    tokens, dim = q.shape
    out = torch.empty_like(q)
    attention_kernel[(tokens,)](q, k, v, out, tokens, dim**-0.5, D=dim, BLOCK=BLOCK)
    return out
