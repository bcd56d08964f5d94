import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def running_total_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    # The accumulator: one total for each lane, in float32. It is made before the loop and its shape
    # and type stay the same in every step.
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # 64 bits, because row * columns passes 2**31 in a tensor of 8 GiB.
    at = column.to(tl.int64)
    for _ in range(0, rows):
        # A masked lane holds an undefined value here and in its total. No other lane sees it,
        # because the lanes never mix, and the store drops the same lanes.
        total += tl.load(x_ptr + at, mask=mask)
        tl.store(out_ptr + at, total, mask=mask)
        at += columns


def running_total(x: torch.Tensor) -> torch.Tensor:
    """The total of each column after each row of a contiguous float32 matrix."""
    rows, columns = x.shape
    out = torch.empty_like(x)
    # The columns are divided among programs, the rows are not: each row needs the one before.
    grid = (triton.cdiv(columns, BLOCK),)
    running_total_kernel[grid](x, out, rows, columns, BLOCK=BLOCK)
    return out
