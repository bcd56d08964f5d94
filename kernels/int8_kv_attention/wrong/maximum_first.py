# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def attend(
    q_ptr, k_ptr, ks_ptr, v_ptr, vs_ptr, out_ptr, tokens, factor,
    k0, k1, k2, ks0, ks1, v0, v1, v2, vs0, vs1,
    GROUP: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr,
):
    j, dim, member = tl.program_id(0), tl.arange(0, D), tl.arange(0, 16)
    exists = (member < GROUP)[:, None]
    own = (j * GROUP + member)[:, None] * D + dim[None, :]
    q = tl.load(q_ptr + own, mask=exists, other=0.0) * factor
    largest = tl.full([16], float("-inf"), tl.float32)
    for start in range(0, tokens, BLOCK):
        t = start + tl.arange(0, BLOCK)
        at = k_ptr + j * k0 + t[None, :] * k1 + dim[:, None] * k2
        k = tl.load(at, mask=(t < tokens)[None, :], other=0).to(tl.float32)
        ks = tl.load(ks_ptr + j * ks0 + t * ks1, mask=t < tokens, other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * ks[None, :]
        scores = tl.where((t < tokens)[None, :], scores, float("-inf"))
        largest = tl.maximum(largest, tl.max(scores, axis=1))
    total, acc = tl.zeros([16], tl.float32), tl.zeros([16, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        t = start + tl.arange(0, BLOCK)
        there = t < tokens
        at = k_ptr + j * k0 + t[None, :] * k1 + dim[:, None] * k2
        k = tl.load(at, mask=there[None, :], other=0).to(tl.float32)
        ks = tl.load(ks_ptr + j * ks0 + t * ks1, mask=there, other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * ks[None, :]
        weight = tl.where(there[None, :], tl.exp(scores - largest[:, None]), 0.0)
        total += tl.sum(weight, axis=1)
        at = v_ptr + j * v0 + t[:, None] * v1 + dim[None, :] * v2
        v = tl.load(at, mask=there[:, None], other=0).to(tl.float32)
        vs = tl.load(vs_ptr + j * vs0 + t * vs1, mask=there, other=0.0)
        acc = tl.dot(weight * vs[None, :], v, acc, input_precision="ieee")
    tl.store(out_ptr + own, acc / total[:, None], mask=exists)


def int8_kv_attention(q, k, k_scale, v, v_scale):
    out = torch.empty_like(q)
    strides = (*k.stride(), *k_scale.stride(), *v.stride(), *v_scale.stride())
    attend[(k.shape[0],)](
        q, k, k_scale, v, v_scale, out, k.shape[1], q.shape[1] ** -0.5, *strides,
        GROUP=q.shape[0] // k.shape[0], D=q.shape[1], BLOCK=32,
    )
    return out
