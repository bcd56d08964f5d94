import torch
import triton
import triton.language as tl


@triton.jit
def product(x, words, scale, out, M, N, K, sm, sk, G: tl.constexpr, BM: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * 32 + tl.arange(0, 32)
    bits = 4 * tl.arange(0, 8)
    acc = tl.zeros([BM, 32], dtype=tl.float32)
    for group in range(0, K // G):
        inner = tl.zeros([BM, 32], dtype=tl.float32)
        for start in range(group * G, group * G + G, 32):
            # Four words of 32 bits hold 32 numbers of a row, lowest bits first.
            at = words + n[:, None] * (K // 8) + (start // 8 + tl.arange(0, 4))[None, :]
            word = tl.load(at, mask=n[:, None] < N, other=0)
            code = (word[:, :, None] >> bits[None, None, :]) & 15
            code = tl.reshape(code, [32, 32]).to(tl.float16) - 7.0
            k = start + tl.arange(0, 32)
            part = tl.load(x + m[:, None] * sm + k[None, :] * sk, mask=m[:, None] < M, other=0.0)
            inner = tl.dot(part, code.to(tl.float16).T, inner)
        step = tl.load(scale + n * (K // G) + group, mask=n < N, other=0.0)
        acc += inner * step.to(tl.float32)[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(out + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=inside)


def int4_matmul(x, packed, scale):
    (m, k), n = x.shape, packed.shape[0]
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    words = packed.view(torch.int32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 32))
    product[grid](x, words, scale, out, m, n, k, *x.stride(), G=k // scale.shape[1], BM=16)
    return out
