# expect: wrong-values
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, N, K, a_row, a_col, b_row, b_col, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        x = tl.load(a_ptr + row * a_row + k * a_col, mask=k < K, other=0.0)
        y = tl.load(b_ptr + k * b_row + column * b_col, mask=k < K, other=0.0)
        total = x * y
    tl.store(c_ptr + row * N + column, tl.sum(total, axis=0))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N], float32.

    Every element reads its own row and column: 2K numbers for 2K operations, 0.25 FLOP a byte.
    """
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    matmul_kernel[(m, n)](a, b, c, n, k, *a.stride(), *b.stride(), BLOCK=64)
    return c
