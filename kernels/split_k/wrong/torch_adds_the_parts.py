# expect: did-not-launch
import torch
import triton
import triton.language as tl

PART = 128
STEP = 64


@triton.jit
def split_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    PART: tl.constexpr,
    STEP: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    begin = tl.program_id(0) * PART
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(begin, begin + PART, STEP):
        k = (start + tl.arange(0, STEP)).to(tl.int64)
        x = tl.load(
            a_ptr + rows[:, None] * K + k[None, :],
            mask=(rows[:, None] < M) & (k[None, :] < K),
            other=0.0,
        )
        y = tl.load(
            b_ptr + k[:, None] * N + columns[None, :],
            mask=(k[:, None] < K) & (columns[None, :] < N),
            other=0.0,
        )
        acc = tl.dot(x, y, acc)
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at + tl.program_id(0) * M * N, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    count = triton.cdiv(k, PART)
    parts = torch.empty((count, m, n), dtype=torch.float32, device=a.device)
    split_kernel[(count,)](a, b, parts, m, n, k, PART=PART, STEP=STEP, BM=32, BN=32)
    return parts.sum(0)
