"""Checks of answers: slips that are right, unreadable or missing, answers that show themselves, and
orders of which nobody has said whether they are the only one."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tutor.course.catalog.course import Course
from tutor.course.model import Lesson, Question
from tutor.course.reading.faults import CourseFault, Fault
from tutor.course.reading.locations import quiz_files
from tutor.course.reading.question import ALL_PAIRS, SLIP_KINDS
from tutor.course.reading.variants import draw_all
from tutor.quiz.answer_parsing import parse_answer
from tutor.quiz.grading import ANY_TEXT, is_right

MOST_AT_ONE_PLACE = 0.4  # of the answers to a quiz's choice questions
LONGER_BY = 1 / 3  # than every other option
FEWEST_DRILLS = 4  # of a day with a lesson
NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
LEAST_LONG = 20  # characters of an option whose length shows


def slip_faults(path: Path, question: Question) -> Iterator[Fault]:
    """Find the slips that the parser refuses and those that are right answers."""
    seen: set[str] = set()
    for asked in draw_all(question) if question.slips else ():
        for slip, (expected, found) in slip_troubles(asked):
            if slip not in seen:
                yield Fault(path, question.line, f"slips.{slip}", expected, found)
            seen.add(slip)


def slip_troubles(question: Question) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each faulty slip, with what was expected of it and what was found."""
    for slip in question.slips:
        try:
            value = parse_answer(question, slip)
        except ValueError as error:
            yield slip, ("an answer as a learner types it", str(error))
            continue
        if question.answer is not None and _holds_the_answer(question, value):
            yield slip, ("a wrong answer", "a right one")


def _holds_the_answer(question: Question, value: object) -> bool:
    if isinstance(value, list) and (question.as_kind or question.kind) == "number":
        return bool(value[0] <= question.answer <= value[1])
    if isinstance(value, list) and question.kind == "fill":
        pairs = zip(value, question.answer, strict=True)
        value = [right if part == ANY_TEXT else part for part, right in pairs]
    return is_right(question, value)


def number_said(explanation: str) -> int | None:
    """Return the number with which an explanation begins, as in `Five. The loop …`, else None."""
    first = explanation.split(maxsplit=1)[:1]
    word = first[0].lower() if first and first[0][-1] in ".:" else ""
    return NUMBERS.index(word[:-1]) if word[:-1] in NUMBERS else None


def answer_warnings(course: Course) -> tuple[Fault, ...]:
    """Find right answers that show themselves, questions without slips, and days with few drills.

    A faulty file has none here.
    """
    return tuple(sorted(_warnings(course)))


def _warnings(course: Course) -> Iterator[Fault]:
    for number, path in quiz_files(course.root).items():
        with suppress(CourseFault):
            if quiz := course.quiz(number):
                yield from _check_places(path, quiz.questions)
                yield from _check_lengths(path, quiz.questions)
                yield from _without_slips(path, quiz.questions)
                yield from _without_pairs(path, quiz.questions)
    for lesson in course.sound_lessons():
        yield from _check_lengths(lesson.path, lesson.questions)
        yield from _without_slips(lesson.path, lesson.questions)
        yield from _without_pairs(lesson.path, lesson.questions)
        yield from _check_drills(lesson)


def _check_drills(lesson: Lesson) -> Iterator[Fault]:
    count = len(lesson.drills)
    if count < FEWEST_DRILLS:
        yield Fault(
            lesson.path, 1, "drill", f"{FEWEST_DRILLS} or more drills", str(count or "none")
        )


def _check_places(path: Path, questions: Iterable[Question]) -> Iterator[Fault]:
    asked = [q for q in questions if q.kind == "choice" and q.answer]
    places = Counter(list(q.options).index(q.answer) + 1 for q in asked)
    for place, count in places.items():
        if count > max(1, MOST_AT_ONE_PLACE * len(asked)):
            expected = f"at most {MOST_AT_ONE_PLACE:.0%} of a quiz's right options at one place"
            found = f"{count} of {len(asked)} are option {place} of their question"
            yield Fault(path, asked[0].line, "answer", expected, found)


def _check_lengths(path: Path, questions: Iterable[Question]) -> Iterator[Fault]:
    for question in questions:
        if question.kind != "choice" or not question.answer:
            continue
        right = len(question.options[question.answer])
        others = max(len(t) for key, t in question.options.items() if key != question.answer)
        if right >= LEAST_LONG and right > others * (1 + LONGER_BY):
            expected = "a right option at most a third longer than the longest other"
            found = f"{right} characters, the longest other {others} ({question.id})"
            yield Fault(path, question.line, "options", expected, found)


def _without_slips(path: Path, questions: Iterable[Question]) -> Iterator[Fault]:
    for question in questions:
        if (question.as_kind or question.kind) in SLIP_KINDS and not question.slips:
            yield Fault(
                path, question.line, "slips", "a likely wrong answer", f"none ({question.id})"
            )


def _without_pairs(path: Path, questions: Iterable[Question]) -> Iterator[Fault]:
    for question in questions:
        if question.kind == "order" and question.answer and not question.before:
            expected = f'the pairs that a right order keeps, or "{ALL_PAIRS}"'
            yield Fault(path, question.line, "before", expected, f"nothing ({question.id})")
