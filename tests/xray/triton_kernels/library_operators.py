"""An operator of one's own that `torch.library.impl` has registered, for no device by name."""

import torch
import triton
import triton.language as tl

torch.library.define("library_operators::fourfold", "(Tensor x) -> Tensor")


@triton.jit
def fourfold_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 4 * tl.load(x + i, mask=i < n), mask=i < n)


@torch.library.impl("library_operators::fourfold", "default")
def fourfold(x):
    out = torch.empty_like(x)
    fourfold_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@torch.library.register_fake("library_operators::fourfold")
def shape_of_fourfold(x):
    return torch.empty_like(x)
