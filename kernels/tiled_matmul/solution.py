import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_col, b_row, b_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    # One program, one tile of c. 64 bits: a matrix of 2**31 elements is only 8 GiB.
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K).to(tl.int64)
    # Pointers to the first tile of each operand. They move along K; rows and columns stay.
    a_tile = a_ptr + rows[:, None] * a_row + inner[None, :] * a_col
    b_tile = b_ptr + inner[:, None] * b_row + columns[None, :] * b_col
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        # The last step may reach past K. There both operands hold 0, which adds nothing; 0 in one
        # of them would do if the other could not be infinite or NaN. Rows past M and columns past N
        # need no neutral value, only a mask: what they compute is never stored.
        left = K - start
        x = tl.load(a_tile, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        y = tl.load(b_tile, mask=(inner[:, None] < left) & (columns[None, :] < N), other=0.0)
        # For float32 the default would round x and y to TF32 on the way into the tensor cores.
        acc = tl.dot(x, y, acc, input_precision="ieee")
        a_tile += BLOCK_K * a_col
        b_tile += BLOCK_K * b_row
    at = c_ptr + rows[:, None] * N + columns[None, :]  # c is contiguous: its rows are N apart
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N], float32.

    A 64 x 64 tile uses every number it loads 64 times: 2 * 64 * 64 operations for 2 * 64 * 4 bytes
    in each step along K, 16 FLOP a byte.
    """
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    block_m, block_n, block_k = 64, 64, 32
    # Strides are handed over: a transposed view is read where it lies, without a copy.
    matmul_kernel[(triton.cdiv(m, block_m), triton.cdiv(n, block_n))](
        a, b, c, m, n, k, *a.stride(), *b.stride(),
        BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k,
    )  # fmt: skip
    return c
