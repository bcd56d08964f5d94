"""Where home offers to go on: the day, the exercise or the quiz that was left."""

from datetime import date
from pathlib import Path

from clock import Clock

from tutor.course.catalog.course import open_course
from tutor.course.catalog.overview import DayOverview
from tutor.course.reading.variants import draw_variant
from tutor.memory.answers import GivenAnswer
from tutor.memory.placement import read_standing
from tutor.memory.record import open_record
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.home.home import _reading_words
from tutor.ui.home.next_steps import Kernel, QuizLeft, Reading, Steps, find_reading, find_steps


def test_home_goes_on_with_the_day_that_was_read_last(tmp_path: Path) -> None:
    course, clock = open_course(), Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)

    def day_to_read() -> int:
        steps = find_steps(course, record, read_standing(record), date(2026, 11, 20))
        assert steps.reading is not None
        return steps.reading.day.day

    for section in range(3):
        record.activity.section_read(1, section)
    clock.forward(minutes=1)
    record.activity.section_read(3, 0)
    assert day_to_read() == 1, "one page of another day does not displace a begun one"
    record.activity.section_read(3, 1)
    assert day_to_read() == 3
    clock.forward(minutes=1)
    record.activity.set_position(1, 2)
    assert day_to_read() == 1
    record.close()


def test_a_day_is_begun_once_a_cell_was_run(tmp_path: Path) -> None:
    course, clock = open_course(), Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    record.activity.set_position(22, 4)  # a look
    steps = find_steps(course, record, read_standing(record), clock().date())
    assert steps.stopped is None
    record.activity.cell_run(22, 3, True)
    steps = find_steps(course, record, read_standing(record), clock().date())
    assert isinstance(steps.stopped, Reading)
    assert (steps.stopped.day.day, steps.stopped.section) == (22, 4)
    record.close()


def test_a_long_section_holds_more_of_the_minutes_that_are_left(tmp_path: Path) -> None:
    course, clock = open_course(), Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    (day,) = (day for day in course.overview().days if day.day == 22)
    pages = range(day.sitting_ends[0] + 1)
    first, last = sorted(pages, key=day.section_minutes.__getitem__)[:: len(pages) - 1]
    assert day.section_minutes[last] > 2 * day.section_minutes[first]

    def minutes_left() -> int:
        reading = find_steps(course, record, read_standing(record), clock().date()).reading
        assert reading is not None
        return reading.minutes

    record.activity.set_position(22, 0)
    record.activity.cell_run(22, 0, True)
    whole = minutes_left()
    record.activity.section_read(22, first)
    after_short = minutes_left()
    record.activity.section_read(22, last)
    assert whole - after_short < after_short - minutes_left()
    record.close()


def test_continue_leads_to_what_was_worked_on_last_until_it_is_done(tmp_path: Path) -> None:
    course, clock = open_course(), Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    quiz = course.quiz(1)
    assert quiz is not None

    def find() -> Steps:
        clock.forward(minutes=1)
        return find_steps(course, record, read_standing(record), clock().date())

    def answer(number: int) -> None:
        record.activity.answer(
            GivenAnswer(draw_variant(quiz.questions[number]), None), None, "quiz"
        )

    assert find().stopped is None
    record.activity.section_read(1, 0)
    record.activity.set_position(1, 1)
    assert isinstance(find().stopped, Reading)
    record.activity.save_edit("fused_chain", tmp_path / "fused_chain.py", "def chain")
    steps = find()
    assert steps.stopped == steps.kernel == Kernel("fused_chain", 1, begun=True)
    assert steps.reading is not None
    assert steps.reading.day.day == 1, "the page stays on home, as the lesson"
    answer(0)
    assert find().stopped == QuizLeft(1, 2, len(quiz.questions))
    record.activity.attempt(JudgedProgram("fused_chain", "", {}, True, "cpu"))
    assert find().stopped == QuizLeft(1, 2, len(quiz.questions)), "the exercise is right"
    for number in range(1, len(quiz.questions)):
        answer(number)
    stopped = find().stopped
    assert isinstance(stopped, Reading)
    assert stopped.section == 1
    record.close()


def test_a_checkpoint_follows_its_week_though_earlier_days_are_not_written(tmp_path: Path) -> None:
    """Days 4 to 6 are not written, and the checkpoint of Day 8 asks for Day 7 alone."""
    record = open_record(tmp_path / "record.sqlite3", Clock())
    days = [
        DayOverview(
            day,
            f"T{day}",
            1,
            1,
            "checkpoint" if day == 8 else "lesson",
            "",
            day not in (4, 5, 6),
            10,
            ("One",),
            sitting_ends=(0,),
            sitting_minutes=(10,),
            section_minutes=(10.0,),
        )
        for day in range(1, 9)
    ]

    def reading() -> Reading:
        found = find_reading(days, read_standing(record), record)
        assert found is not None
        return found

    record.activity.section_read(3, 0)
    assert (reading().day.day, reading().skips) == (7, (4, 5, 6))
    (*_, narrow) = _reading_words(reading())
    assert _reading_words(reading())[0].plain == "Day 7 · T7; Days 4 to 6 come later   10 min"
    assert narrow.plain == "Day 7; Days 4 to 6 come later   10 min"
    assert _reading_words(reading())[1].plain == "Day 7 · T7; Days 4 to 6 come later"
    record.activity.section_read(7, 0)
    assert (reading().day.day, reading().skips) == (8, ())
    record.activity.section_read(8, 0)
    assert reading().day.day == 1, "what was left out before"
    record.close()
