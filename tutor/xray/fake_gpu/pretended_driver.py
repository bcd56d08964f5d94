"""Triton's driver for a GPU that is not there: it tells what the target is, and launches nothing.

Files that use Triton ask it when they are loaded (`driver.active.get_active_torch_device()`, the
number of multiprocessors). No torch is imported unless a file asks for a device.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.host_answers import refuse_benchmark


class CudaUtils(types.SimpleNamespace):
    """Stands for Triton's class of this name, which errors call by it."""


@contextmanager
def driver_of(target: Target, device: str = "cuda:0") -> Iterator[None]:
    """Inside, Triton's active driver is one of the target, whose tensors are on `device`."""
    from triton.backends.compiler import GPUTarget
    from triton.runtime.driver import driver

    gpu_target = GPUTarget(target.backend, target.triton_arch, target.warp_size)
    pretended = types.SimpleNamespace(
        get_current_target=lambda: gpu_target,
        get_current_device=lambda: 0,
        set_current_device=lambda device: None,
        get_current_stream=lambda device=None: 0,
        get_active_torch_device=lambda: _torch().device(device),
        get_device_interface=lambda: _torch().cuda,
        get_device_capability=lambda device=0: target.capability,
        is_active=lambda: True,
        get_benchmarker=lambda: refuse_benchmark,
        get_empty_cache_for_benchmark=refuse_benchmark,
        utils=CudaUtils(get_device_properties=lambda device: _properties(target)),
    )
    before = getattr(driver, "_active", None)
    driver.set_active(pretended)
    try:
        yield
    finally:
        driver.set_active(before)


def _properties(target: Target) -> dict[str, int]:
    """Return what `driver.active.utils.get_device_properties` has of a device."""
    return {
        "max_shared_mem": target.shared_per_block_optin,
        "max_num_regs": target.registers_per_multiprocessor,
        "multiprocessor_count": target.multiprocessors,
        "warpSize": target.warp_size,
        "sm_clock_rate": target.clock,
        "mem_clock_rate": target.memory_clock,
        "mem_bus_width": target.memory_bus,
    }


def _torch() -> Any:
    import torch

    return torch
