# expect: did-not-launch
import torch
import triton
import triton.language as tl


@triton.jit
def product(x, w, out, M, N, K, sm, sk, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(x + m * sm + k[None, :] * sk, mask=(m < M) & (k[None, :] < K), other=0.0)
        b = tl.load(w + n * K + k[:, None], mask=(n < N) & (k[:, None] < K), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(out + m * N + n, acc.to(tl.float16), mask=(m < M) & (n < N))


def int4_matmul(x, packed, scale):
    (m, k), n = x.shape, packed.shape[0]
    codes = torch.stack([packed & 15, packed >> 4], -1).flatten(1)
    w = ((codes.float() - 7) * scale.repeat_interleave(k // scale.shape[1], 1)).half()
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 64))
    product[grid](x, w, out, m, n, k, *x.stride(), BM=16, BN=64, BK=64)
    return out
