# until: triton 3.9
import triton
import triton.language as tl


@triton.jit
def kernel(Q, K, V, OUT, T, factor, CAUSAL: tl.constexpr, D: tl.constexpr, S: tl.constexpr):
    per_head = tl.cdiv(T, S)
    block = tl.program_id(0) % per_head
    offset = (tl.program_id(0) // per_head) * T * D
    tile = tl.make_block_ptr(Q + offset, (T, D), (D, 1), (block * S, 0), (S, D), (1, 0))
    q = tl.load(tile, boundary_check=(0,), padding_option="zero")
    row = tl.arange(0, S)
    if CAUSAL:
        full_blocks = block
        last = block
    else:
        full_blocks = T // S
        last = (T - 1) // S
    top = tl.full([S], float("-inf"), tl.float32)
    norm = tl.zeros([S], tl.float32)
    acc = tl.zeros([S, D], tl.float32)
    for b in range(full_blocks, last + 1):
        kt = tl.load(
            tl.make_block_ptr(K + offset, (D, T), (1, D), (0, b * S), (D, S), (0, 1)),
            boundary_check=(1,), padding_option="zero",
        )
        vt = tl.load(
            tl.make_block_ptr(V + offset, (T, D), (D, 1), (b * S, 0), (S, D), (1, 0)),
            boundary_check=(0,), padding_option="zero",
        )
        ok = (b * S + row < T)[None, :]
        if CAUSAL:
            ok = ok & (row[None, :] <= row[:, None])
        z = tl.where(ok, tl.dot(q, kt) * factor, float("-inf"))
        peak = tl.maximum(top, tl.max(z, axis=1))
        w = tl.exp2(z - peak[:, None])
        fix = tl.exp2(top - peak)
        norm = norm * fix + tl.sum(w, axis=1)
        acc = tl.dot(w.to(tl.float16), vt, acc * fix[:, None])
        top = peak
    for b in range(0, full_blocks):
        kt = tl.load(tl.make_block_ptr(K + offset, (D, T), (1, D), (0, b * S), (D, S), (0, 1)))
        vt = tl.load(tl.make_block_ptr(V + offset, (T, D), (D, 1), (b * S, 0), (S, D), (1, 0)))
        z = tl.dot(q, kt) * factor
        peak = tl.maximum(top, tl.max(z, axis=1))
        w = tl.exp2(z - peak[:, None])
        fix = tl.exp2(top - peak)
        norm = norm * fix + tl.sum(w, axis=1)
        acc = tl.dot(w.to(tl.float16), vt, acc * fix[:, None])
        top = peak
    result = tl.make_block_ptr(OUT + offset, (T, D), (D, 1), (block * S, 0), (S, D), (1, 0))
    tl.store(result, (acc / norm[:, None]).to(tl.float16), boundary_check=(0,))


def attention(q, k, v, causal):
    heads, tokens, dim = q.shape
    out = q.new_empty(q.shape)
    kernel[(heads * triton.cdiv(tokens, 64),)](
        q, k, v, out, tokens, 1.4426950408889634 / dim**0.5, CAUSAL=causal, D=dim, S=64, num_warps=4
    )
    return out
