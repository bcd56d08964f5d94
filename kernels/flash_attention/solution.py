import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    q_head, q_token, q_dim, k_head, k_token, k_dim, v_head, v_token, v_dim,
    CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    # One program: BLOCK_M queries of one head, and in turn all the keys they may look at.
    head = tl.program_id(0).to(tl.int64)
    # Programs start about in the order of their numbers, axis 0 first. The last queries look at the
    # most keys; were they the last to start too, most of the GPU would wait for them at the end.
    first = (tl.num_programs(1) - 1 - tl.program_id(1)) * BLOCK_M
    query = (first + tl.arange(0, BLOCK_M)).to(tl.int64)
    dim = tl.arange(0, D)
    exists = query[:, None] < tokens
    q = tl.load(
        q_ptr + head * q_head + query[:, None] * q_token + dim[None, :] * q_dim,
        mask=exists, other=0.0,
    )  # fmt: skip
    # What the keys so far amount to: their largest score, the sum of exp(score - largest), and the
    # values weighted by the same. These three are all that ever exists of the tokens x tokens
    # matrix of scores.
    largest = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    end = tokens
    if CAUSAL:  # no query of this block looks past the block's own end: half the work is left out
        end = tl.minimum(tokens, first + BLOCK_M)
    for start in range(0, end, BLOCK_N):
        key = (start + tl.arange(0, BLOCK_N)).to(tl.int64)
        there = key < tokens
        # Loaded transposed, as [D, BLOCK_N]: the strides say how, nothing is moved for it.
        k = tl.load(
            k_ptr + head * k_head + key[None, :] * k_token + dim[:, None] * k_dim,
            mask=there[None, :], other=0.0,
        )  # fmt: skip
        scores = tl.dot(q, k, input_precision="ieee") * scale
        # A key that does not exist has the score 0 by now, which is as good as any. -inf is none.
        allowed = there[None, :]
        if CAUSAL:
            allowed = allowed & (key[None, :] <= query[:, None])
        scores = tl.where(allowed, scores, float("-inf"))
        # The first block holds key 0, which every query may look at: from then on `new` is finite,
        # and -inf - -inf never occurs.
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight = tl.exp(scores - new[:, None])
        # What was summed so far is relative to the old maximum; one factor brings it to the new.
        old = tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        v = tl.load(
            v_ptr + head * v_head + key[:, None] * v_token + dim[None, :] * v_dim,
            mask=there[:, None], other=0.0,
        )  # fmt: skip
        acc = tl.dot(weight, v, acc * old[:, None], input_precision="ieee")
        largest = new
    at = out_ptr + (head * tokens + query[:, None]) * D + dim[None, :]
    tl.store(at, acc / total[:, None], mask=exists)  # one division an element, at the very end


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """softmax(q @ k.T * head_dim**-0.5) @ v for each head: [heads, tokens, head_dim], float32.

    Memory beside inputs and output: none. The scores would be heads * tokens**2 numbers.
    """
    heads, tokens, dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    # FP32 leaves no tensor core to `tl.dot`: its tiles stand in registers, and larger ones than these
    # do not fit there. On an H200 64 x 32 takes as long, with 255 registers and 44 of them spilled.
    block_m, block_n = 32, 32
    attention_kernel[(heads, triton.cdiv(tokens, block_m))](
        q, k, v, out, tokens, dim**-0.5, *q.stride(), *k.stride(), *v.stride(),
        CAUSAL=causal, D=dim, BLOCK_M=block_m, BLOCK_N=block_n,
    )  # fmt: skip
    return out
