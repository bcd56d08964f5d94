# expect: did-not-launch
import torch
import triton
import triton.language as tl


@triton.jit
def one_head(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, factor, group, D: tl.constexpr, BLOCK: tl.constexpr
):
    head = tl.program_id(0)
    base = (head // group) * tokens * D
    dim = tl.arange(0, D)
    q = tl.load(q_ptr + head * D + dim) * factor
    largest, total = tl.full((), float("-inf"), tl.float32), tl.full((), 0.0, tl.float32)
    acc = tl.zeros([D], tl.float32)
    for start in range(0, tokens, BLOCK):
        t = start + tl.arange(0, BLOCK)
        there = t < tokens
        at = base + t[:, None] * D + dim[None, :]
        k = tl.load(k_ptr + at, mask=there[:, None], other=0.0)
        score = tl.where(there, tl.sum(k * q[None, :], axis=1), float("-inf"))
        new = tl.maximum(largest, tl.max(score, axis=0))
        weight, old = tl.exp(score - new), tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=0)
        v = tl.load(v_ptr + at, mask=there[:, None], other=0.0)
        acc = acc * old + tl.sum(weight[:, None] * v, axis=0)
        largest = new
    tl.store(out_ptr + head * D + dim, acc / total)


def int8_kv_attention(q, k, k_scale, v, v_scale):
    keys = (k * k_scale[..., None]).contiguous()
    values = (v * v_scale[..., None]).contiguous()
    out = torch.empty_like(q)
    heads, dim = q.shape
    one_head[(heads,)](
        q, keys, values, out, k.shape[1], dim**-0.5, heads // k.shape[0], D=dim, BLOCK=32
    )
    return out
