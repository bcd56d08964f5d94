"""Thirty scripted days of one learner, over the real course, with the statistics they leave.

    python tests/memory/a_month.py [FOLDER]

The learner reads two lessons, answers their quizzes, passes exercises, reviews every morning, buries,
suspends, undoes, takes a checkpoint, moves to another time zone and lives through the night in which
the clocks go back. What they remember is drawn from FSRS's own forgetting curve with a fixed seed.
"""

import random
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from answering import keep_answer

from tutor.memory.store.rows import JudgedProgram

sys.path.insert(0, str(Path(__file__).resolve().parent))
from clock import Clock

from tutor.course.catalog.course import Course, open_course
from tutor.memory.course_sync import enter_lesson, sync
from tutor.memory.record import Record, open_record
from tutor.memory.review_session import Session
from tutor.memory.schedule.fsrs import Rules, recall
from tutor.memory.schedule.ratings import AGAIN, EASY, GOOD, HARD
from tutor.memory.statistics.statistics import Statistics
from tutor.memory.store.rows import QueuedCard

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
START = datetime(2026, 10, 5, 8, 30, tzinfo=BERLIN)  # the clocks go back on 25 October
DAYS = 30
LESSONS = {0: 1, 6: 22}  # on which of the thirty days which lesson is read


@dataclass
class Month:
    """What happened, to hold the record against."""

    reviewed: int = 0
    undone: int = 0
    remembered: list[bool] = field(default_factory=list)
    reviews_by_day: dict[date, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    statistics: Statistics | None = None


def live(folder: Path) -> Month:
    """The thirty days; the record stays in `folder`."""
    clock, course, draw, month = Clock(START), open_course(), random.Random(2026), Month()
    for day in range(DAYS):
        home = BERLIN if day < 24 else NEW_YORK
        clock.now = (START.replace(tzinfo=None) + timedelta(days=day)).replace(tzinfo=home)
        record = open_record(folder / "record.sqlite3", clock)  # a new process every morning
        assert record.notice == "", record.notice
        sync(record, course)
        if day % 9 != 8:  # now and then a day is missed
            review(record, clock, draw, month)
        if day in LESSONS:
            study(record, course, clock, draw, LESSONS[day])
        if day == 20:
            checkpoint(record)
        record.close()
    record = open_record(folder / "record.sqlite3", clock)
    month.statistics = record.statistics.compute(record.today())
    record.close()
    return month


def study(record: Record, course: Course, clock: Clock, draw: random.Random, day: int) -> None:
    lesson, quiz = course.lesson(day), course.quiz(day)
    assert lesson is not None
    assert quiz is not None
    for section in range(len(lesson.sections)):
        clock.forward(minutes=4)
        record.activity.section_read(day, section)
    for question in quiz.questions:
        clock.forward(seconds=40)
        right = draw.random() < 0.7
        confidence = draw.choice([2, 3, 4, 5] if right else [1, 2, 3, 4, 5])
        keep_answer(record, question.id, day, "…", right, float(right), confidence, 40.0, "quiz")
    enter_lesson(record, course, day)
    for exercise in [e for e in course.exercises().values() if e.day == day][:3]:
        for passed in (False, True):
            clock.forward(minutes=8)
            source = f"# {exercise.slug}, {'right' if passed else 'a first try'}\n"
            record.activity.save_edit(exercise.slug, f"{exercise.slug}.py", source)
            record.activity.attempt(
                JudgedProgram(exercise.slug, source, {"passed": passed}, passed, "cpu-interpreter")
            )


def review(record: Record, clock: Clock, draw: random.Random, month: Month) -> None:
    today = record.today()
    session = Session(record, today)
    month.sizes.append(session.left)
    before = month.reviewed
    while (card := session.next()) is not None:
        clock.forward(seconds=12)
        if card.id.kind == "exercise":
            again = f"# {card.id.key} once more\n"
            record.activity.attempt(
                JudgedProgram(card.id.key, again, {"passed": True}, True, "cpu-interpreter")
            )
            assert session.take_attempt() in (HARD, GOOD, EASY)
            continue
        if draw.random() < 0.02:
            session.bury()
            continue
        remembered = draw.random() < chance(card, today)
        if not session.repeated:
            month.reviewed += 1
            if card.last_review is not None:
                month.remembered.append(remembered)
        rating = draw.choices([HARD, GOOD, EASY], [1, 8, 1])[0] if remembered else AGAIN
        session.rate(rating, seconds=12.0)
        if draw.random() < 0.02 and not session.repeated:  # a slip of the finger, taken back
            back = session.undo()
            assert back is not None
            assert back.id == card.id
            month.undone += 1
            session.rate(rating, seconds=2.0)
    if month.reviewed > before:
        month.reviews_by_day[today] = month.reviewed - before


def chance(card: QueuedCard, today: date) -> float:
    """That this learner knows the answer: FSRS's own curve; 0.6 for what was never asked."""
    if card.stability is None or card.last_review is None:
        return 0.6
    if card.last_review == today:
        return 0.9
    return recall(card.stability, (today - card.last_review).days, Rules())


def checkpoint(record: Record) -> None:
    record.checkpoints.add(14, 11, 20, "Steady")
    record.checkpoints.tick(14, "d14-can-ridge", True)
    record.checkpoints.add_misconception(
        14, "d14-more-threads", "partly", "not when memory is the limit", True
    )
    record.checkpoints.add_reflection(14, "d14-shaky", "Masks still feel like a trick to me.", 240)
    record.settings.set_focus("masks")


if __name__ == "__main__":
    from tutor.commands.stats import statistics_lines

    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    done = live(where)
    assert done.statistics is not None
    print(f"{where / 'record.sqlite3'}: {done.reviewed} reviews, {done.undone} taken back\n")
    print("\n".join(statistics_lines(done.statistics)))
