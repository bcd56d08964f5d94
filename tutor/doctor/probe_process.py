"""A process that tries things for the doctor, one after another, and what it finds."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

Found = dict[str, Any]

_SECONDS = 120.0  # importing torch from a cold disk takes tens of them
_LOOK_SECONDS = 0.1  # how often `stopped` is called


class ProbeProcess:
    """A block in which `find` tries things in one process, `python -m tutor.doctor.probe_main`. If that
    process crashes or hangs, it is ended, and the next thing is tried in a new one.

    It runs as the judge does: with this package on the path, without the learner's folder on it, and
    with an empty compiler cache, so that nothing works only because it was compiled before.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "ProbeProcess":
        with ExitStack() as stack:
            folder = tempfile.TemporaryDirectory(prefix="tutor-doctor-", ignore_cleanup_errors=True)
            self._cache = stack.enter_context(folder)
            self._said = stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            stack.callback(self._end)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def find(
        self, name: str, seconds: float = _SECONDS, stopped: Callable[[], bool] = lambda: False
    ) -> Found:
        """Return what the probe `name` prints, or `{"error": sentence}` if it failed, crashed or took
        longer than `seconds`. Once `stopped`, which is called several times a second, returns True,
        its process is killed.
        """
        if self._process is None:
            self._process, self._results = self._start()
        process = self._process
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it has crashed already
            print(name, file=process.stdin, flush=True)
        deadline = time.monotonic() + seconds
        while True:
            ended = process.poll() is not None
            if select.select([self._results], [], [], _LOOK_SECONDS)[0]:
                if line := self._results.readline():
                    finding: Found = json.loads(line)
                    return finding
                process.wait()
                ended = True
            if ended:
                self._end()
                return {"error": self._cause(process.returncode)}
            if stopped() or time.monotonic() > deadline:
                self._end()
                return {"error": f"not finished after {seconds:g} s"}

    def _start(self) -> tuple[subprocess.Popen[str], IO[str]]:
        """Start the process; the other end of the pipe takes its findings and nothing else."""
        package = str(Path(__file__).resolve().parents[2])
        others = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([package, *([others] if others else [])]),
            "PYTHONSAFEPATH": "1",
            "TRITON_CACHE_DIR": self._cache,
        }
        environment.pop("TRITON_INTERPRET", None)
        results, theirs = os.pipe()
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "tutor.doctor.probe_main", str(theirs), str(os.getpid())],
                env=environment,
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=self._said,
                stderr=self._said,
                pass_fds=[theirs],
                text=True,
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        return process, open(results, encoding="utf-8")

    def _end(self) -> None:
        if self._process is None:
            return
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(BrokenPipeError), self._process:
            self._results.close()
        self._process = None

    def _cause(self, status: int) -> str:
        """Say why it ended: its exit status (negative for a signal) and the last line it printed."""
        if status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = f"signal {-status}"
            return f"the process was ended by {name}"
        self._said.seek(0)
        last = (self._said.read().strip().splitlines() or ["nothing"])[-1]
        return f"the process ended with status {status}: {last[:300]}"


def run_probe(
    name: str, seconds: float = _SECONDS, stopped: Callable[[], bool] = lambda: False
) -> Found:
    """Try one thing in a process of its own; see `ProbeProcess.find`."""
    with ProbeProcess() as process:
        return process.find(name, seconds, stopped)
