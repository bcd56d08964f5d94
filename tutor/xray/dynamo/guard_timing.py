"""Dynamo's measurement of its guards, made after each compilation.

Dynamo evaluates new guards once more and reports the time, in the log of guards as `Guard eval latency`
and among the figures of a compilation. Before that it flushes the processor's caches, which takes 10 to
50 ms: a quarter to a half of the time that Dynamo needs for a small function.

A private name of torch, read in 2.11 and 2.13: `profile_guard_manager` in torch/_dynamo/guards.py.
"""

import logging
import time
from typing import Any

from torch._dynamo import guards

_MEASURE = "profile_guard_manager"


def measure_warm() -> None:
    """Measure with warm caches from now on, unless the log of guards is on. Applies to this process
    and its forks."""
    flushed = vars(guards)[_MEASURE]

    def measure(root: Any, values: dict[str, Any], rounds: int) -> float:
        """Return the microseconds of one evaluation."""
        if guards.guards_log.isEnabledFor(logging.DEBUG):
            return float(flushed(root, values, rounds))
        began = time.perf_counter()
        for _ in range(rounds):
            root.check(values)
        return (time.perf_counter() - began) * 1e6 / rounds

    setattr(guards, _MEASURE, measure)
