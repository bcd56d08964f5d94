import torch
import triton
import triton.language as tl


@triton.jit
def step(q, codes, scale, there):
    """Return scores [BLOCK, HEADS] of codes [BLOCK, D]."""
    raw = tl.dot(codes.to(tl.float32), q.trans(), input_precision="ieee")
    return tl.where(there[:, None], raw * scale[:, None], float("-inf"))


@triton.jit
def decode(
    q, k, ks, v, vs, out, n, k0, k1, k2, ks0, ks1, v0, v1, v2, vs0, vs1,
    G: tl.constexpr, D: tl.constexpr, B: tl.constexpr,
):
    j = tl.program_id(0)
    d = tl.arange(0, D)
    g = tl.arange(0, 16)
    rows = j * G + g
    x = tl.load(q + rows[:, None] * D + d, mask=g[:, None] < G, other=0)
    # exp(s) is 2 ** (s * log2(e)); the factor of the scores goes into the same number.
    x *= 1.4426950408889634 / tl.sqrt(float(D))
    top = tl.zeros([16], tl.float32) - float("inf")
    bottom = tl.zeros([16], tl.float32)
    found = tl.zeros([D, 16], tl.float32)
    k += j * k0
    v += j * v0
    ks += j * ks0
    vs += j * vs0
    first = 0
    while first < n:
        t = first + tl.arange(0, B)
        codes = tl.load(k + t[:, None] * k1 + d * k2, mask=t[:, None] < n, other=0)
        s = step(x, codes, tl.load(ks + t * ks1, mask=t < n, other=0), t < n)
        higher = tl.maximum(top, tl.max(s, 0))
        shrink = tl.exp2(top - higher)
        p = tl.exp2(s - higher)
        bottom = bottom * shrink + tl.sum(p, 0)
        p *= tl.load(vs + t * vs1, mask=t < n, other=0)[:, None]
        codes = tl.load(v + d[:, None] * v2 + t * v1, mask=t < n, other=0)
        found = tl.dot(codes.to(tl.float32), p, found * shrink, input_precision="ieee")
        top = higher
        first += B
    tl.store(out + rows * D + d[:, None], found / bottom, mask=g < G)


def int8_kv_attention(q, k, k_scale, v, v_scale):
    out = torch.zeros(q.shape, dtype=torch.float32, device=q.device)
    kv_heads, n, D = k.shape
    parts = [stride for x in (k, k_scale, v, v_scale) for stride in x.stride()]
    decode[(kv_heads, 1)](
        q, k, k_scale, v, v_scale, out, n, *parts, G=len(q) // kv_heads, D=D, B=16
    )
    return out
