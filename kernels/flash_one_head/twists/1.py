import torch
import triton
import triton.language as tl

BLOCK = 32  # queries of one program, and keys of one step


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale, D: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dim = tl.arange(0, D)
    exists = i[:, None] < tokens
    at = i[:, None] * D + dim[None, :]
    q = tl.load(q_ptr + at, mask=exists, other=0.0) * scale
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        j = start + tl.arange(0, BLOCK)
        there = j < tokens
        # The key runs along the columns: a tile of k comes as [D, BLOCK], and nothing is moved for it.
        k = tl.load(k_ptr + j[None, :] * D + dim[:, None], mask=there[None, :], other=0.0)
        v = tl.load(v_ptr + j[:, None] * D + dim[None, :], mask=there[:, None], other=0.0)
        scores = tl.dot(q, k, input_precision="ieee")
        scores = tl.where(there[None, :], scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight = tl.exp(scores - new[:, None])
        old = tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        # A row of D numbers is carried for each query, so its factor needs a second axis.
        acc = acc * old[:, None] + tl.dot(weight, v, input_precision="ieee")
        largest = new
    tl.store(out_ptr + at, acc / total[:, None], mask=exists)


def attention(q, k, v):
    """softmax(q @ k.T * head_dim**-0.5) @ v of one head: [tokens, head_dim], float32."""
    tokens, dim = q.shape
    out = torch.empty_like(q)
    grid = (triton.cdiv(tokens, BLOCK),)
    attention_kernel[grid](q, k, v, out, tokens, dim**-0.5, D=dim, BLOCK=BLOCK)
    return out
