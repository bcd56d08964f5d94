"""The benchmark: its instruments, and one run of it against the budgets."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench import long_run
from tests.bench.harness import Times, temporary_home
from tests.bench.terminal import ROOT, Terminal
from tests.bench.verdict import changed
from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record

MS = st.floats(min_value=0.01, max_value=1e6)


# --- instruments ----------------------------------------------------------------------------------


@given(st.lists(MS, min_size=1, max_size=50), st.integers(min_value=1, max_value=100))
def test_a_percentile_is_the_least_value_that_enough_do_not_exceed(
    values: list[float], percent: int
) -> None:
    found = Times(tuple(values)).percentile(percent)
    assert found in values
    assert 100 * sum(v <= found for v in values) >= percent * len(values)
    assert 100 * sum(v < found for v in values) < percent * len(values)


def test_nothing_measured_has_no_times() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Times.of([])


def test_the_terminal_sees_words_between_control_sequences() -> None:
    code = r"print('\x1b[2J\x1b[1;3H\x1b[1mwel\x1b[0mcome', flush=True); input()"
    with Terminal([sys.executable, "-c", code], os.environ) as terminal:
        assert 0 < terminal.until_painted("welcome", 20) < 20
        terminal.type(b"\n")
        assert terminal.until_ended(20) == 0


def test_the_terminal_is_one_and_answers() -> None:
    code = (
        "import os, sys, tty; tty.setraw(0); print('\\x1b[?2026$p', end='', flush=True);"
        "said = os.read(0, 30); print(sys.stdin.isatty(), os.get_terminal_size(), said)"
    )
    with Terminal([sys.executable, "-c", code], os.environ) as terminal:
        terminal.until_painted("columns=120, lines=40", 20)
        terminal.until_ended(20)
        assert "2026;2$y" in terminal.output_end()


def test_what_is_never_painted_ends_in_the_programs_own_words() -> None:
    code = "print('something else', flush=True)"
    with (
        Terminal([sys.executable, "-c", code], os.environ) as terminal,
        pytest.raises(CannotHere, match="something else"),
    ):
        terminal.until_painted("welcome", 20)


def test_a_program_that_does_not_end_is_ended() -> None:
    code = "import time; print('here', flush=True); time.sleep(60)"
    started = time.monotonic()
    with Terminal([sys.executable, "-c", code], os.environ) as terminal:
        terminal.until_painted("here", 20)
        with pytest.raises(CannotHere, match="did not end"):
            terminal.until_ended(0.2)
    assert time.monotonic() - started < 20


@pytest.mark.slow
def test_nothing_is_left_where_the_one_that_measures_is_killed() -> None:
    code = (
        "import os, sys, time; from tests.bench.terminal import Terminal;"
        "inner = 'import time; print(1 + 1, flush=True); time.sleep(60)';"
        "terminal = Terminal([sys.executable, '-c', inner], os.environ);"
        "terminal.until_painted('2'); print(terminal.pid, flush=True); time.sleep(60)"
    )
    measuring = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert measuring.stdout is not None
    measured = int(measuring.stdout.readline())
    assert Path(f"/proc/{measured}").exists()
    measuring.kill()
    measuring.communicate()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{measured}").exists():
        assert time.monotonic() < deadline, "what was measured goes on"
        time.sleep(0.05)


def test_each_change_is_inside_the_kernel() -> None:
    source = open_course().exercise("vector_add").solution.read_text("utf-8")
    texts = [changed(source, number) for number in range(3)]
    assert len({*texts, source}) == 4
    for number, text in enumerate(texts):
        compile(text, "changed.py", "exec")
        assert re.search(rf"@triton\.jit\ndef [^\n]*\n    # change {number}\n", text)


@pytest.mark.slow
def test_the_home_to_measure_in_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    with temporary_home(open_course()) as home:
        assert paths.record_file().parent == home != tmp_path
        record = open_record(paths.record_file())
        assert record.statistics.day_progress()
        record.close()
    assert os.environ["TUTOR_HOME"] == str(tmp_path)
    assert not home.exists()
    assert list(tmp_path.iterdir()) == []


# --- one run --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a short run prints; the learner's folder stays as it was: empty."""
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "TUTOR_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--quick", "--json"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert list(home.iterdir()) == []
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.budget
def test_the_parts_are_those_of_the_contract(bench: dict[str, Any]) -> None:
    assert {
        name: set(part) if isinstance(part, dict) else part for name, part in bench.items()
    } == {
        "versions": {"tutor", "python", "torch", "triton", "numpy", "textual"},
        "device": bench["verdict"]["device"],
        "first_paint": {"tutor_ms", "usable_ms", "minimal_ms", "ratio"},
        "one_shot": {"due_ms", "list_ms", "python_ms"},
        "verdict": {
            "exercise",
            "device",
            "cold_ms",
            "first_case_p50_ms",
            "warm_p50_ms",
            "warm_p95_ms",
            "verdict_p50_ms",
            "cold_over_warm",
            "after_crash_over_warm",
            "check_p50_ms",
            "check_cold_ms",
            "cold_over_check",
        },
        "page_turn": {"p50_ms", "p95_ms"},
        "typing": {"p50_ms", "p95_ms"},
        "key": {"p50_ms", "p95_ms"},
        "plain": {"p50_ms", "p95_ms"},
        "due_queue": {
            "cards",
            "reviews",
            "due",
            "queue_p50_ms",
            "queue_p95_ms",
            "next_p95_ms",
            "answer_p50_ms",
            "answer_p95_ms",
            "start_extra_ms",
            "rebuild_s",
        },
        "search": {"passages", "build_ms", "open_ms", "p50_ms", "p95_ms"},
        "xray": {
            "target",
            "kernel_warm_ms",
            "kernel_cold_ms",
            "first_stage_ms",
            "function_warm_ms",
            "function_cold_ms",
            *(("debug_cold_ms", "debug_over_cold") if shutil.which("g++") else ()),
        },
    }


