"""Taking samples of one function on one device.

CUDA: events around the call, the L2 cache flushed before each call outside the window, the launches
queued behind a sleeping kernel so that the host's launch cost does not enter (the method of nvbench's
cold measurement and of `triton.testing.do_bench`). CPU: `perf_counter` around the call. Each call gets
the next input of a ring of different contents, so that a cached result cannot pass for work.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

import torch

from tutor.judge.shared import copy_into

BACKLOG = 16  # launches behind one sleeping kernel; about 32 fit in the queue
_SLEEP_CYCLES = 2_000_000


def ring(args: tuple[Any, ...], shifts: list[int]) -> list[tuple[Any, ...]]:
    """The inputs once for each shift, their rows rolled by it: other content, same distribution."""
    return [
        tuple(rolled(a, shift) if isinstance(a, torch.Tensor) else a for a in args)
        for shift in shifts
    ]


def rolled(tensor: torch.Tensor, shift: int) -> torch.Tensor:
    """`tensor` rolled along its first dimension, with the same strides."""
    moved = torch.empty_strided(
        tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device
    )
    return copy_into(moved, torch.roll(tensor, shift, 0) if tensor.dim() else tensor)


def round_of(
    function: Callable[..., Any], inputs: list[tuple[Any, ...]], samples: int
) -> list[float]:
    """`samples` times in milliseconds, going round the ring of inputs."""
    on_cuda = any(isinstance(a, torch.Tensor) and a.is_cuda for a in inputs[0])
    return (_cuda if on_cuda else _cpu)(function, inputs, samples)


def _cpu(function: Callable[..., Any], inputs: list[tuple[Any, ...]], samples: int) -> list[float]:
    times = []
    for i in range(samples):
        started = time.perf_counter()
        function(*inputs[i % len(inputs)])
        times.append((time.perf_counter() - started) * 1e3)
    return times


def _cuda(function: Callable[..., Any], inputs: list[tuple[Any, ...]], samples: int) -> list[float]:
    flush = _flush_buffer()
    times: list[float] = []
    while len(times) < samples:
        batch = min(BACKLOG, samples - len(times))
        events = [
            (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
            for _ in range(batch)
        ]
        torch.cuda._sleep(_SLEEP_CYCLES)
        for i, (start, end) in enumerate(events):
            flush.zero_()
            start.record()
            function(*inputs[(len(times) + i) % len(inputs)])
            end.record()
        torch.cuda.synchronize()
        times += [start.elapsed_time(end) for start, end in events]
    return times


@functools.cache
def _flush_buffer() -> torch.Tensor:
    """Twice the L2 cache of device 0, in int32 elements."""
    size = torch.cuda.get_device_properties(0).L2_cache_size
    return torch.empty(2 * size // 4, dtype=torch.int32, device="cuda")
