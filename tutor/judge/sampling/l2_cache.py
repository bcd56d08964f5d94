"""Flush of the CUDA device's L2 cache between two samples.

A flush does not remove lines that a program has made persistent (CUDA C++ Programming Guide, "L2 cache
set-aside for persisting accesses"). `cuCtxResetPersistingL2Cache` does, and a limit of 0 prevents more.
"""

import contextlib
import ctypes
import functools

import torch

_PERSISTING_SIZE = 6  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE, cuda.h


@functools.cache
def flush_buffer() -> torch.Tensor:
    """Return a buffer of twice the size of device 0's L2 cache."""
    size = torch.cuda.get_device_properties(0).L2_cache_size
    return torch.zeros(2 * size // 4, dtype=torch.int32, device="cuda")  # also loads the kernel


def forget_persisting() -> None:
    """End all persistence. Do nothing if the device or driver does not support it."""
    if driver := _driver():
        driver.cuCtxResetPersistingL2Cache()
        driver.cuCtxSetLimit(_PERSISTING_SIZE, ctypes.c_size_t(0))


def persisting_bytes() -> int:
    """Return how much of the cache is set aside for persistent lines."""
    size = ctypes.c_size_t(0)
    if driver := _driver():
        driver.cuCtxGetLimit(ctypes.byref(size), _PERSISTING_SIZE)
    return size.value


@functools.cache
def _driver() -> ctypes.CDLL | None:
    with contextlib.suppress(OSError):
        driver = ctypes.CDLL("libcuda.so.1")
        if hasattr(driver, "cuCtxResetPersistingL2Cache"):  # since CUDA 11
            return driver
    return None
