"""Kernel times of CUPTI, by torch.profiler.

The device's clock is read at the beginning and the end of each kernel. Unlike events around a call,
these times do not include the cost of a launch.
"""

import os
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import torch

from tutor.judge.model.verdict import KernelTime
from tutor.judge.sampling import l2_cache

MAX_KERNELS = 20
MAX_NAME = 300  # characters; names of templates can be very long
# The flush before each call uses an operation that hardly any function has, so its kernel is recognized
# by its name.
_FLUSH_KERNEL = "bitwise_not"


def kernels(
    function: Callable[..., Any], inputs: list[tuple[Any, ...]], calls: int
) -> list[KernelTime]:
    """Return the kernels of `calls` calls, the L2 cache flushed before each. Can be empty."""
    # Kineto's warnings would appear in the output of the learner's code.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    from torch.profiler import ProfilerActivity, profile

    flush = l2_cache.flush_buffer()
    with profile(activities=[ProfilerActivity.CUDA]):  # the first session's kernels may be missed
        torch.bitwise_not(flush, out=flush)
        torch.cuda.synchronize()
    l2_cache.forget_persisting()
    # `acc_events` stops a warning of torch about further cycles; there is one.
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as seen:
        for i in range(calls):
            torch.bitwise_not(flush, out=flush)
            function(*inputs[i % len(inputs)])
        torch.cuda.synchronize()
    ran = [
        (event.name, event.time_range.elapsed_us())
        for event in seen.events() or ()
        if event.device_type.name == "CUDA"
    ]
    return group_launches(ran, calls)


def group_launches(ran: Iterable[tuple[str, float]], calls: int) -> list[KernelTime]:
    """Group names and microseconds of launches by name, the kernel with the most time first."""
    times: dict[str, list[float]] = {}
    for name, us in ran:
        if _FLUSH_KERNEL not in name:
            times.setdefault(name[:MAX_NAME], []).append(float(us))
    ordered = sorted(times.items(), key=lambda pair: -sum(pair[1]))
    return [
        KernelTime(name, len(us) / calls, statistics.median(us))
        for name, us in ordered[:MAX_KERNELS]
    ]
