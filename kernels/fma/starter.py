import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def fma_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Write the kernel: three loads, one store, all of
    # the lanes that exist and none of the others.
    pass


def fma(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c, of any shape, float32."""
    # Write the launch: what must hold for the inputs'
    # layout, and how many programs are needed?
    out = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    return out
