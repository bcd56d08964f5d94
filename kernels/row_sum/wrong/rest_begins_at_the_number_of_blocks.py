# expect: wrong-values
import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, sr, sc, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    base = x_ptr + row * sr
    full = columns // BLOCK
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    # the full blocks need no mask
    for i in range(0, full):
        acc += tl.load(base + (i * BLOCK + lanes) * sc)
    # the rest
    rest = columns - full * BLOCK
    acc += tl.load(base + (full + lanes) * sc, mask=lanes < rest, other=0.0)
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


def row_sum(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    row_sum_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=1024)
    return out
