import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def online_max_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    # What an empty row would have. The first step then needs no special case: its factor is
    # exp(-inf - new), which is 0.
    largest = float("-inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        # -inf never wins the maximum, and exp(-inf - new) = 0 adds nothing to the sum.
        v = tl.load(x_ptr + row * columns + column, mask=column < columns, other=float("-inf"))
        new = tl.maximum(largest, tl.max(v, axis=0))
        # `total` is a sum of exp(x - largest). Times exp(largest - new) it is a sum of exp(x - new).
        # `new` is never below `largest`, so no exponent is above 0 and nothing overflows.
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new), axis=0)
        largest = new  # last: the line before needs the old one
    tl.store(out_ptr + row * 2, largest)
    tl.store(out_ptr + row * 2 + 1, total)


def online_max(x: torch.Tensor) -> torch.Tensor:
    """Maximum of each row, and sum of exp(x - maximum): [rows, columns] -> [rows, 2]."""
    rows, columns = x.shape
    out = torch.empty((rows, 2), dtype=x.dtype, device=x.device)
    online_max_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
