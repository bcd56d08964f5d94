# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def product(x, packed, scale, w, out, M, N, K, sm, sk, G, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, 32)[:, None]
    n = tl.program_id(0) * BN + tl.arange(0, BN)[:, None]
    # This program's rows of the weight are stored as numbers, and read again below.
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)[None, :]
        inside = (n < N) & (k < K)
        byte = tl.load(packed + n * (K // 2) + k // 2, mask=inside, other=0)
        code = (byte.to(tl.int32) >> (4 * (k % 2))) & 15
        step = tl.load(scale + n * (K // G) + k // G, mask=inside, other=0.0)
        tl.store(w + n * K + k, ((code - 7).to(tl.float32) * step).to(tl.float16), mask=inside)
    tl.debug_barrier()
    for top in range(0, M, 32):
        row = top + m
        acc = tl.zeros([32, BN], dtype=tl.float32)
        for start in range(0, K, BK):
            k = start + tl.arange(0, BK)[None, :]
            a = tl.load(x + row * sm + k * sk, mask=(row < M) & (k < K), other=0.0)
            b = tl.load(w + n * K + k, mask=(n < N) & (k < K), other=0.0)
            acc = tl.dot(a, b.trans(), acc)
        columns = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
        inside = (row < M) & (columns < N)
        tl.store(out + row * N + columns, acc.to(tl.float16), mask=inside)


def int4_matmul(x, packed, scale):
    (m, k), n = x.shape, packed.shape[0]
    w = torch.empty((n, k), dtype=torch.float16, device=x.device)
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    group = k // scale.shape[1]
    product[(triton.cdiv(n, 64),)](x, packed, scale, w, out, m, n, k, *x.stride(), group, BN=64, BK=64)
    return out
