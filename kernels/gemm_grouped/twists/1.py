import torch
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, TILE: tl.constexpr, GROUP: tl.constexpr):
    program = tl.program_id(0)
    tiles_m, tiles_n = M // TILE, N // TILE
    in_group = GROUP * tiles_m
    first = program // in_group * GROUP
    wide = min(tiles_n - first, GROUP)
    tile_n = first + program % in_group % wide
    tile_m = program % in_group // wide

    rows = tile_m * TILE + tl.arange(0, TILE)
    columns = tile_n * TILE + tl.arange(0, TILE)
    k = tl.arange(0, TILE)
    a_tile = a_ptr + rows[:, None] * K + k[None, :]
    b_tile = b_ptr + k[:, None] * N + columns[None, :]
    acc = tl.zeros([TILE, TILE], dtype=tl.float32)
    for _ in range(0, K, TILE):
        acc = tl.dot(tl.load(a_tile), tl.load(b_tile), acc)
        a_tile += TILE
        b_tile += TILE * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16))


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = ((m // 32) * (n // 32),)
    gemm_kernel[grid](a, b, c, m, n, k, TILE=32, GROUP=4)
    return c
