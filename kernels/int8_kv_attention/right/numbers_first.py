import triton
import triton.language as tl


@triton.jit
def kernel(
    Q, K, KS, V, VS, OUT, T, root,
    ka, kb, kc, sa, sb, va, vb, vc, wa, wb,
    GROUP: tl.constexpr, H: tl.constexpr, D: tl.constexpr, BT: tl.constexpr,
):
    j = tl.program_id(0)
    h, d, i = tl.arange(0, H), tl.arange(0, D), tl.arange(0, BT)
    offs = j * GROUP * D + h[:, None] * D + d[None, :]
    live = h[:, None] < GROUP
    q = tl.load(Q + offs, mask=live, other=0.0)
    m = tl.full((H,), -1e30, tl.float32)
    low = tl.zeros((H,), tl.float32)
    acc = tl.zeros((H, D), tl.float32)
    for b in range(tl.cdiv(T, BT)):
        t = b * BT + i
        ok = t < T
        k = tl.load(K + j * ka + t[:, None] * kb + d[None, :] * kc, mask=ok[:, None], other=0)
        v = tl.load(V + j * va + t[:, None] * vb + d[None, :] * vc, mask=ok[:, None], other=0)
        kn = k.to(tl.float32) * tl.load(KS + j * sa + t * sb, mask=ok, other=0.0)[:, None]
        vn = v.to(tl.float32) * tl.load(VS + j * wa + t * wb, mask=ok, other=0.0)[:, None]
        s = tl.dot(q, kn.trans(), input_precision="ieee") / root
        s = tl.where(ok[None, :], s, float("-inf"))
        m2 = tl.maximum(m, tl.max(s, axis=1))
        a = tl.exp(m - m2)
        p = tl.exp(s - m2[:, None])
        low = low * a + tl.sum(p, axis=1)
        acc = acc * a[:, None] + tl.dot(p, vn, input_precision="ieee")
        m = m2
    tl.store(OUT + offs, acc / low[:, None], mask=live)


def int8_kv_attention(q, k, k_scale, v, v_scale):
    out = q.new_empty(q.shape)
    group = q.shape[0] // k.shape[0]
    kernel[(k.shape[0],)](
        q, k, k_scale, v, v_scale, out, k.shape[1], q.shape[1] ** 0.5,
        *k.stride(), *k_scale.stride(), *v.stride(), *v_scale.stride(),
        GROUP=group, H=16, D=q.shape[1], BT=16,
    )
    return out
