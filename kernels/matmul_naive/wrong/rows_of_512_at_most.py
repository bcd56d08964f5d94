# expect: output-not-written
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, a_row, a_col, b_row, b_col, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, WIDTH)
    total = tl.zeros([WIDTH], dtype=tl.float32)
    for k in range(0, K):
        x = tl.load(a_ptr + row * a_row + k * a_col)
        y = tl.load(b_ptr + k * b_row + column * b_col, mask=column < N, other=0.0)
        total += x * y
    tl.store(c_ptr + row * N + column, total, mask=column < N)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Compute a row a program, in one block that does not hold every row."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    matmul_kernel[(m,)](a, b, c, n, k, *a.stride(), *b.stride(), WIDTH=512)
    return c
