import torch
import triton
import triton.language as tl

BM, BN, BK = 16, 64, 32  # a tile of the result is four times as wide as high
GROUP = 2


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    N,
    K,
    tiles_m,
    tiles_n,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    p = tl.program_id(0)
    first = p // (GROUP * tiles_m) * GROUP
    height = tl.minimum(tiles_n - first, GROUP)
    place = p % (GROUP * tiles_m)
    column = first + place % height
    row = place // height
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a_ptr + rows[:, None] * K + k[None, :])
        y = tl.load(b_ptr + k[:, None] * N + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    tiles_m, tiles_n = m // BM, n // BN
    matmul_kernel[(tiles_m * tiles_n,)](
        a, b, c, n, k, tiles_m, tiles_n, BM=BM, BN=BN, BK=BK, GROUP=GROUP
    )
    return c
