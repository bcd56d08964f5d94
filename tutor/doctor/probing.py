"""Starting a probe in a process of its own, and reading what it found."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

Found = dict[str, Any]

_SECONDS = 120.0  # importing torch from a cold disk takes tens of them


def probe(name: str, seconds: float = _SECONDS) -> Found:
    """The probe's JSON object; `{"error": sentence}` where it failed, crashed or hung.

    It runs as the judge does: with this package on the path, without the learner's folder on it, and
    with an empty compiler cache, so that what works is what was done just now.
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
        try:
            done = subprocess.run(
                [sys.executable, "-m", "tutor.doctor.probe", name],
                env=environment, cwd="/", capture_output=True, text=True, errors="replace",
                timeout=seconds, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"error": f"not finished after {seconds:g} s"}
    lines = done.stdout.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return {"error": _end(done.returncode, done.stderr)}


def _end(status: int, said: str) -> str:
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"the process was ended by {name}"
    last = (said.strip().splitlines() or ["nothing"])[-1]
    return f"the process ended with status {status}: {last[:300]}"
