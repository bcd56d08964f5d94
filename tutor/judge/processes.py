"""Linux process control for the judge: limits, parents' deaths, whole groups, strays.

Sources: prctl(2), setrlimit(2), proc(5).
"""

import contextlib
import ctypes
import os
import resource
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def die_with_parent(parent: int) -> None:
    """Be killed when the process that forked us ends; at once if it already has."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose own parent dies, so that none escapes."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def limit_memory(extra_bytes: int) -> None:
    """Let this process map at most `extra_bytes` more than it has now; then malloc fails."""
    ceiling = _status_kib(os.getpid(), "VmSize") * 1024 + extra_bytes
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def no_core_files() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def resident_bytes(pid: int) -> int:
    """Anonymous resident memory of one process; 0 once it is gone."""
    return _status_kib(pid, "RssAnon") * 1024


def _status_kib(pid: int, key: str) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


def waited_seconds(pid: int) -> float:
    """How long a process was ready to run and had no core; 0 where the kernel does not tell.

    The second field of /proc/PID/schedstat, in nanoseconds (Documentation/scheduler/sched-stats).
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in task.read_text().split()]
    return found


def descendants(pid: int) -> list[int]:
    found = children(pid)
    for child in list(found):
        found += descendants(child)
    return found


def kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill a process group and every descendant of its leader that left the group."""
    strays = descendants(leader)
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    for pid in [leader, *strays]:
        kill(pid)
