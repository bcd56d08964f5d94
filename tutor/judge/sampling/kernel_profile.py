"""Kernel times as CUPTI has them, by way of torch.profiler: the device's own clock at the beginning and
the end of each kernel, without the cost of a launch that events around a call hold as well.
"""

import os
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import torch

from tutor.judge.sampling import l2_cache

MAX_KERNELS = 20
MAX_NAME = 300  # characters; a template's name has no end
# The flush before each call is an operation that hardly anybody's function does, so that its kernel can
# be told from theirs by its name.
_FLUSH_KERNEL = "bitwise_not"


def kernels(
    function: Callable[..., Any], inputs: list[tuple[Any, ...]], calls: int
) -> list[dict[str, Any]]:
    """Kernels of `calls` calls, the L2 cache flushed before each: `{"name", "count", "median_us"}` as
    in `verdict.KernelTime`; empty where nothing was seen."""
    # Its warnings would stand among what the learner's code printed.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    from torch.profiler import ProfilerActivity, profile

    flush = l2_cache.flush_buffer()
    with profile(activities=[ProfilerActivity.CUDA]):  # the first session's kernels may be missed
        torch.bitwise_not(flush, out=flush)
        torch.cuda.synchronize()
    l2_cache.forget_persisting()
    # (One cycle only; `acc_events` keeps torch from warning of others.)
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
    return summary(ran, calls)


def summary(ran: Iterable[tuple[str, float]], calls: int) -> list[dict[str, Any]]:
    """Names and microseconds of launches, by name: the kernel with the most time first."""
    times: dict[str, list[float]] = {}
    for name, us in ran:
        if _FLUSH_KERNEL not in name:
            times.setdefault(name[:MAX_NAME], []).append(float(us))
    ordered = sorted(times.items(), key=lambda each: -sum(each[1]))
    return [
        {"name": name, "count": len(us) / calls, "median_us": statistics.median(us)}
        for name, us in ordered[:MAX_KERNELS]
    ]
