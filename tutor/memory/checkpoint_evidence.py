"""The evidence for a checkpoint's "I can …": answers, exercises and pages in the record."""

from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.course.reading.variants import draw_variant

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.course.model import CanDo, CanDoEvidence
    from tutor.memory.record import Record


_LONGEST_PROMPT = 160  # characters of a question's first line


@dataclass(frozen=True)
class Proof:
    """`done`: the record has the evidence. `text` describes it ("vector_add: passed on 12 November")."""

    done: bool
    text: str


def proofs(item: "CanDo", course: "Course", record: "Record") -> tuple[Proof, ...]:
    """Return a proof for each row of the item's evidence, in order."""
    return tuple(_proof(row, course, record) for row in item.evidence)


def _proof(row: "CanDoEvidence", course: "Course", record: "Record") -> Proof:
    if row.kind == "question":
        return _prove_answer(row.name, course, record)
    if row.kind == "exercise":
        return _prove_exercise(row.name, record)
    return _prove_reading(row.name, course, record)


def _prove_answer(question_id: str, course: "Course", record: "Record") -> Proof:
    try:
        question = course.question(question_id)
    except UsageError:  # the course file is faulty; the record still has the answer
        question = None
    prompt = draw_variant(question).prompt.strip().split("\n")[0] if question else question_id
    name = shorten(prompt, _LONGEST_PROMPT, placeholder="…")
    answer = record.activity.last_answer(question_id)
    if answer is None:
        return Proof(False, f"not answered yet: {name}")
    rated_right = answer.right is None and answer.credit >= 0.99  # by the learner
    right = answer.right or rated_right
    word = "right" if right else "partly right" if answer.credit else "wrong"
    return Proof(right, f"{word} on {answer.at:%-d %B}: {name}")


def _prove_exercise(slug: str, record: "Record") -> Proof:
    attempts = record.activity.attempts(slug)
    passed = next((attempt for attempt in attempts if attempt.passed), None)
    if passed is not None:
        return Proof(True, f"{slug}: passed on {passed.at:%-d %B}.")
    if attempts:
        tried = plural(len({attempt.source for attempt in attempts}), "program")
        return Proof(False, f"{slug}: {tried} tried, none passed yet.")
    return Proof(False, f"{slug}: not tried yet.")


def _prove_reading(name: str, course: "Course", record: "Record") -> Proof:
    number, _, slug = name.partition("/")
    day = int(number)
    try:
        lesson = course.lesson(day)
    except UsageError:
        lesson = None
    sections = lesson.sections if lesson else ()
    place = next((i for i, section in enumerate(sections) if section.slug == slug), None)
    if place is None:
        return Proof(False, f"Day {day}: not written yet.")
    title = sections[place].title
    if place in record.activity.read_sections(day):
        return Proof(True, f"Day {day}, {title}: read.")
    return Proof(False, f"Day {day}, {title}: not read to its end.")
