"""The L2 cache of the CUDA device between two samples: overwritten, and nothing pinned in it.

Lines that a program has made persist survive being overwritten (CUDA C++ Programming Guide, "L2 cache
set-aside for persisting accesses"); `cuCtxResetPersistingL2Cache` takes that back, and a limit of 0
leaves no room for more.
"""

import contextlib
import ctypes
import functools

import torch

_PERSISTING_SIZE = 6  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE, cuda.h


@functools.cache
def flush_buffer() -> torch.Tensor:
    """Twice the L2 cache of device 0, in int32 elements."""
    size = torch.cuda.get_device_properties(0).L2_cache_size
    return torch.zeros(2 * size // 4, dtype=torch.int32, device="cuda")  # its kernel is loaded now


def forget_persisting() -> None:
    """End all persistence. Does nothing where the device or driver knows of none."""
    if driver := _driver():
        driver.cuCtxResetPersistingL2Cache()
        driver.cuCtxSetLimit(_PERSISTING_SIZE, ctypes.c_size_t(0))


def persisting_bytes() -> int:
    """How much of the cache is set aside for lines that persist."""
    size = ctypes.c_size_t(0)
    if driver := _driver():
        driver.cuCtxGetLimit(ctypes.byref(size), _PERSISTING_SIZE)
    return size.value


@functools.cache
def _driver() -> ctypes.CDLL | None:
    with contextlib.suppress(OSError):
        found = ctypes.CDLL("libcuda.so.1")
        if hasattr(found, "cuCtxResetPersistingL2Cache"):  # since CUDA 11
            return found
    return None