@pytest.mark.slow
@pytest.mark.budget
def test_the_figures_agree_with_each_other(bench: dict[str, Any]) -> None:
    judged, paint = bench["verdict"], bench["first_paint"]
    assert 0 < judged["first_case_p50_ms"] <= judged["warm_p50_ms"] <= judged["warm_p95_ms"]
    assert paint["ratio"] == pytest.approx(paint["tutor_ms"] / paint["minimal_ms"], rel=0.01)
    assert paint["tutor_ms"] < paint["usable_ms"]
    assert 0 < judged["after_crash_over_warm"] < 5
    for part in ("page_turn", "typing", "key", "plain"):
        assert 0 < bench[part]["p50_ms"] <= bench[part]["p95_ms"]


# Ratios, because absolute times are the machine's; wider than what an idle one shows.
@pytest.mark.slow
@pytest.mark.budget
def test_home_is_painted_soon(bench: dict[str, Any]) -> None:
    assert bench["first_paint"]["ratio"] <= 2.5


@pytest.mark.slow
@pytest.mark.budget
def test_the_first_key_is_answered_soon(bench: dict[str, Any]) -> None:
    paint = bench["first_paint"]
    assert paint["usable_ms"] <= 4 * paint["minimal_ms"]


@pytest.mark.slow
@pytest.mark.budget
def test_typing_and_turning_pages_cost_little_more_than_textual(bench: dict[str, Any]) -> None:
    plain = bench["plain"]["p50_ms"]
    assert bench["typing"]["p50_ms"] <= 5 * plain
    assert bench["page_turn"]["p50_ms"] <= 9 * plain


@pytest.mark.slow
@pytest.mark.budget
def test_a_search_is_over_before_a_process_has_started(bench: dict[str, Any]) -> None:
    assert bench["search"]["p95_ms"] <= bench["one_shot"]["python_ms"]


@pytest.mark.slow
def test_the_interface_in_use_takes_little_memory_and_left_alone_no_processor() -> None:
    course = open_course()
    with temporary_home(course):
        found = long_run.measure(course, seconds=4.0, rounds=1)
    assert max(found.idle.home, found.idle.lesson) < 3.0  # percent; an idle machine shows 0.3
    assert found.memory.start <= 2.0 * found.memory.minimal
    # a round opens the lessons of all written days
    assert found.memory.rounds[0] <= 3.3 * found.memory.minimal


@pytest.mark.slow
@pytest.mark.budget
def test_one_shot_commands_are_light(bench: dict[str, Any]) -> None:
    times = bench["one_shot"]
    assert max(times["due_ms"], times["list_ms"]) <= 10 * times["python_ms"]


@pytest.mark.slow
@pytest.mark.budget
def test_an_xray_is_no_slower_than_torchs_own_debug_files(bench: dict[str, Any]) -> None:
    assert bench["xray"]["kernel_warm_ms"] < bench["xray"]["kernel_cold_ms"]
    assert bench["xray"]["first_stage_ms"] < bench["xray"]["function_warm_ms"]
    assert bench["xray"].get("debug_over_cold", 1.0) >= 1.0


@pytest.mark.slow
@pytest.mark.budget
def test_a_warm_verdict_beats_a_cold_process(bench: dict[str, Any]) -> None:
    assert bench["verdict"]["cold_over_warm"] >= 5
