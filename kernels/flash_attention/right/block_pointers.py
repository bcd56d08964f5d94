# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def fold_block(qt, kt, vt, m, total, acc, visible, scale):
    s = tl.dot(qt, tl.trans(kt), input_precision="ieee")
    s = tl.where(visible, s * scale, float("-inf"))
    m_new = tl.maximum(m, tl.max(s, axis=1))
    alpha = tl.exp2(m - m_new)
    p = tl.exp2(s - m_new[:, None])
    acc = acc * alpha[:, None] + tl.dot(p, vt, input_precision="ieee")
    return m_new, total * alpha + tl.sum(p, axis=1), acc


@triton.jit
def flash(
    q_ptr, k_ptr, v_ptr, o_ptr, T, scale, qh, qt, qd, kh, kt, kd, vh, vt, vd, o_head, o_token,
    CAUSAL: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):
    blocks = tl.cdiv(T, M)
    head = tl.program_id(0) // blocks
    begin = tl.program_id(0) % blocks * M
    Q = tl.make_block_ptr(q_ptr + head * qh, (T, D), (qt, qd), (begin, 0), (M, D), (1, 0))
    K = tl.make_block_ptr(k_ptr + head * kh, (T, D), (kt, kd), (0, 0), (N, D), (1, 0))
    V = tl.make_block_ptr(v_ptr + head * vh, (T, D), (vt, vd), (0, 0), (N, D), (1, 0))
    OUT = tl.make_block_ptr(o_ptr + head * o_head, (T, D), (o_token, 1), (begin, 0), (M, D), (1, 0))
    q = tl.load(Q, boundary_check=(0,), padding_option="zero")
    i = begin + tl.arange(0, M)
    m = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    stop = T
    if CAUSAL:
        stop = tl.minimum(T, begin + M)
    for j0 in range(0, stop, N):
        j = j0 + tl.arange(0, N)
        visible = (j < T)[None, :]
        if CAUSAL:
            visible = visible & (i[:, None] >= j[None, :])
        k = tl.load(K, boundary_check=(0,), padding_option="zero")
        v = tl.load(V, boundary_check=(0,), padding_option="zero")
        m, total, acc = fold_block(q, k, v, m, total, acc, visible, scale)
        K = tl.advance(K, (N, 0))
        V = tl.advance(V, (N, 0))
    tl.store(OUT, acc / total[:, None], boundary_check=(0,))


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    heads, tokens, dim = q.shape
    o = torch.empty((heads, tokens, dim), dtype=torch.float32, device=q.device)
    scale = dim**-0.5 * 1.4426950408889634
    flash[(heads * triton.cdiv(tokens, 64),)](
        q, k, v, o, tokens, scale, *q.stride(), *k.stride(), *v.stride(), o.stride(0), o.stride(1),
        CAUSAL=causal, D=dim, M=64, N=32,
    )
    return o
