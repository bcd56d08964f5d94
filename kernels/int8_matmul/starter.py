import torch
import triton
import triton.language as tl


@triton.jit
def int8_kernel(
    x_ptr, w_ptr, out_ptr, M, N, K, zero, x_row, x_col, w_row, w_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.int32)
    # Write the steps along K: what is loaded, what is
    # multiplied, and what the zero point needs beside.
    result = acc
    at = out_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, result, mask=(rows[:, None] < M) & (columns[None, :] < N))


def int8_matmul(x: torch.Tensor, w: torch.Tensor, zero: int) -> torch.Tensor:
    """Return (x - zero) @ w as int32. x is int8 [M, K], w int8 [K, N]."""
    (m, k), n = x.shape, w.shape[1]
    out = torch.empty((m, n), dtype=torch.int32, device=x.device)
    block_m, block_n, block_k = 64, 64, 64
    int8_kernel[(triton.cdiv(m, block_m), triton.cdiv(n, block_n))](
        x, w, out, m, n, k, zero, *x.stride(), *w.stride(),
        BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k,
    )  # fmt: skip
    return out
