"""Drills of a lesson and questions of the kind `code`: what is read, and what is refused."""

from pathlib import Path

import pytest
import small_course

from tutor.course.catalog.course import open_course
from tutor.course.catalog.plain_text import lesson_text
from tutor.course.model import Drill
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.lesson import read_lesson
from tutor.memory.course_sync import items_of_day

START = "def add(x, y):\n    return ..."
PROGRAM = f'''\
id = "d01-program"
kind = "code"
prompt = "Add them."
exercise = "add"
code = """
{START}
"""
explanation = "It adds."
minutes = 2
'''
LINE = """\
id = "d01-line"
kind = "line"
prompt = "Which adds?"
code = "x = 1\\nx = x + 1\\n"
answer = 2
explanation = "The second."
"""


def lesson_with(course: Path, *drills: str) -> Path:
    """Put drills at the end of the section with the cell."""
    path = course / "lessons" / "day-01-one.md"
    fences = "".join(f"```drill\n{drill}```\n\n" for drill in drills)
    path.write_text(small_course.LESSON.replace("> A note.\n\n", fences))
    return path


def test_drills_stand_in_their_section_and_are_questions_of_the_course(course: Path) -> None:
    lesson = read_lesson(lesson_with(course, PROGRAM, LINE))
    program, line = (drill.question for drill in lesson.drills)
    assert [type(block) for block in lesson.sections[1].blocks[2:]] == [Drill, Drill]
    assert (program.code, program.exercise, program.minutes) == (START, "add", 2)
    assert program.answer == "def add(x, y):\n    return x + y"  # of the exercise's solution
    assert (line.kind, line.answer) == ("line", 2)
    assert [q.id for q in lesson.questions] == ["d01-sum", "d01-program", "d01-line"]
    read = open_course(course)
    assert read.question("d01-program") == program
    assert {"d01-program", "d01-line"} <= {card.key for card in items_of_day(read, 1)}
    text = lesson_text(lesson)
    assert "Drill (d01-program):" in text
    assert text.index("Answers to the predictions and drills") < text.index("return x + y")


def test_a_drill_may_begin_with_a_wrong_answer_of_the_exercise(course: Path) -> None:
    code = PROGRAM[PROGRAM.index("code =") : PROGRAM.index("explanation")]
    drill = PROGRAM.replace(code, 'wrong = "minus"\nanswer = "def add(x, y): return y + x"\n')
    (found,) = read_lesson(lesson_with(course, drill)).drills
    assert found.question.code == "def add(x, y):\n    return x - y"  # without `# expect:`
    assert found.question.answer == "def add(x, y): return y + x"


@pytest.mark.parametrize(
    ("old", "new", "field", "seen"),
    [
        ('"add"', '"ad"', "exercise", "'ad'"),
        ('exercise = "add"\n', "", "exercise", "nothing"),
        ("minutes = 2", 'wrong = "minus"', "wrong", "both"),
        ("return ...", "return", "", ""),  # it is Python, and so no mistake
        ("return ...", "return (", "code", "'(' was never closed (line 2)"),
        ("return ...", "return x + y", "code", "the answer"),
        ("minutes = 2", "minutes = 6", "minutes", "6"),
        ("minutes = 2", 'answer = "def add(:"', "answer", "invalid syntax (line 1)"),
        ("minutes = 2", 'answer_from = "n"', "answer_from", "'answer_from'"),
        ("minutes = 2", 'reveal = "last"', "reveal", "'reveal'"),
    ],
)
def test_a_mistake_of_a_program(course: Path, old: str, new: str, field: str, seen: str) -> None:
    assert old in PROGRAM
    path = lesson_with(course, PROGRAM.replace(old, new, 1))
    if not field:
        assert read_lesson(path).drills
        return
    with pytest.raises(CourseFault) as caught:
        read_lesson(path)
    assert (field, seen) in [(fault.field, fault.found) for fault in caught.value.faults]


def test_neither_code_nor_a_wrong_answer_and_an_unknown_one(course: Path) -> None:
    code = PROGRAM[PROGRAM.index("code =") : PROGRAM.index("explanation")]
    with pytest.raises(CourseFault, match="one of code and wrong, found neither"):
        read_lesson(lesson_with(course, PROGRAM.replace(code, "")))
    with pytest.raises(CourseFault, match="one of minus, found 'plus'"):
        read_lesson(lesson_with(course, PROGRAM.replace(code, 'wrong = "plus"\n')))


def test_a_drill_stands_after_the_last_cell(course: Path) -> None:
    path = lesson_with(course, LINE)
    text = path.read_text()
    cell = text[text.index("```python run") : text.index("expect: 2")]
    path.write_text(
        text.replace(cell, "").replace("expect: 2\n", "").replace("## Last", f"{cell}\n## Last")
    )
    with pytest.raises(CourseFault, match="a drill after the section's last cell"):
        read_lesson(path)


def test_a_program_cannot_be_predicted(course: Path) -> None:
    path = lesson_with(course, PROGRAM)
    path.write_text(path.read_text().replace("```drill", "```predict"))
    with pytest.raises(CourseFault, match="code stands in a drill"):
        read_lesson(path)
