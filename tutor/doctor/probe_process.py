"""Start of a probe in a separate process, and its findings."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
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
    package = str(Path(__file__).resolve().parents[2])
    others = os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory(prefix="tutor-doctor-") as cache:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([package, *([others] if others else [])]),
            "PYTHONSAFEPATH": "1",
            "TRITON_CACHE_DIR": cache,
        }
        environment.pop("TRITON_INTERPRET", None)
        with subprocess.Popen(
            [sys.executable, "-m", "tutor.doctor.probe_main", name],
            env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace",
        ) as process:  # fmt: skip
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
    lines = out.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return {"error": _end(process.returncode, said)}


def _end(status: int, said: str) -> str:
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"the process was ended by {name}"
    last = (said.strip().splitlines() or ["nothing"])[-1]
    return f"the process ended with status {status}: {last[:300]}"
