"""Which project counts, and what follows from it for a day, the next exercise and the report."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from answering import keep_answer
from choice_course import DESIGN, EVALUATION, OFFERED, milestone, write_choice
from click.testing import CliRunner
from clock import Clock
from project_course import verdict

from tutor.authoring.check import faults
from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.cli import tutor
from tutor.course.catalog.course import Course, open_course
from tutor.course.catalog.day_exercises import milestone_place, projects_of
from tutor.course.catalog.day_minutes import one_project
from tutor.judge.reports.project_report import project_lesson, project_report
from tutor.judge.reports.project_text import write_markdown
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.project_choice import (
    choose_project,
    exercises_to_do,
    find_project,
    find_set_aside,
    is_chosen,
)
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import JudgedProgram


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return open_course(write_choice(tmp_path / "course"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def record(tmp_path: Path, clock: Clock) -> Iterator[Record]:
    opened = open_record(tmp_path / "record.sqlite3", clock)
    yield opened
    opened.close()


def note(record: Record, slug: str, figures: dict[str, str] | None = None) -> None:
    said: dict[str, Any] = verdict(slug) | {"figures": figures or {}}
    record.activity.attempt(JudgedProgram(slug, "a", said, True, "cpu"))


def counting(course: Course, record: Record, day: int) -> str:
    found = find_project(course.overview(), record, day)
    return found.name if found else ""


def test_the_first_project_counts_then_the_one_worked_on_then_the_chosen_one(
    course: Course, record: Record, clock: Clock
) -> None:
    assert [counting(course, record, day) for day in (1, 2, 3)] == ["", "small", "small"]
    note(record, "fused_chain")
    assert counting(course, record, 2) == "large"
    clock.now += timedelta(minutes=1)
    choose_project(course.overview(), record, 3, "small")
    assert [counting(course, record, day) for day in (2, 3)] == ["small", "small"]
    clock.now += timedelta(minutes=1)
    note(record, "row_softmax")
    assert counting(course, record, 3) == "small"  # a choice is kept
    clock.now += timedelta(minutes=1)
    choose_project(course.overview(), record, 2, "large")
    found = find_project(course.overview(), record, 3)
    assert found is not None
    assert (found.name, is_chosen(course.overview(), record, found)) == ("large", True)


def test_only_its_milestones_count(course: Course, record: Record) -> None:
    assert exercises_to_do(course, record, 2) == ["tail"]
    assert exercises_to_do(course, record, 3) == ["tail", "vector_add"]
    assert find_set_aside(course.overview(), record) == {"fused_chain", "row_softmax"}
    note(record, "tail")
    assert find_next_exercise(course, record, 3) == "vector_add"
    note(record, "vector_add")
    note(record, "add_ten")
    assert find_next_exercise(course, record, 3) is None, "what was not chosen is not proposed"
    choose_project(course.overview(), record, 3, "large")
    assert exercises_to_do(course, record, 3) == ["fused_chain", "row_softmax"]
    assert find_next_exercise(course, record, 3) == "fused_chain"


def test_a_milestone_has_its_number_among_those_of_its_project(course: Course) -> None:
    assert milestone_place(course, 3, "row_softmax") == (2, 2)
    assert milestone_place(course, 3, "vector_add") == (2, 2)
    assert milestone_place(course, 3, "add_ten") is None


def test_a_day_takes_the_minutes_of_one_project(course: Course) -> None:
    lesson = course.lesson(2)
    assert lesson is not None
    of_day = [course.exercise(slug) for slug in ("fused_chain", "tail")]
    longest = max(of_day, key=lambda each: each.minutes)
    assert one_project(lesson, of_day) == [longest]


@pytest.mark.parametrize(("day", "name"), [(1, "small"), (2, "other"), (9, "small")])
def test_what_cannot_be_chosen_is_said(course: Course, record: Record, day: int, name: str) -> None:
    with pytest.raises(UsageError, match=r"no project"):
        choose_project(course.overview(), record, day, name)
    assert record.settings.get("projects") == []


def test_the_choice_goes_with_the_export(
    tmp_path: Path, course: Course, record: Record, clock: Clock
) -> None:
    choose_project(course.overview(), record, 2, "large")
    record.export(tmp_path / "all.jsonl")
    other = open_record(tmp_path / "other.sqlite3", clock)
    with (tmp_path / "all.jsonl").open(encoding="utf-8") as lines:
        other.merge(lines, "all.jsonl")
    assert counting(course, other, 2) == "large"
    other.close()


def report_text(course: Course, record: Record) -> str:
    return "\n".join(write_markdown(project_report(course, record, project_lesson(course, 3))))


def test_the_report_puts_what_was_promised_beside_what_was_measured(
    course: Course, record: Record, clock: Clock
) -> None:
    empty = report_text(course, record)
    assert "Project: A small one (`small`). It counts until you choose one." in empty
    assert "Nothing is promised yet" in empty
    note(record, "tail", {"bytes": "10,000 bytes", "calls": "36", "idle": "0.5 of it", "zero": "0"})
    promised = report_text(course, record)
    assert "| bytes  | 10,000 bytes |        – |     – |    – |" in promised
    clock.now += timedelta(minutes=1)
    table = {"off": "calls | bytes", "nothing": "40 | 9,000", "cache": "90 | 9,000"}
    note(record, "vector_add", {"bytes": "9,000 bytes", "calls": "no number", "zero": "3"} | table)
    choose_project(course.overview(), record, 3, "small")
    text = report_text(course, record)
    assert "It counts until" not in text
    assert "| bytes  | 10,000 bytes | 9,000 bytes |  0.90 |    2 |" in text
    assert "| calls  |           36 |   no number |     – |    2 |" in text
    assert "| zero   |            0 |           3 |     – |    2 |" in text
    assert (
        "| off     | calls | bytes |\n|---------|------:|------:|\n| nothing |    40 | 9,000 |"
        in text
    )
    assert "- steps 1, 2: cpu-interpreter, torch 2.11.0, triton 3.6.0" in text
    assert "- A large one (`large`): 0 of 2 right" in text
    assert "row_softmax" not in text
    rows = project_report(course, record, project_lesson(course, 3)).to_json()
    assert rows["project"] == {"name": "small", "title": "A small one", "chosen": True}
    assert rows["promised"][0] == {
        "name": "bytes",
        "promised": "10,000 bytes",
        "measured": "9,000 bytes",
        "step": 2,
        "ratio": 0.9,
    }
    assert rows["others"][0]["name"] == "large"


def test_the_report_quotes_what_was_written_on_the_days_before(
    course: Course, record: Record
) -> None:
    keep_answer(record, "d02-why", 2, {"text": "I like it."}, None, 1.0, None, 5.0, "predict")
    assert "**Why this one?**" in report_text(course, record)
    assert "> I like it." in report_text(course, record)


@pytest.fixture
def called(tmp_path: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(paths.COURSE, str(course.root))

    def call(*words: str) -> str:
        result = CliRunner().invoke(tutor, list(words), catch_exceptions=False)
        return result.output

    return call


def test_a_command_lists_and_chooses(called: Any) -> None:
    listed = called("project", "3")
    assert "small: A small one (0 of 2 milestones right, counts until you choose)" in listed
    assert "- why: It is long." in listed
    assert "large: A large one (0 of 2 milestones right, chosen)" in called("project", "2", "large")
    rows = json.loads(called("project", "3", "--json"))["projects"]
    assert [(row["name"], row["counts"], row["chosen"]) for row in rows] == [
        ("small", False, False),
        ("large", True, True),
    ]
    assert rows[0]["milestones"] == {"tail": False, "vector_add": False}
    with pytest.raises(UsageError, match="Day 1 has no projects to choose from: Day 2 has"):
        called("project", "1")


def test_the_list_has_the_chosen_project_first_and_the_others_below(called: Any) -> None:
    called("project", "2", "large")
    said = called("list")
    assert "Project  Day 2  small  open  A small one" in said
    assert "Project  Day 2  large  counts  A large one" in said
    mine, others = said.split("Of projects that you have not chosen")
    assert "fused_chain" in mine
    assert "row_softmax" in mine
    assert "vector_add" in others
    assert "tail" in others
    assert "project, 200 min, 1 exercise" in mine
    rows = json.loads(called("list", "--json"))
    assert rows["projects"][1] == {
        "name": "large",
        "title": "A large one",
        "day": 2,
        "counts": True,
    }


def test_a_course_without_projects_to_choose_has_none(record: Record) -> None:
    from tutor.course.catalog.overview import load_overview

    shipped = load_overview(paths.course_root())
    assert projects_of(shipped, 7) == ()
    assert find_project(shipped, record, 7) is None


MISTAKES = [
    (
        OFFERED,
        EVALUATION + milestone("add_ten", "smal"),
        "a project of this day or of an earlier one",
    ),
    (OFFERED, EVALUATION + milestone("add_ten", "small"), "3 of each project"),
    (OFFERED, EVALUATION + OFFERED, "a name of its own: Day 2 has it already"),
    (
        OFFERED
        + OFFERED.split("[[project]]")[1].join(["[[project]]", ""]).replace("small", "third"),
        EVALUATION,
        "1 of each project",
    ),
    (
        OFFERED,
        "[[project]]\nname = 'alone'\ntitle = 'A'\nwhy = 'B'\nneeds = 'C'\n" + EVALUATION,
        "milestones of it",
    ),
    (OFFERED.replace('"small"', '"Small"'), EVALUATION, "lower-case letters, digits and `_`"),
    (OFFERED.replace('"large"', '"small"'), EVALUATION, "each project once"),
    (OFFERED.replace('needs = "Day 1"', ""), EVALUATION, "text"),
]


@pytest.mark.parametrize(("offered", "evaluation", "expected"), MISTAKES)
def test_the_check_of_a_course_proves_its_projects(
    tmp_path: Path, offered: str, evaluation: str, expected: str
) -> None:
    found = faults(write_choice(tmp_path / "course", offered, evaluation))
    fields = ("project", "milestone", "name", "needs")
    assert any(
        expected in fault.expected and any(each in fault.field for each in fields)
        for fault in found
    ), [(f.field, f.expected, f.found) for f in found if "day-" in str(f.path)]


@pytest.mark.parametrize("name", ["small", "large"])
def test_one_project_alone_may_be_offered(tmp_path: Path, record: Record, name: str) -> None:
    parts = {"small": ("tail", "vector_add"), "large": ("fused_chain", "row_softmax")}[name]
    offered = "[[project]]" + OFFERED.split("[[project]]")[1 if name == "small" else 2]
    rows = "".join(milestone(slug, name) for slug in parts)
    root = write_choice(tmp_path / "course", offered, rows)
    first = root / "lessons" / "day-02-design.md"
    first.write_text(first.read_text().replace(DESIGN, milestone(parts[0], name)))
    found = faults(root)
    assert [f for f in found if f.field in ("project", "milestone")] == []
    course = open_course(root)
    assert counting(course, record, 3) == name
    assert exercises_to_do(course, record, 3)[:2] == list(parts)
    found_one = find_project(course.overview(), record, 3)
    assert found_one is not None
    assert is_chosen(course.overview(), record, found_one), "there is nothing else to choose"
