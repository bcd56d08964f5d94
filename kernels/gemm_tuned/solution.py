import torch
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_col, b_row, b_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    # Grouped order, as in gemm_grouped.
    in_group = GROUP * tiles_n
    first = program // in_group * GROUP
    high = min(tiles_m - first, GROUP)
    tile_m = first + program % in_group % high
    tile_n = program % in_group // high

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    # Rows past M and columns past N read the first ones again: what they compute is never stored,
    # and the loads need no mask but the one along K.
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
    """[M, K] x [K, N] -> [M, N], float16.

    128 x 256 float32 sums are 32,768 registers. Eight warps hold 128 of them a thread; four would
    need 256, and a thread has 255. A stage is (128 + 256) * 64 * 2 bytes = 48 KiB of shared memory:
    four fit into the 227 KiB of an H200, five do not.
    """
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 256),)
    gemm_kernel[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(),
        BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, GROUP=8, num_warps=8, num_stages=3,
    )  # fmt: skip
    return c
