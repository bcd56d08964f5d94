"""Samples of one function's time on one device.

CUDA: events around the call. The L2 cache is flushed before each call outside the window. The launches
are queued behind a sleeping kernel, so that the host's launch cost is not included (the method of
nvbench's cold measurement and of `triton.testing.do_bench`). CPU: `perf_counter` around the call. Each
call gets the next input of a ring of different contents, so that a cached result is not taken for work.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

import torch

from tutor.judge.processes.shared_tensors import copy_into
from tutor.judge.sampling import l2_cache

BACKLOG = 16  # launches behind one sleeping kernel; about 32 fit in the queue
_cycles = 2_000_000  # of the sleep; grows if it is too short
_MAX_CYCLES = 32_000_000  # about 20 ms; launches that the host submits more slowly are not queued
_HOST_CALLS = 9

_EMPTY = """
import triton


@triton.jit
def empty():
    pass
"""


def ring(args: tuple[Any, ...], shifts: list[int]) -> list[tuple[Any, ...]]:
    """Return the inputs once for each shift with their rows rolled by it: the same distribution."""
    return [
        tuple(roll(a, shift) if isinstance(a, torch.Tensor) else a for a in args)
        for shift in shifts
    ]


def roll(tensor: torch.Tensor, shift: int) -> torch.Tensor:
    """Roll `tensor` along its first dimension and keep its strides."""
    moved = torch.empty_strided(
        tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device
    )
    return copy_into(moved, torch.roll(tensor, shift, 0) if tensor.dim() else tensor)


def round_of(
    function: Callable[..., Any], inputs: list[tuple[Any, ...]], samples: int
) -> list[float]:
    """Take `samples` times in milliseconds with the ring of inputs in turn."""
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
    global _cycles
    times: list[float] = []
    while len(times) < samples:
        batch = min(BACKLOG, samples - len(times))
        turns = [inputs[(len(times) + i) % len(inputs)] for i in range(batch)]
        measured, queued = _batch(function, turns, _cycles)
        if queued or _cycles >= _MAX_CYCLES:
            times += measured
        else:  # the device waited for the host in some of these
            _cycles *= 2
    return times


def _batch(
    function: Callable[..., Any], turns: list[tuple[Any, ...]], cycles: int
) -> tuple[list[float], bool]:
    """Return the milliseconds of each call, and True if all were queued before the first began."""
    flush = l2_cache.flush_buffer()
    l2_cache.forget_persisting()
    events = [
        (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
        for _ in range(len(turns) + 1)
    ]
    (before, after), *around = events
    before.record()
    torch.cuda._sleep(cycles)
    after.record()
    started = time.perf_counter()
    for args, (start, end) in zip(turns, around, strict=True):
        flush.zero_()
        start.record()
        function(*args)
        end.record()
    submitting = (time.perf_counter() - started) * 1e3
    torch.cuda.synchronize()
    times = [start.elapsed_time(end) for start, end in around]
    return times, submitting <= before.elapsed_time(after)


@functools.cache
def empty_launch() -> Callable[..., Any]:
    """Return a function that launches an empty `@triton.jit` kernel, to time what any launch costs."""
    from tutor.judge.processes import learner_module

    kernel = learner_module.load_module(_EMPTY, "empty_kernel.py", "empty_kernel").empty
    kernel[(1,)]()  # compile before it is timed
    return lambda *_: kernel[(1,)]()


def host_and_rest(
    function: Callable[..., Any], inputs: list[tuple[Any, ...]]
) -> tuple[list[float], list[float], list[float]]:
    """Return three times in milliseconds for each of a few calls on CUDA.

    They are the host's time to submit the call, the time from then until all streams of the device are
    idle, and the latter for an empty launch, which waits if another program uses the device.
    """
    empty = empty_launch()
    submits: list[float] = []
    rests: list[float] = []
    empties: list[float] = []
    for i in range(_HOST_CALLS):
        submit, rest = _one_call(function, inputs[i % len(inputs)])
        submits.append(submit)
        rests.append(rest)
        empties.append(_one_call(empty, ())[1])
    return submits, rests, empties


def _one_call(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, float]:
    torch.cuda.synchronize()
    started = time.perf_counter()
    function(*args)
    submitted = time.perf_counter()
    torch.cuda.synchronize()
    return (submitted - started) * 1e3, (time.perf_counter() - submitted) * 1e3
