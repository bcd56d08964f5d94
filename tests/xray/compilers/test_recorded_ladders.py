"""Recorded ladders: made again, they count the same; without a compiler they are shown."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judging import template_of
from record_ladders import FOLDER, FOR_CPU, RECORDED, inputs_of, lower, request_of

from tutor.base import paths
from tutor.judge import xray_relay
from tutor.judge.client import Judge, environment
from tutor.judge.processes.wire import pair
from tutor.xray.model.recorded_ladders import RecordedLadder
from tutor.xray.model.stages import Failure, Xray

HERE = [compiler for compiler in FOR_CPU if compiler.is_here()]
EXTRAS = [compiler for compiler in HERE if compiler.extra.packages]
ABSENT = [compiler for compiler in FOR_CPU if not compiler.is_here()]


def recorded(name: str) -> RecordedLadder:
    return RecordedLadder.from_json(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))


def counts_of(xray: Xray) -> dict[str, dict[str, float]]:
    """Counts by stage, but for the differences of results, which are rounding, and for the instructions
    of bytecode, which are Python's: 3.12 has one less here than 3.11."""
    return {
        stage.key: {name: value for name, value in stage.counts if name != "difference"}
        for stage in xray.stages
        if stage.name != "bytecode"
    }


def without_comparison(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text)
    value.pop("comparison", None)
    return value


def run(file: Path, name: str, *more: str) -> subprocess.CompletedProcess[str]:
    inputs = [word for spec in inputs_of("linear_gelu") for word in ("--input", spec)]
    return subprocess.run(
        [sys.executable, "-m", "tutor", "xray", f"{file}::{name}", *inputs, *more],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
    )


def test_every_compiler_is_recorded() -> None:
    for name in RECORDED:
        ladder = recorded(name)
        assert list(ladder.xrays) == [compiler.name for compiler in FOR_CPU]
        assert ladder.inputs == inputs_of(name)
        for compiler in FOR_CPU:
            xray = ladder.xrays[compiler.name]
            assert xray.failures == ()
            names = {stage.name for stage in xray.stages}
            assert {compiler.before, compiler.after, *compiler.memory, "result"} <= names
            lines = {stage.key: stage.text.count("\n") + 1 for stage in xray.stages}
            for link in xray.links:
                assert 1 <= link.target_line <= lines[link.target]


@pytest.mark.slow
@pytest.mark.skipif(not EXTRAS, reason="no compiler beside Inductor is installed")
def test_a_recording_made_again_counts_the_same() -> None:
    with Judge(paths.course_root()) as judge:
        for compiler in HERE:
            made = lower(judge, "linear_gelu", compiler.name)
            assert made.failures == ()
            assert counts_of(made) == counts_of(recorded("linear_gelu").xrays[compiler.name])


@pytest.mark.slow
@pytest.mark.skipif(not ABSENT, reason="every compiler is installed")
def test_what_is_not_installed_is_shown_recorded_or_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    source = request_of("linear_gelu", "tvm").source or ""
    file.write_text(f"{source}\n\ndef other(x, w, b):\n    return x @ w - b\n", "utf-8")
    names = ",".join(compiler.name for compiler in ABSENT)
    done = run(file, "linear_gelu", "--compiler", names, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    shown = Xray.from_json(without_comparison(done.stdout))
    for stage in shown.stages:
        if stage.name not in ("source", "exported"):
            assert stage.notes[0].startswith("Recorded on "), stage.key
    done = run(file, "other", "--compiler", names)
    assert done.returncode == 3
    for compiler in ABSENT:
        assert f"pip install '{compiler.extra.packages[0]}'" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not EXTRAS, reason="no compiler beside Inductor is installed")
def test_a_crash_costs_one_compiler_and_its_options_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    dies = "import os\nos.kill(os.getpid(), 11)\n"
    file.write_text(f"{dies}\n\ndef f(x, w, b):\n    return x\n", "utf-8")
    done = run(file, "f", "--compiler", EXTRAS[0].name)
    assert done.returncode == 1
    assert "stopped: " in done.stderr
    assert "SIGSEGV" in done.stderr
    file.write_text("import triton\n\n@triton.jit\ndef f(x, w, b):\n    pass\n", "utf-8")
    for options, said in (
        (("--backward",), "--backward belongs to Inductor's ladder"),
        (("--stage", "ptx"), f"{EXTRAS[0].name} has no stage 'ptx'"),
        ((), "which"),
    ):
        done = run(file, "f", "--compiler", EXTRAS[0].name, *options)
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
    done = run(file, "f", "--compiler", "gcc")
    assert (done.returncode, "there is no compiler 'gcc'" in done.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(not EXTRAS, reason="no compiler beside Inductor is installed")
def test_code_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xray_relay, "SECONDS", 1.0)
    request = replace(request_of("linear_gelu", EXTRAS[0].name), source="while True:\n    pass\n")
    parts: list[xray_relay.XrayPart] = []
    silent, caller = pair()
    with template_of(EXTRAS[0].mode, 0) as template:
        done = xray_relay.run_xray(template.take(), request, caller, parts.append)
    assert done.status == 1
    (stopped,) = parts
    assert isinstance(stopped, Failure)
    assert "not finished after 1 s" in stopped.sentence
    silent.close()
    caller.close()
