# expect: too-few-programs
import torch
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, TILE: tl.constexpr):
    program = tl.program_id(0)
    tiles_m, tiles_n = M // TILE, N // TILE
    tile_m = program // tiles_n
    tile_n = program % tiles_n

    rows = tile_m * TILE + tl.arange(0, TILE)
    columns = tile_n * TILE + tl.arange(0, TILE)
    k = tl.arange(0, 32)
    a_tile = a_ptr + rows[:, None] * K + k[None, :]
    b_tile = b_ptr + k[:, None] * N + columns[None, :]
    acc = tl.zeros([TILE, TILE], dtype=tl.float32)
    for _ in range(0, K, 32):
        acc = tl.dot(tl.load(a_tile), tl.load(b_tile), acc)
        a_tile += 32
        b_tile += 32 * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16))


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    tile = 128 if m % 128 == 0 and n % 128 == 0 else 32
    grid = ((m // tile) * (n // tile),)
    gemm_kernel[grid](a, b, c, m, n, k, TILE=tile)
    return c
