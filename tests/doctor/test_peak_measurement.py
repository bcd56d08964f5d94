"""`tutor doctor --measure`: real copies and products on this machine, kept for verdicts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tutor.base import paths
from tutor.hardware import measured_peaks

pytestmark = pytest.mark.slow


def measure(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "TUTOR_HOME": str(home),
        "PYTHONPATH": str(Path(paths.__file__).parents[2]),
    }
    return subprocess.run(
        [sys.executable, "-m", "tutor", "doctor", "--measure", *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_what_is_measured_is_printed_kept_and_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = measure(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["ceilings"]
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    (kept,) = measured_peaks.read_peaks().values()
    assert kept.device == told["device"]
    assert {kind: vars(figure) for kind, figure in kept.figures.items()} == told["figures"]
    memory, fp32 = kept.figures["bandwidth"], kept.figures["fp32"]
    # No memory in use copies less than 100 MB/s or more than 100 TB/s; nor is there such arithmetic.
    assert 1e8 < memory.low <= memory.median <= memory.high < 1e14
    assert 1e8 < fp32.low <= fp32.median <= fp32.high < 1e16
    assert kept.day[:2] == "20"


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = measure(tmp_path / "file")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "TUTOR_HOME" in done.stderr
    assert "measuring" not in done.stderr  # it takes some seconds, and would be lost
