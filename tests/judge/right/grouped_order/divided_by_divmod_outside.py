import torch
import triton
import triton.language as tl

TILE = 16
GROUP = 4


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, N, K, tiles_m, tiles_n, TILE: tl.constexpr, GROUP: tl.constexpr
):
    p = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    first = p // (GROUP * tiles_n) * GROUP
    height = tl.minimum(tiles_m - first, GROUP)
    place = p % (GROUP * tiles_n)
    row = first + place % height
    column = place // height
    rows = row * TILE + tl.arange(0, TILE)
    columns = column * TILE + tl.arange(0, TILE)
    acc = tl.zeros([TILE, TILE], dtype=tl.float32)
    for start in range(0, K, TILE):
        k = start + tl.arange(0, TILE)
        x = tl.load(a_ptr + rows[:, None] * K + k[None, :])
        y = tl.load(b_ptr + k[:, None] * N + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    tiles_m, tiles_n = m // TILE, n // TILE
    matmul_kernel[(tiles_n, tiles_m)](
        a, b, c, n, k, tiles_m, tiles_n, TILE=TILE, GROUP=GROUP
    )  # fmt: skip
    return c
