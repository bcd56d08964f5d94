import torch
import triton
import triton.language as tl


def config(m, n, k, stages):
    tile = {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8}
    return triton.Config(tile, num_warps=8, num_stages=stages)


@triton.autotune(
    [config(128, 256, 64, 3), config(256, 128, 64, 3), config(128, 256, 64, 4)], key=["M", "N", "K"]
)
@triton.jit
def gemm_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_row,
    a_col,
    b_row,
    b_col,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP * tiles_n
    first = program // in_group * GROUP
    high = min(tiles_m - first, GROUP)
    tile_m = first + program % in_group % high
    tile_n = program % in_group // high

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    inner = tl.arange(0, BLOCK_K)
    a_tile = a_ptr + (rows % M)[:, None] * a_row + inner[None, :] * a_col
    b_tile = b_ptr + inner[:, None] * b_row + (columns % N)[None, :] * b_col
    for start in range(0, K, BLOCK_K):
        x = tl.load(a_tile, mask=inner[None, :] < K - start, other=0.0)
        y = tl.load(b_tile, mask=inner[:, None] < K - start, other=0.0)
        acc = tl.dot(x, y, acc)
        a_tile += BLOCK_K * a_col
        b_tile += BLOCK_K * b_row
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)

    def grid(meta):
        return (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)

    gemm_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride())
    return c
