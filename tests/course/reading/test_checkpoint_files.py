"""Checkpoint tables and concept maps: what is read, and each mistake at its line and field."""

from pathlib import Path

import pytest
import small_course

from tutor.authoring.check import faults
from tutor.course.catalog.concept_map import read_map
from tutor.course.catalog.course import open_course
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.quiz import read_quiz

CHECKPOINT = """\
day = 2
title = "Two"

[[question]]
id = "d02-q"
prompt = "Which?"
explanation = "Because."
tags = ["adding", "reading"]
kind = "text"
answer = "add"

[[checklist]]
id = "d02-can-add"
text = "I can add."
evidence = ["question:d01-q", "exercise:add", "lesson:1/cells"]
days = [1]

[[misconception]]
id = "d02-never"
statement = "Adding never rounds."
truth = "partly"
why = "Whole numbers do not; floats do."
source = "IEEE 754-2019"
days = [1]

[reflection]
minutes = 5
[[reflection.prompt]]
id = "d02-surprise"
text = "What surprised you?"
[[reflection.prompt]]
id = "d02-shaky"
text = "What is shaky?"
focus = true
topics = ["adding", "reading"]
"""

MAP = """\
title = "First"
[[node]]
id = "one"
title = "One"
text = "It begins."
days = [1]
to = ["two"]
row = 1
column = 1
[[node]]
id = "two"
title = "Two"
text = "It ends."
days = [2]
row = 1
column = 2
"""

QUIZ, CHART = "quizzes/day-02.toml", "lessons/maps/phase-1.toml"


@pytest.fixture
def checkpoint(course: Path) -> Path:
    return small_course.write(course, {QUIZ: CHECKPOINT, CHART: MAP})


def test_what_a_checkpoint_has_is_read(checkpoint: Path) -> None:
    assert faults(checkpoint) == ()
    quiz = read_quiz(checkpoint / QUIZ)
    assert quiz.is_checkpoint
    assert [(e.kind, e.name) for e in quiz.checklist[0].evidence] == [
        ("question", "d01-q"),
        ("exercise", "add"),
        ("lesson", "1/cells"),
    ]
    assert quiz.misconceptions[0].truth == "partly"
    assert quiz.reflection is not None
    assert quiz.reflection.minutes == 5
    assert [prompt.focus for prompt in quiz.reflection.prompts] == [False, True]
    assert quiz.reflection.prompts[1].topics == ("adding", "reading")
    chart = open_course(checkpoint).concept_map(1)
    assert chart is not None
    assert chart.node("one").to == ("two",)
    assert open_course(checkpoint).concept_map(2) is None
    first = open_course(checkpoint).quiz(1)
    assert first is not None
    assert not first.is_checkpoint


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "field"),
    [
        (QUIZ, '"question:d01-q"', '"question d01"', 15, "checklist[1].evidence.1"),
        (QUIZ, '"lesson:1/cells"', '"lesson:1"', 15, "checklist[1].evidence.3"),
        (QUIZ, '"lesson:1/cells"', '"lesson:1/nowhere"', 12, "evidence"),
        (QUIZ, '"question:d01-q"', '"question:d01-z"', 12, "evidence"),
        (QUIZ, "exercise:add", "exercise:sub", 12, "evidence"),
        (QUIZ, 'text = "I can add."', 'test = "I can add."', 14, "checklist[1].test"),
        (QUIZ, 'id = "d02-can-add"', 'id = "d02-q"', 13, "checklist[1].id"),
        (QUIZ, 'id = "d02-can-add"', 'id = "d01-q"', 12, "id"),
        (QUIZ, '"partly"', '"maybe"', 21, "misconception[1].truth"),
        (QUIZ, '"partly"', "true", 21, "misconception[1].truth"),
        (QUIZ, "days = [1]\n\n[refl", "days = [9]\n\n[refl", 18, "days"),
        (QUIZ, "minutes = 5", "minutes = 0", 27, "reflection.minutes"),
        (QUIZ, "focus = true", 'focus = "yes"', 34, "reflection.prompt[2].focus"),
        (QUIZ, '["adding", "reading"]\n', '["adding"]\n', 35, "reflection.prompt[2].topics"),
        (QUIZ, 'topics = ["adding",', 'topics = ["adding up",', 31, "topics"),
        (CHART, 'to = ["two"]', 'to = ["three"]', 7, "node[1].to"),
        (CHART, 'to = ["two"]', 'to = ["one"]', 7, "node[1].to"),
        (CHART, "column = 2", "column = 1", 15, "node[2].row"),
        (CHART, "column = 2", "column = 13", 16, "node[2].column"),
        (CHART, "row = 1", "row = 25", 15, "node[2].row"),
        (CHART, "days = [2]", "days = [7]", 10, "days"),
        (CHART, "days = [2]", "days = []", 14, "node[2].days"),
        (CHART, 'id = "two"', 'id = "one"', 11, "node[2].id"),
    ],
)
def test_mistake(checkpoint: Path, name: str, old: str, new: str, line: int, field: str) -> None:
    path = checkpoint / name
    text = path.read_text()
    at = text.rindex(old)  # the questions come first, and are not meant
    path.write_text(text[:at] + new + text[at + len(old) :])
    found = [(fault.path.name, fault.line, fault.field) for fault in faults(checkpoint)]
    assert (path.name, line, field) in found


def test_a_map_has_room_for_24_rows(checkpoint: Path) -> None:
    """Two weeks of six days need them, two rows for each day."""
    small_course.write(
        checkpoint, {CHART: MAP.replace("row = 1\ncolumn = 2", "row = 24\ncolumn = 1")}
    )
    assert faults(checkpoint) == ()


def test_a_map_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "phase-1.toml"
    path.write_text(MAP.replace("row = 1", "row = 0"))
    with pytest.raises(CourseFault, match=r"node\[1\].row: expected a whole number, 1 or more"):
        read_map(path, 1)
