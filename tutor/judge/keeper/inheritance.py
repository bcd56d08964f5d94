"""The things that a forked process gets from its caller instead of from its parent."""

import contextlib
import os

from tutor.judge.model.keeper_messages import Surroundings


def apply(given: Surroundings) -> None:
    """Take over environment, niceness and cores. Niceness can only grow (nice(2))."""
    os.environb.clear()
    os.environb.update(given.environment)
    with contextlib.suppress(OSError):
        os.nice(max(0, given.niceness - os.nice(0)))
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, given.cores)
