# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def one_head(
    q_ptr, k_ptr, ks_ptr, v_ptr, vs_ptr, out_ptr, tokens, factor, group,
    k0, k1, k2, ks0, ks1, v0, v1, v2, vs0, vs1, D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(0)
    j = head // group
    dim = tl.arange(0, D)
    q = tl.load(q_ptr + head * D + dim) * factor
    largest, total = tl.full((), float("-inf"), tl.float32), tl.full((), 0.0, tl.float32)
    acc = tl.zeros([D], tl.float32)
    for start in range(0, tokens, BLOCK):
        t = start + tl.arange(0, BLOCK)
        there = t < tokens
        k = tl.load(k_ptr + j * k0 + t[:, None] * k1 + dim[None, :] * k2, mask=there[:, None], other=0)
        ks = tl.load(ks_ptr + j * ks0 + t * ks1, mask=there, other=0.0)
        score = tl.where(there, tl.sum(k.to(tl.float32) * q[None, :], axis=1) * ks, float("-inf"))
        new = tl.maximum(largest, tl.max(score, axis=0))
        weight, old = tl.exp(score - new), tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=0)
        v = tl.load(v_ptr + j * v0 + t[:, None] * v1 + dim[None, :] * v2, mask=there[:, None], other=0)
        vs = tl.load(vs_ptr + j * vs0 + t * vs1, mask=there, other=0.0)
        acc = acc * old + tl.sum((weight * vs)[:, None] * v.to(tl.float32), axis=0)
        largest = new
    tl.store(out_ptr + head * D + dim, acc / total)


def int8_kv_attention(q, k, k_scale, v, v_scale):
    out = torch.empty_like(q)
    heads, dim = q.shape
    strides = (*k.stride(), *k_scale.stride(), *v.stride(), *v_scale.stride())
    one_head[(heads,)](
        q, k, k_scale, v, v_scale, out, k.shape[1], dim**-0.5, heads // k.shape[0], *strides,
        D=dim, BLOCK=32,
    )
    return out
