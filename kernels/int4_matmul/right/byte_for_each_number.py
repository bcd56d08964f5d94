import torch
import triton
import triton.language as tl


@triton.jit
def product(x, packed, scale, out, M, N, K, sm, sk, G, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros([BN, BM], dtype=tl.float32)
    for start in range(0, K, 32):
        k = start + tl.arange(0, 32)
        # Each byte is read for both of its numbers; a cache line serves them.
        byte = tl.load(
            packed + n[:, None] * (K // 2) + k[None, :] // 2, mask=n[:, None] < N, other=0
        )
        code = ((byte.to(tl.int32) >> (4 * (k % 2))[None, :]) & 0xF) - 7
        step = tl.load(scale + n * (K // G) + start // G, mask=n < N, other=0.0)
        w = code.to(tl.float16) * step[:, None]
        part = tl.load(x + m[None, :] * sm + k[:, None] * sk, mask=m[None, :] < M, other=0.0)
        acc += tl.dot(w, part)
    tl.store(out + m[None, :] * N + n[:, None], acc, mask=(m[None, :] < M) & (n[:, None] < N))


def int4_matmul(x, packed, scale):
    (m, k), n = x.shape, packed.shape[0]
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    grid = (triton.cdiv(n, 32), triton.cdiv(m, 16))
    product[grid](x, packed, scale, out, m, n, k, *x.stride(), k // scale.shape[1], BM=16, BN=32)
    return out
