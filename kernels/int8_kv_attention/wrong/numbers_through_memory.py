# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def attend(
    q_ptr, k_ptr, ks_ptr, v_ptr, vs_ptr, keys_ptr, values_ptr, out_ptr, tokens, factor,
    k0, k1, k2, ks0, ks1, v0, v1, v2, vs0, vs1,
    GROUP: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr,
):
    j, dim, member = tl.program_id(0), tl.arange(0, D), tl.arange(0, 16)
    # This head's keys and values are stored as numbers, and read again below.
    for start in range(0, tokens, BLOCK):
        t = (start + tl.arange(0, BLOCK))[:, None]
        there = t < tokens
        at = (j * tokens + t) * D + dim[None, :]
        k = tl.load(k_ptr + j * k0 + t * k1 + dim[None, :] * k2, mask=there, other=0)
        ks = tl.load(ks_ptr + j * ks0 + t * ks1, mask=there, other=0.0)
        tl.store(keys_ptr + at, k.to(tl.float32) * ks, mask=there)
        v = tl.load(v_ptr + j * v0 + t * v1 + dim[None, :] * v2, mask=there, other=0)
        vs = tl.load(vs_ptr + j * vs0 + t * vs1, mask=there, other=0.0)
        tl.store(values_ptr + at, v.to(tl.float32) * vs, mask=there)
    tl.debug_barrier()
    exists = (member < GROUP)[:, None]
    own = (j * GROUP + member)[:, None] * D + dim[None, :]
    q = tl.load(q_ptr + own, mask=exists, other=0.0) * factor
    largest, total = tl.full([16], float("-inf"), tl.float32), tl.zeros([16], tl.float32)
    acc = tl.zeros([16, D], tl.float32)
    for start in range(0, tokens, BLOCK):
        t = start + tl.arange(0, BLOCK)
        there = t < tokens
        at = (j * tokens + t)[:, None] * D + dim[None, :]
        k = tl.load(keys_ptr + at, mask=there[:, None], other=0.0)
        scores = tl.dot(q, k.trans(), input_precision="ieee")
        scores = tl.where(there[None, :], scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weight, old = tl.exp(scores - new[:, None]), tl.exp(largest - new)
        total = total * old + tl.sum(weight, axis=1)
        v = tl.load(values_ptr + at, mask=there[:, None], other=0.0)
        acc = tl.dot(weight, v, acc * old[:, None], input_precision="ieee")
        largest = new
    tl.store(out_ptr + own, acc / total[:, None], mask=exists)


def int8_kv_attention(q, k, k_scale, v, v_scale):
    out = torch.empty_like(q)
    keys = torch.empty(k.shape, dtype=torch.float32, device=q.device)
    values = torch.empty(k.shape, dtype=torch.float32, device=q.device)
    strides = (*k.stride(), *k_scale.stride(), *v.stride(), *v_scale.stride())
    attend[(k.shape[0],)](
        q, k, k_scale, v, v_scale, keys, values, out, k.shape[1], q.shape[1] ** -0.5, *strides,
        GROUP=q.shape[0] // k.shape[0], D=q.shape[1], BLOCK=32,
    )
    return out
