import torch
import triton
import triton.language as tl


@triton.jit
def unpack(byte, shift: tl.constexpr, step):
    return (((byte >> shift) & 15).to(tl.float32) - 7.0) * step.to(tl.float32)


@triton.jit
def product(x, packed, scale, out, M, N, K, sm, sk, G, BN: tl.constexpr, HALF: tl.constexpr):
    m = tl.program_id(0) * 16 + tl.arange(0, 16)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros([16, BN], dtype=tl.float32)
    for start in range(0, K // 2, HALF):
        pair = start + tl.arange(0, HALF)
        inside = (pair[:, None] < K // 2) & (n < N)
        byte = tl.load(packed + n * (K // 2) + pair[:, None], mask=inside, other=0)
        step = tl.load(scale + n * (K // G) + (2 * pair // G)[:, None], mask=inside, other=0)
        # The even numbers meet the even columns of x, the odd ones the odd.
        at, there = x + m * sm + pair[None, :] * 2 * sk, (m < M) & (pair[None, :] < K // 2)
        even = tl.load(at, mask=there, other=0)
        odd = tl.load(at + sk, mask=there, other=0)
        acc = tl.dot(even, unpack(byte, 0, step).to(tl.float16), acc)
        acc = tl.dot(odd, unpack(byte, 4, step).to(tl.float16), acc)
    tl.store(out + m * N + n, acc.to(tl.float16), mask=(m < M) & (n < N))


def int4_matmul(x, packed, scale):
    (m, k), n = x.shape, packed.shape[0]
    out = torch.empty((m, n), dtype=torch.float16, device=x.device)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 64))
    group = k // scale.shape[1]
    product[grid](x, packed, scale, out, m, n, k, *x.stride(), group, BN=64, HALF=32)
    return out
