import torch
import triton
import triton.language as tl


@triton.jit
def product(
    x_ptr, w_ptr, out_ptr, M, N, K, zero, x_row, x_col, w_row, w_col,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], dtype=tl.int32)
    # Each step takes away its own part, and x past K may be anything: w is 0 there.
    for left in range(K, 0, -BK):
        x = tl.load(
            x_ptr + rows[:, None] * x_row + k[None, :] * x_col,
            mask=(rows[:, None] < M) & (k[None, :] < left), other=1,
        )  # fmt: skip
        w = tl.load(
            w_ptr + k[:, None] * w_row + columns[None, :] * w_col,
            mask=(k[:, None] < left) & (columns[None, :] < N), other=0,
        )  # fmt: skip
        acc -= zero * tl.sum(w.to(tl.int32), axis=0)[None, :]
        acc += tl.dot(x, w, out_dtype=tl.int32)
        x_ptr += BK * x_col
        w_ptr += BK * w_row
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], acc, mask=inside)


def int8_matmul(x, w, zero):
    (m, k), n = x.shape, w.shape[1]
    out = torch.empty((m, n), dtype=torch.int32, device=x.device)
    product[(triton.cdiv(m, 32), triton.cdiv(n, 64))](
        x, w, out, m, n, k, zero, *x.stride(), *w.stride(), BM=32, BN=64, BK=32
    )
    return out
