# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, w_ptr, bias_ptr, skip_ptr, out_ptr, M, N, K, first, limit,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BIAS: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = first + tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rows[:, None] * K + k[None, :],
                    mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + k[:, None] * N + columns[None, :],
                    mask=(k[:, None] < K) & (columns[None, :] < limit), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    if BIAS:
        acc += tl.load(bias_ptr + columns, mask=columns < limit, other=0.0)[None, :]
    at = rows[:, None] * N + columns[None, :]
    mask = (rows[:, None] < M) & (columns[None, :] < limit)
    v = tl.maximum(acc, 0.0) + tl.load(skip_ptr + at, mask=mask)
    tl.store(out_ptr + at, v, mask=mask)


def linear_relu_add(
    x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, skip: torch.Tensor
) -> torch.Tensor:
    """relu(x @ w + bias) + skip, float32, [M, K] x [K, N] -> [M, N]."""
    m, n = x.shape[0], w.shape[1]
    x = torch.cat([x, x.new_ones(m, 1)], 1)
    w = torch.cat([w, bias[None, :]], 0)
    out = torch.empty_like(skip)
    kernel[(triton.cdiv(m, 32), triton.cdiv(n, 32))](
        x, w, bias, skip, out, m, n, x.shape[1], 0, n, BM=32, BN=32, BK=32, BIAS=False)
    return out
