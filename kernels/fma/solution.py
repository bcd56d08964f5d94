import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def fma_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # One lane, one element. 64 bits, because 2**31 elements are only 8 GiB.
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n  # the tail of the last program has no elements
    # No `other=`: what the lanes outside the mask hold is never stored and meets no other lane.
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    c = tl.load(c_ptr + offsets, mask=mask)
    # The product stays in a register. The compiler makes this one `fma.rn.f32`: 16 bytes an element
    # move instead of the 24 of a multiplication and an addition that run as kernels of their own.
    tl.store(out_ptr + offsets, a * b + c, mask=mask)


def fma(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c, of any shape, float32."""
    # One offset serves four tensors, so all four must lie in memory in the same order.
    a, b, c = a.contiguous(), b.contiguous(), c.contiguous()
    out = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    n = out.numel()
    fma_kernel[(triton.cdiv(n, BLOCK),)](a, b, c, out, n, BLOCK=BLOCK)
    return out
