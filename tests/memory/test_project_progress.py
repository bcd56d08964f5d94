"""The milestones of a project, and the report that is written from the record."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from answering import keep_answer
from clock import Clock
from project_course import verdict, write_project

from tutor.base.errors import UsageError
from tutor.course.catalog.course import Course, open_course
from tutor.course.model import Lesson
from tutor.judge.reports.project_report import project_lesson, project_report
from tutor.judge.reports.project_text import write_markdown
from tutor.memory.project_progress import list_milestones
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import JudgedProgram


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return open_course(write_project(tmp_path / "course"))


@pytest.fixture
def lesson(course: Course) -> Lesson:
    return project_lesson(course, 2)


def work_on(record: Record, clock: Clock) -> None:
    """Three tries at the first milestone, a slow and a quick right one, and one that is not believed."""

    def note(*columns: Any) -> None:
        record.activity.attempt(JudgedProgram(*columns))

    note("add_ten", "a", {"passed": False}, False, "cpu-interpreter")
    note("add_ten", "b", verdict("add_ten"), True, "cpu-interpreter")
    clock.now += timedelta(days=1)
    note("add_ten", "c", verdict("add_ten", 0.5), True, "cuda: NVIDIA H200")
    note("add_ten", "d", verdict("add_ten", 0.25), True, "cuda: NVIDIA H200")
    note("add_ten", "e", verdict("add_ten", 0.01, believed=False), True, "cuda: NVIDIA H200")
    note("add_ten", "f", verdict("add_ten"), True, "cpu-interpreter")
    note("tail", "g", {"passed": False}, False, "cpu-interpreter")
    value = {"text": "The last block.\nNothing\x1b[31m else.", "points": [1]}
    keep_answer(record, "d02-why", 2, value, None, 1.0, None, 5.0, "predict")


def test_progress_names_the_first_the_newest_and_the_fastest(
    tmp_path: Path, lesson: Lesson
) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    assert [each.tries for each in list_milestones(record, lesson)] == [0, 0]
    work_on(record, clock)
    one, two = list_milestones(record, lesson)
    assert one.first is not None
    assert one.newest is not None
    assert one.fastest is not None
    assert (one.tries, one.first.source, one.newest.source, one.fastest.source) == (
        2,
        "b",
        "f",
        "d",
    )
    assert (two.tries, two.passed) == (1, False)
    record.close()


def test_the_report_says_what_the_record_has(
    tmp_path: Path, course: Course, lesson: Lesson
) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    empty = "\n".join(write_markdown(project_report(course, record, lesson)))
    assert "0 of 2 milestones are right" in empty
    assert "Nothing to count yet" in empty
    assert "Nothing was measured" in empty
    work_on(record, clock)
    text = "\n".join(write_markdown(project_report(course, record, lesson)))
    assert "1 of 2 milestones is right" in text
    assert "after 2 tries" in text
    assert "not right yet, 1 try" in text
    assert "0.250 ms (0.245 ms to 0.255 ms), 16 TFLOP/s, 32 GB/s" in text
    assert "80.0% of torch.add, 0.200 ms; NVIDIA H200" in text
    assert "torch 2.11.0, triton 3.6.0" in text
    # 32 000 FLOP for 1000 loaded bytes, and for 500 in waves
    assert "| 1 add_ten |   32.0 |  64.0 |   64 |      0 | 16 KiB | wgmma fp16 |" in text
    assert "| 2 tail    |      – |" in text
    assert "0.250 ms |    16.0 |   32 |        80.0% |    – |" in text
    assert "1 add_ten  ████████████████████████████████████████  80%" in text
    assert "> The last block.\n> Nothing[31m else." in text
    assert max(map(len, text.split("\n"))) <= 200
    record.close()


def test_a_project_of_functions_has_cases_mistakes_and_figures_but_no_rates(tmp_path: Path) -> None:
    course = open_course(write_project(tmp_path / "course", ("fx_count_and_find", "read_a_trace")))
    lesson = project_lesson(course, 2)
    record = open_record(tmp_path / "record.sqlite3", Clock())
    empty = "\n".join(write_markdown(project_report(course, record, lesson)))
    assert "Nothing yet: no milestone was tried." in empty

    def note(*columns: Any) -> None:
        record.activity.attempt(JudgedProgram(*columns))

    for code in ("wrong-values", "crash", "wrong-values"):
        wrong = {"passed": False, "diagnosis": [{"code": code}, {"code": "other"}]}
        note("fx_count_and_find", code, wrong, False, "cpu")
    counted = {"nodes of a block": "12 before, 9 after"}
    note("fx_count_and_find", "a", verdict("x") | {"figures": counted}, True, "cpu")
    note("fx_count_and_find", "later", {"diagnosis": [{"code": "crash"}]}, False, "cpu")
    note("read_a_trace", "b", {"diagnosis": []}, False, "cpu")
    text = "\n".join(write_markdown(project_report(course, record, lesson)))
    assert "| 1 fx_count_and_find |     1 |     4 | 2 wrong-values, crash |" in text
    assert "| 2 read_a_trace      |     – |     1 |                     – |" in text
    assert "Step 1, `fx_count_and_find`:\n\n- nodes of a block: 12 before, 9 after" in text
    for absent in ("FLOP", "measured", "gained", "█"):
        assert absent not in empty + text
    record.close()


def test_the_report_dates_work_after_midnight_with_the_study_day(
    tmp_path: Path, course: Course, lesson: Lesson
) -> None:
    clock = Clock()
    clock.now = clock.now.replace(hour=1)
    record = open_record(tmp_path / "record.sqlite3", clock)
    first = record.today()
    work_on(record, clock)  # the second half a day later
    report = project_report(course, record, lesson)
    assert report.made == first + timedelta(days=1) == record.today()
    assert report.steps[0].passed == first
    assert report.steps[0].speed is not None
    assert report.steps[0].speed.day == record.today()
    assert [day for _, _, day in report.written] == [record.today()]
    record.close()


def test_the_report_goes_with_the_export(tmp_path: Path, course: Course, lesson: Lesson) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    work_on(record, clock)
    said = project_report(course, record, lesson)
    record.export(tmp_path / "all.jsonl")
    record.close()
    other = open_record(tmp_path / "other.sqlite3", clock)
    with (tmp_path / "all.jsonl").open(encoding="utf-8") as lines:
        other.merge(lines, "all.jsonl")
    assert project_report(course, other, lesson) == said
    assert said.to_json()["steps"][0]["speed"]["share"] == pytest.approx(0.8)
    other.close()


def test_a_verdict_of_another_version_leaves_its_figures_out(
    tmp_path: Path, course: Course, lesson: Lesson
) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    old = {"passed": True, "timing": {"learner": {"median_ms": 1.0}}, "traffic": {"kernels": 3}}
    record.activity.attempt(JudgedProgram("tail", "a", old, True, "cuda: NVIDIA H200"))
    step = project_report(course, record, lesson).steps[1]
    assert step.passed is not None
    assert (step.code, step.speed) == (None, None)
    record.close()


def test_only_a_project_has_a_report(course: Course) -> None:
    for day in (1, 3):
        with pytest.raises(UsageError, match=f"Day {day} has no project.*projects are on Day 2"):
            project_lesson(course, day)
