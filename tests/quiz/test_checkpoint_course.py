"""A checkpoint from its files to its bands, on the command line and in plain lines."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from run_home import share_judge

from tutor.authoring.check import faults
from tutor.course.catalog.course import open_course
from tutor.course.reading.variants import draw_variant
from tutor.memory.record import open_record
from tutor.quiz.option_order import shuffle_options, to_labels

COURSE = Path(__file__).parent / "checkpoint_course"
PROGRAM = f"""
import pathlib
from tutor import __main__
from tutor.base import paths
paths.course_root = lambda: pathlib.Path({str(COURSE)!r})
__main__.main()
"""
RIGHT = {
    "d14-ridge": '"312e12/2e12 FLOP/B"',
    "d14-intensity": '"arithmetic intensity"',
    "d14-fused": '"a"',
    "d14-both": '["a", "b"]',
}


def run(home: Path, *arguments: str, typing: str = "") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "TUTOR_HOME": str(share_judge(home))},
        input=typing,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def labels(question_id: str, keys: str) -> str:
    """The text to type for an author's keys when the question is asked for the first time."""
    question = open_course(COURSE).question(question_id)
    assert question is not None
    return " ".join(to_labels(shuffle_options(draw_variant(question), 0), keys.split()))


def test_the_course_has_no_fault() -> None:
    assert faults(COURSE) == ()


@pytest.mark.parametrize(
    ("values", "score", "band", "revisit"),
    [
        (RIGHT, 4, "Ready", []),
        ({**RIGHT, "d14-fused": '"b"'}, 3, "Small gaps", [1]),
        ({"d14-ridge": "156", "d14-fused": '"a"'}, 2, "Gaps", [1]),
        ({**RIGHT, "d14-ridge": "3", "d14-both": '["a"]'}, 2.5, "Gaps", [1]),
        ({}, 0, "Begin again", [1, 22]),
    ],
)
def test_answers_land_in_their_band(
    tmp_path: Path, values: dict[str, str], score: float, band: str, revisit: list[int]
) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text("".join(f"{name} = {value}\n" for name, value in values.items()))
    status, out = run(tmp_path / "home", "grade", "14", str(answers), "--json")
    result: dict[str, Any] = json.loads(out)
    assert (result["score"], result["out_of"]) == (score, 4)
    assert result["band"]["name"] == band
    assert result["band"]["advice"].endswith(".")
    assert result["band"]["revisit"] == revisit
    assert status == (0 if score == 4 else 1)


def test_the_whole_checkpoint_in_plain_lines(tmp_path: Path) -> None:
    typed = [
        "156",
        "5",
        "arithmetic intensty",
        "3",
        labels("d14-fused", "b"),
        "4",
        labels("d14-both", "a b"),
        "",  # questions
        "y",
        "n",  # I can
        "x",
        "p",
        "",
        "registers",
        "t",
        "it takes time",  # true or not
        "That it",
        "works.",
        "",
        "Roofs.",
        "",
        "9",
        "1",  # writing, the shaky topic
    ]
    status, out = run(tmp_path, "quiz", "14", "--plain", typing="\n".join(typed) + "\n")
    assert status == 0
    assert "Taken for arithmetic intensity." in out
    assert "3 of 4 points" in out
    assert "Small gaps: Read the days behind your mistakes." in out
    assert "not yet: Day 1, Twice: not read to its end." in out
    words = " ".join(out.split())
    assert "Right. It is partly true. Mostly" in words
    assert "Wrong. It is not true." in words
    assert not any(mark in out for mark in "─│┌█■□")
    record = open_record(tmp_path / "record.sqlite3")
    assert [(row.score, row.band) for row in record.checkpoints.list_taken(14)] == [
        (3, "Small gaps")
    ]
    assert record.checkpoints.ticks(14) == {"d14-can-ridge": True, "d14-can-name": False}
    assert [(r.answer, r.reason, r.right) for r in record.checkpoints.misconceptions(14)] == [
        ("partly", "registers", True),
        ("true", "it takes time", False),
    ]
    assert [r.text for r in record.checkpoints.reflections(search="IT works")] == [
        "That it\nworks."
    ]
    assert record.settings.focus() == "roofline"
    record.close()


def test_writing_that_ends_early_is_kept(tmp_path: Path) -> None:
    typed = ["?", "?", "?", "?", "n", "n", "n", "no", "n", "no", "Half a"]
    status, out = run(tmp_path, "quiz", "14", typing="\n".join(typed) + "\n")
    assert status == 0
    assert "Everything before this is kept." in out
    record = open_record(tmp_path / "record.sqlite3")
    assert [row.text for row in record.checkpoints.reflections(14)] == ["Half a"]
    record.close()


@pytest.mark.slow
def test_a_review_in_plain_lines(tmp_path: Path) -> None:
    run(tmp_path, "quiz", "14", typing="?\nx\n1\nb\n5\n")
    status, out = run(
        tmp_path, "review", "--plain", "--cram", typing="?\n:n mine\n3\n1\n:b\n:u\n:q\n"
    )
    assert status == 0
    assert "1 again; Enter: again" in out  # what is given up has one rating
    assert "Type 1." in out
    assert "Undone: “" in out
    assert "is asked today again." in out
    assert "0 of 1 remembered." in out
    assert not any(mark in out for mark in "─│┌█■□")
    record = open_record(tmp_path / "record.sqlite3")
    notes = [card.note for card in record.reviews.queue(record.today(), cram=True)]
    assert notes.count("mine") == 1
    record.close()
