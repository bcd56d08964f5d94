"""`tutor due` is for a shell prompt: it must not pay for scheduling, course or interface."""

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from answering import keep_answer
from clock import Clock

from tutor.commands.quiz import _due_in_words
from tutor.memory.schedule.due import Due

PROBE = """
import sys
from tutor.cli import tutor
tutor.main(["due"], standalone_mode=False)
print(*sorted(sys.modules))
"""
HEAVY = {"fsrs", "textual", "torch", "triton", "numpy", "tomli", "markdown_it", "tutor.course"}


def run(home: Path, *arguments: str) -> str:
    environment = {**os.environ, "TUTOR_HOME": str(home)}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_due_loads_nothing_heavy(tmp_path: Path) -> None:
    from tutor.memory.record import open_record

    record = open_record(tmp_path / "record.sqlite3")
    keep_answer(record, "q", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()
    words, modules = run(tmp_path, "-c", PROBE).strip().split("\n")
    assert words.startswith("Nothing is due today. More on ")
    assert "tutor.memory.schedule.due" in modules.split()
    assert HEAVY.isdisjoint(modules.split())


def test_due_as_json(tmp_path: Path) -> None:
    due = json.loads(run(tmp_path, "-m", "tutor", "due", "--json"))
    assert due.pop("today").startswith("20")
    assert due == {"questions": 0, "kernels": 0, "terms": 0, "waiting": 0, "next": None}


def test_due_at_night_says_from_when_the_next_day_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tutor.memory.record import open_record

    clock = Clock()
    clock.now = clock.now.replace(hour=1)
    record = open_record(tmp_path / "record.sqlite3", clock)
    keep_answer(record, "q", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()
    monkeypatch.setenv("TUTOR_NOW", clock.now.isoformat())
    words = run(tmp_path, "-m", "tutor", "due")
    assert words == "Nothing is due today. More on 20 November, from 4:00 on.\n"


def test_cards_beyond_the_limit_are_not_called_new() -> None:
    today = date(2026, 11, 30)
    due = Due(today, 20, 1, 0, today + timedelta(days=1), waiting=1)
    assert _due_in_words(due) == (
        "Due on 30 November: 20 questions, 1 exercise. 1 more waits for a later day. "
        "More on 1 December."
    )
