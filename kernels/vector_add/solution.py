import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Program p owns elements p * BLOCK … p * BLOCK + BLOCK - 1, one a lane. The product is taken in
    # 64 bits: program_id is 32 bits wide, and a tensor of 2**31 elements fits many a GPU.
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    # The last program usually has more lanes than elements are left: the mask says which exist.
    mask = offsets < n
    # What a masked load leaves in the other lanes is undefined. No `other=` is needed here, because
    # lanes never mix in an addition and the store drops the same lanes.
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x + y for contiguous float32 tensors of any shape."""
    # x is contiguous, so the output is: offset i means the same element in all three.
    out = torch.empty_like(x)
    n = out.numel()
    # Rounded up: the rest that does not fill a block needs a program too.
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK)
    return out
