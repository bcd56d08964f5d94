"""Start of a probe in a separate process, and its findings."""

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
from typing import Any

Found = dict[str, Any]

_SECONDS = 120.0  # importing torch from a cold disk takes tens of them
_LOOK_SECONDS = 0.1  # how often `stopped` is called


def probe(
    name: str, seconds: float = _SECONDS, stopped: Callable[[], bool] = lambda: False
) -> Found:
    """Return the probe's JSON object, or `{"error": sentence}` if it failed, crashed or hung.

    `stopped` is called several times a second; once it returns True, the probe is killed.

    It runs as the judge does: with this package on the path, without the learner's folder on it, and
    with an empty compiler cache, so that nothing works only because it was compiled before.
    """
    with (
        tempfile.TemporaryDirectory(prefix="tutor-doctor-") as cache,
        _started((name,), cache, subprocess.PIPE) as process,
    ):
        deadline = time.monotonic() + seconds
        while True:
            try:
                out, said = process.communicate(timeout=_LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if stopped() or time.monotonic() > deadline:
                    process.kill()
                    return {"error": f"not finished after {seconds:g} s"}
            except KeyboardInterrupt:
                process.kill()  # leaving the block waits for it
                raise
    return finding(out.strip().splitlines(), process.returncode, said)


class Probes:
    """Several probes beside each other, in processes that share the import of torch. A block: at its
    end, those that still run are killed."""

    def __init__(self, *names: str) -> None:
        self._found: dict[str, Found] = {}
        with ExitStack() as stack:
            cache = stack.enter_context(tempfile.TemporaryDirectory(prefix="tutor-doctor-"))
            self._said = stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            self._process = stack.enter_context(_started(names, cache, self._said.fileno()))
            stack.callback(self._kill)
            self._stack = stack.pop_all()
        self._deadline = time.monotonic() + _SECONDS

    def __enter__(self) -> "Probes":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _kill(self) -> None:
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def __getitem__(self, name: str) -> Found:
        """Wait for the finding of one of the probes; as `probe` returns it."""
        out = self._process.stdout
        assert out is not None
        while name not in self._found:
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                return {"error": f"not finished after {_SECONDS:g} s"}
            line = out.readline()
            if not line:
                self._said.seek(0)
                return {"error": _end(self._process.wait(), self._said.read())}
            with suppress(ValueError):  # a package has printed something
                found = json.loads(line)
                if isinstance(found, dict):
                    self._found |= found
        return self._found[name]


def _started(names: tuple[str, ...], cache: str, errors: int) -> subprocess.Popen[str]:
    package = str(Path(__file__).resolve().parents[2])
    others = os.environ.get("PYTHONPATH")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([package, *([others] if others else [])]),
        "PYTHONSAFEPATH": "1",
        "TRITON_CACHE_DIR": cache,
    }
    environment.pop("TRITON_INTERPRET", None)
    return subprocess.Popen(
        [sys.executable, "-m", "tutor.doctor.probe_main", *names],
        env=environment,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        errors="replace",
        bufsize=1,
        start_new_session=True,
    )


def finding(lines: list[str], status: int, said: str) -> Found:
    """Return the JSON object in the last line, or an error from the exit status (of `Popen`, negative
    for a signal) and what stderr said."""
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"error": _end(status, said)}


def _end(status: int, said: str) -> str:
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"the process was ended by {name}"
    last = (said.strip().splitlines() or ["nothing"])[-1]
    return f"the process ended with status {status}: {last[:300]}"
