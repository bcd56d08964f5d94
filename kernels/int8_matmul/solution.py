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
    sums = tl.zeros([BLOCK_N], dtype=tl.int32)
    for start in range(0, K, BLOCK_K):
        k = (start + tl.arange(0, BLOCK_K)).to(tl.int64)
        x = tl.load(
            x_ptr + rows[:, None] * x_row + k[None, :] * x_col,
            mask=(rows[:, None] < M) & (k[None, :] < K), other=0,
        )  # fmt: skip
        # Past K the codes of w are 0, so they count neither in the product nor in the sums.
        w = tl.load(
            w_ptr + k[:, None] * w_row + columns[None, :] * w_col,
            mask=(k[:, None] < K) & (columns[None, :] < N), other=0,
        )  # fmt: skip
        # Both factors stay int8, which tensor cores multiply; the sum is an int32.
        acc = tl.dot(x, w, acc, out_dtype=tl.int32)
        sums += tl.sum(w.to(tl.int32), axis=0)
    # sum (x - zero) * w = sum x * w - zero * sum w. Subtracted from x itself, zero would not fit.
    result = acc - zero * sums[None, :]
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
