# expect: wrong-values
# says: The accumulator is made once for a row, not for each block of columns: sums run on.
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, N, K, a_row, a_col, b_row, b_col, DEEP: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([WIDE], dtype=tl.float32)
    for start in range(0, N, WIDE):
        columns = start + tl.arange(0, WIDE)
        for first in range(0, K, DEEP):
            k = first + tl.arange(0, DEEP)
            x = tl.load(a_ptr + row * a_row + k * a_col, mask=k < K, other=0.0)
            inside = (k[:, None] < K) & (columns[None, :] < N)
            at_b = b_ptr + k[:, None] * b_row + columns[None, :] * b_col
            acc += tl.sum(x[:, None] * tl.load(at_b, mask=inside, other=0.0), axis=0)
        tl.store(c_ptr + row * N + columns, acc, mask=columns < N)


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=torch.float32, device=a.device)
    kernel[(m,)](a, b, c, n, k, *a.stride(), *b.stride(), DEEP=64, WIDE=64)
    return c
