# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(
    x_ptr,
    w_ptr,
    bias_ptr,
    skip_ptr,
    out_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(
            x_ptr + rows[:, None] * K + k[None, :],
            mask=(rows[:, None] < M) & (k[None, :] < K),
            other=0.0,
        )
        w = tl.load(
            w_ptr + k[:, None] * N + columns[None, :],
            mask=(k[:, None] < K) & (columns[None, :] < N),
            other=0.0,
        )
        acc = tl.dot(x, w, acc, input_precision="ieee")
    bias = tl.load(bias_ptr + columns, mask=columns < N, other=0.0)
    acc = tl.maximum(acc + bias[None, :], 0.0)
    first = (tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N)
    skip = tl.make_block_ptr(skip_ptr, (M, N), (N, 1), first, (BLOCK_M, BLOCK_N), (1, 0))
    out = tl.make_block_ptr(out_ptr, (M, N), (N, 1), first, (BLOCK_M, BLOCK_N), (1, 0))
    acc += tl.load(skip, boundary_check=(0, 1), padding_option="zero")
    tl.store(out, acc, boundary_check=(0, 1))


def linear_relu_add(x, w, bias, skip):
    (m, k), n = x.shape, w.shape[1]
    out = torch.empty_like(skip)
    product_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 32))](
        x, w, bias, skip, out, m, n, k, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32
    )
    return out
