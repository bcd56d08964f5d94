import torch
import triton
import triton.language as tl


@triton.jit
def column_sums(w_ptr, sums_ptr, N, K, w_row, w_col, BK: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros([BN], dtype=tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        w = tl.load(
            w_ptr + k[:, None] * w_row + columns[None, :] * w_col,
            mask=(k[:, None] < K) & (columns[None, :] < N), other=0,
        )  # fmt: skip
        total += tl.sum(w.to(tl.int32), axis=0)
    tl.store(sums_ptr + columns, total, mask=columns < N)


@triton.jit
def product(
    x_ptr, w_ptr, sums_ptr, out_ptr, M, N, K, zero, x_row, x_col, w_row, w_col,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(
            x_ptr + rows[:, None] * x_row + k[None, :] * x_col,
            mask=(rows[:, None] < M) & (k[None, :] < K), other=0,
        )  # fmt: skip
        w = tl.load(
            w_ptr + k[:, None] * w_row + columns[None, :] * w_col,
            mask=(k[:, None] < K) & (columns[None, :] < N), other=0,
        )  # fmt: skip
        acc = tl.dot(x, w, acc, out_dtype=tl.int32)
    sums = tl.load(sums_ptr + columns, mask=columns < N, other=0)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(
        out_ptr + rows[:, None] * N + columns[None, :], acc - zero * sums[None, :], mask=inside
    )


def int8_matmul(x, w, zero):
    (m, k), n = x.shape, w.shape[1]
    sums = torch.empty(n, dtype=torch.int32, device=x.device)
    out = torch.empty((m, n), dtype=torch.int32, device=x.device)
    column_sums[(triton.cdiv(n, 64),)](w, sums, n, k, *w.stride(), BK=64, BN=64)
    product[(triton.cdiv(m, 64), triton.cdiv(n, 64))](
        x, w, sums, out, m, n, k, zero, *x.stride(), *w.stride(), BM=64, BN=64, BK=64
    )
    return out
