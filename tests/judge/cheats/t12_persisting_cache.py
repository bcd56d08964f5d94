# expect: tampering
# exercise: vector_add
# T12: the inputs are pinned in the L2 cache, so that flushing it does not evict them.
import contextlib
import ctypes

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def launch(x, y, out):
    n = out.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x.contiguous(), y.contiguous(), out, n, BLOCK=BLOCK)
    return out


def new(x):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


PERSISTING_L2_CACHE_SIZE = 6  # cudaLimitPersistingL2CacheSize


def pin():
    runtime = ctypes.CDLL("libcudart.so.13" if torch.version.cuda >= "13" else "libcudart.so.12")
    runtime.cudaDeviceSetLimit(PERSISTING_L2_CACHE_SIZE, ctypes.c_size_t(32 << 20))


if torch.cuda.is_available():
    with contextlib.suppress(OSError):  # another version's name
        pin()


def add(x, y):
    return launch(x, y, new(x))
