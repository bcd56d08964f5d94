"""Days that lessons speak of and that are not written: found, and something serves meanwhile."""

from pathlib import Path

import pytest
import small_course
from hypothesis import given
from hypothesis import strategies as st

from tutor.authoring.check import faults
from tutor.commands.plain.day_end import say_day_end
from tutor.course.catalog.course import open_course
from tutor.course.catalog.plain_text import lesson_text
from tutor.course.catalog.pointers import read_pointers
from tutor.course.catalog.unwritten_days import explain_unwritten_day, find_absent_days
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.links import days_named
from tutor.memory.record import open_record

POINTER = """\
[[pointer]]
day = 2
serves = "Two is near one."
to = ["lesson:1/cells", "https://example.org/two"]
"""

MISTAKES = [
    ("day = 2", 'day = "2"', 2, "pointer[1].day"),
    ('serves = "Two is near one."', 'serves = ""', 3, "pointer[1].serves"),
    ('"lesson:1/cells"', '"cells"', 4, "pointer[1].to.1"),
    ('"https://example.org/two"', '"www.example.org"', 4, "pointer[1].to.2"),
    ('to = ["lesson:1/cells", "https://example.org/two"]', "to = []", 4, "pointer[1].to"),
    ("serves", "says", 3, "pointer[1].says"),
    (POINTER, POINTER + POINTER, 6, "pointer[2].day"),
]


def write(course: Path, pointers: str, last: str = "The end.") -> None:
    (course / "lessons" / "pointers.toml").write_text(pointers, encoding="utf-8")
    lesson = small_course.LESSON.replace("The end.", last)
    (course / "lessons" / "day-01-one.md").write_text(lesson, encoding="utf-8")


@pytest.mark.parametrize(("old", "new", "line", "field"), MISTAKES)
def test_a_mistake_is_named_by_line_and_field(
    tmp_path: Path, old: str, new: str, line: int, field: str
) -> None:
    path = tmp_path / "pointers.toml"
    path.write_text(POINTER.replace(old, new), encoding="utf-8")
    with pytest.raises(CourseFault) as caught:
        read_pointers(path)
    assert (line, field) in [(fault.line, fault.field) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("On Day 5 we do.", [5]),
        ("See [Day 5], or\nDays 29 to 31.", [5, 29, 30, 31]),
        ("Days 2-4 and 7", [2, 3, 4, 7]),
        ("Days 2, 3 and 5", [2, 3, 5]),
        ("a `Day 5` in code\n\n```text\nDay 6\n```\n", []),
        ("Days go by. Sunday 5 is none. Today 6.", []),
        ("| a | Day 8 |\n|---|---|\n| b | Days 9–10 |\n", [8, 9, 10]),
    ],
)
def test_days_are_found_in_prose(text: str, days: list[int]) -> None:
    assert list(days_named(text)) == days


@given(st.integers(1, 70), st.integers(0, 8))
def test_a_range_names_each_of_its_days_once(first: int, more: int) -> None:
    assert list(days_named(f"Days {first} to {first + more + 1}")) == list(
        range(first, first + more + 2)
    )


def test_an_unwritten_day_has_its_pointer_in_words(course: Path) -> None:
    write(course, POINTER, "Tomorrow, [Day 2].")
    it = open_course(course)
    lesson = it.lesson(1)
    assert lesson is not None
    assert find_absent_days(it, lesson) == (2,)
    said = explain_unwritten_day(it, 2)
    assert said == (
        "Day 2, Two, is not written yet. Meanwhile: Two is near one. "
        'See Day 1, "Cells"; https://example.org/two.'
    )
    assert explain_unwritten_day(it, 1) == ""
    assert said in " ".join(lesson_text(lesson, (said,)).split())
    assert [str(fault) for fault in faults(course)] == []


def test_a_day_that_is_written_needs_no_pointer(course: Path) -> None:
    write(course, POINTER, "Tomorrow, [Day 2].")
    second = small_course.LESSON.replace("day = 1", "day = 2").replace("d01-", "d02-")
    (course / "lessons" / "day-02-two.md").write_text(second, encoding="utf-8")
    it = open_course(course)
    lesson = it.lesson(1)
    assert lesson is not None
    assert find_absent_days(it, lesson) == ()
    assert explain_unwritten_day(it, 2) == ""


@pytest.mark.parametrize(
    ("pointers", "last", "expected"),
    [
        (POINTER.replace("day = 2", "day = 1"), "On Day 2.", "one for Day 2"),
        (POINTER.replace("1/cells", "1/gone"), "Done.", "a section or a term"),
        (POINTER.replace('"lesson:1/cells"', '"term:gone"'), "Done.", "a section or a term"),
        (POINTER.replace("day = 2", "day = 9"), "Done.", "a day of outline.toml"),
        (POINTER, "See Day 9.", "a day of outline.toml"),
    ],
)
def test_the_check_sees_pointers_that_lead_nowhere(
    course: Path, pointers: str, last: str, expected: str
) -> None:
    write(course, pointers, last)
    assert [fault.expected for fault in faults(course) if expected in fault.expected] != []


def test_an_unwritten_day_leads_to_the_next_one_that_is_written(course: Path) -> None:
    write(course, POINTER)
    outline = course / "lessons" / "outline.toml"
    row = '\n[[day]]\nday = {0}\ntitle = "T{0}"\nphase = 1\nweek = 1\nkind = "lesson"\n'
    outline.write_text(outline.read_text() + row.format(3) + row.format(4))
    fourth = small_course.LESSON.replace("day = 1", "day = 4").replace("d01-", "d04-")
    (course / "lessons" / "day-04-t4.md").write_text(fourth, encoding="utf-8")
    it = open_course(course)
    leads = "The next day that is written is Day 4, T4."
    assert explain_unwritten_day(it, 2, places=False) == (
        f"Day 2, Two, is not written yet. Meanwhile: Two is near one. {leads}"
    )
    assert explain_unwritten_day(it, 3) == f"Day 3, T3, is not written yet. {leads}"


def test_the_plain_end_of_a_day_leads_over_days_that_are_not_written(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(course, POINTER)
    it, record = open_course(course), open_record(tmp_path / "record.sqlite3")
    lesson = it.lesson(1)
    assert lesson is not None
    say_day_end(lesson, it, record)
    record.close()
    said = " ".join(capsys.readouterr().out.split())
    assert "What comes next:" in said
    assert "- Day 2 is not written yet." in said
