"""Linux process control for the judge: limits, parents' deaths, whole groups, strays.

Sources: prctl(2), setrlimit(2), proc(5).
"""

import contextlib
import ctypes
import functools
import os
import resource
import signal
import time
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")  # a second
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36


@functools.cache
def _libc() -> ctypes.CDLL:
    """Return the C library, which takes half a millisecond to open; forks find it open."""
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _libc().prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, or at once if the parent has ended
    already."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose own parent dies, so that none escapes."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def limit_memory(extra_bytes: int) -> None:
    """Let this process map at most `extra_bytes` more than it has now, and no more than an earlier call
    allows; then malloc fails."""
    ceiling = _status_kib(os.getpid(), "VmSize") * 1024 + extra_bytes
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        ceiling = min(ceiling, hard)
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def limit_tasks(extra: int = 1024) -> None:
    """Limit the processes and threads of this process's user to `extra` more than the machine has now;
    then fork fails. This has no effect for root, whom the kernel exempts (setrlimit(2)): `descendants`
    counts them."""
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    ceiling = _tasks() + extra
    if hard != resource.RLIM_INFINITY:
        ceiling = min(ceiling, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (ceiling, ceiling))


def _tasks() -> int:
    """Return the number of processes and threads on the machine: the fourth field of /proc/loadavg,
    proc(5)."""
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])


def no_core_files() -> None:
    """Let no crash of this process, or of what it forks, write a core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def resident_bytes(pid: int) -> int:
    """Return the anonymous resident memory of one process; 0 once it is gone."""
    return _status_kib(pid, "RssAnon") * 1024


def proportional_bytes(pid: int) -> int:
    """Return the same with each shared page divided among the processes that share it; takes
    milliseconds."""
    return _status_kib(pid, "Pss_Anon", "smaps_rollup") * 1024


def _status_kib(pid: int, key: str, file: str = "status") -> int:
    try:
        for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


def read_core_seconds(pid: int) -> tuple[float, float]:
    """Return how long a process's first thread had a core, and how long it was ready to run and had
    none; zeros if the kernel does not report it.

    The first two fields of /proc/PID/schedstat, in nanoseconds (Documentation/scheduler/sched-stats).
    """
    try:
        ran, waited = Path(f"/proc/{pid}/schedstat").read_text().split()[:2]
        return int(ran) / 1e9, int(waited) / 1e9
    except (OSError, ValueError):
        return 0.0, 0.0


def read_processor_seconds(pids: Iterable[int]) -> float:
    """Return the processor time that these processes have had, with that of children that ended.

    The fields utime, stime, cutime and cstime of /proc/PID/stat (proc_pid_stat(5)).
    """
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (
                Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            )
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS


def children(pid: int) -> list[int]:
    """Return the processes that a process has forked and that have not been waited for."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{pid}/task/{task}/children").read_text()
                pids += [int(word) for word in text.split()]
    return pids


def parent(pid: int) -> int:
    """Return the process that is this one's parent; 0 if it is gone."""
    return _status_kib(pid, "PPid")


def descendants(pid: int) -> list[int]:
    """Return the process's children, their children, and so on."""
    pids = children(pid)
    for child in pids:  # the list grows during the loop: a chain may be longer than Python's stack
        pids += children(child)
    return pids


def is_stopped(pid: int) -> bool:
    """Return True for a process that a signal has stopped, which does nothing until it gets SIGCONT, or
    that will stop as soon as it has a core: the signal is sent and not yet taken."""
    return _state(pid) in ("T", "t") or _has_pending(pid, signal.SIGSTOP)


def _has_pending(pid: int, number: int) -> bool:
    """Return True if a signal is sent to a process as a whole that it has not taken: the field ShdPnd
    of /proc/PID/status, a mask in hexadecimal, proc(5)."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
        mask = int(text.partition("\nShdPnd:")[2].split(maxsplit=1)[0], 16)
    except (OSError, ValueError, IndexError):
        return False
    return bool(mask >> (number - 1) & 1)


def resume(pid: int) -> bool:
    """Let a process that was stopped go on. Return True if it was."""
    if pid <= 1 or not is_stopped(pid):
        return False
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGCONT)
    return True


def kill(pid: int) -> None:
    """Kill a process; one that is gone already is no error."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_group(leader: int, patience: float = 0.0) -> None:
    """Kill a process group and every descendant of its leader that left the group. Then wait until they
    are dead, for at most `patience` seconds.

    The whole group is stopped first, so that it cannot fork while it is killed. Descendants that left
    the group can still fork, so the search for them is repeated until it finds no new ones.
    """
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGSTOP)
    killed: set[int] = set()
    while pids := set(descendants(leader)) - killed:
        for pid in pids:
            kill(pid)
        killed |= pids
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    kill(leader)
    deadline = time.monotonic() + patience
    for pid in (leader, *killed):
        while time.monotonic() < deadline and _lives(pid):
            time.sleep(0.002)


def _lives(pid: int) -> bool:
    """Return False for a process that is gone, or dead and not yet waited for."""
    return _state(pid) not in ("", "Z", "X")


def _state(pid: int) -> str:
    """Return the third field of /proc/PID/stat, "" for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def name_process(name: str) -> None:
    """Set the name by which top(1) and ps(1) know this process: at most 15 bytes."""
    _libc().prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def log_to(fd: int) -> None:
    """Write what is printed to the log `fd`, and close `fd`."""
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(fd)
