"""Update the items of the record to the present course.

The author's id identifies a card. Its content has a digest: an edit keeps the card's progress. A
raised `rev` means that the content changed in meaning: the card is due at once, with a notice. A card
that the course no longer has becomes an orphan: the record keeps it and never asks it. Where another
question `replaces` it, its history goes on in the other's card.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from hashlib import blake2b
from math import log, sqrt
from typing import TYPE_CHECKING, Any

from tutor.base.errors import UsageError
from tutor.course.catalog.overview import stamp_of
from tutor.course.reading.locations import (
    exercise_folders,
    glossary_file,
    lesson_files,
    outline_file,
    quiz_files,
)
from tutor.memory.schedule.course_items import Changes, Item
from tutor.memory.store.rows import CardId

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.course.model import Exercise, Question, Section
    from tutor.memory.record import Record

# Fields of the place, and fields that do not change what a learner is asked
_NOT_CONTENT = {
    "line",
    "day",
    "days",
    "rev",
    "tags",
    "folder",
    "source",
    "sources",
    "match",
    "languages",
    "labels",
    "reveal",
    "slips",
    "aside",
    "context",
    "replaces",
}
_WORD = re.compile(r"[a-z_][a-z0-9_.]{3,}")


def items(course: "Course") -> tuple[Item, ...]:
    """Every question, prediction, term and exercise of the course. Reads all of its files."""
    phases = {day.day: day.phase for day in course.days}
    return (*_questions(course, phases), *_terms(course, phases), *_exercises(course, phases))


def items_of_day(course: "Course", day: int) -> tuple[CardId, ...]:
    """List the cards that enter when a lesson is finished: its questions, predictions, drills and
    terms."""
    quiz, lesson = course.quiz(day), course.lesson(day)
    keys = [q.id for q in quiz.questions] if quiz else []
    keys += [question.id for question in lesson.questions] if lesson else []
    cards = [CardId("question", key) for key in keys]
    return (*cards, *(CardId("term", t.id) for t in course.glossary() if _day_of(t.days) == day))


def enter_lesson(record: "Record", course: "Course", day: int) -> None:
    """Let the cards of a lesson enter, of a finished one above all; a second call adds none."""
    sync(record, course)
    record.course_items.enter_day(day, items_of_day(course, day), record.course_items.stamp())


def sync(record: "Record", course: "Course") -> Changes:
    """Update the items of the record, and let the cards of finished lessons enter. Quick if no file
    of the course has changed and no lesson was finished.

    If a file of the course is faulty, nothing changes: its cards would become orphans. The
    mistake is reported when that file is opened. Raises `StorageError`.
    """
    stamp = _stamp(course)
    changes = Changes()
    if record.course_items.stamp() != stamp:
        try:
            now = items(course)
        except UsageError:
            return changes
        changes = record.course_items.update(now, stamp)
    for day in record.course_items.days_to_enter(stamp):
        try:
            lesson, cards = course.lesson(day), items_of_day(course, day)
        except UsageError:
            continue
        if lesson and record.activity.read_sections(day) >= set(range(len(lesson.sections))):
            record.course_items.enter_day(day, cards, stamp)
    return changes


def _stamp(course: "Course") -> str:
    """Return a digest of path, size and time of every file that cards come from."""
    files = [glossary_file(course.root), outline_file(course.root)]
    files += [*lesson_files(course.root).values(), *quiz_files(course.root).values()]
    files += [folder / "exercise.toml" for folder in exercise_folders(course.root)]
    return blake2b(json.dumps(stamp_of(files)).encode(), digest_size=16).hexdigest()


def _questions(course: "Course", phases: dict[int, int]) -> Iterator[Item]:
    for day in phases:
        quiz, lesson = course.quiz(day), course.lesson(day)
        for question in quiz.questions if quiz else ():
            yield _question(question, phases, section_of(course, question))
        for section in lesson.sections if lesson else ():
            for block in section.blocks:
                if asked := getattr(block, "question", None):
                    yield _question(asked, phases, section.slug)


def section_of(course: "Course", question: "Question", day: int = 0) -> str:
    """Return the slug of the section that teaches a quiz question, "" if none is known.

    `day`: one of the question's days, by default the first. The question's `source` may name the
    section: "Day 5, Per cent of what". Else it is the closest one.
    """
    day = day or next(iter(question.days), question.day)
    lesson = course.lesson(day)
    for section in lesson.sections if lesson else ():
        if f"Day {day}, {section.title}" in question.source:
            return section.slug
    return _closest(course, day, _words_of(question), question.tags)


def page_of(course: "Course", question: "Question") -> tuple[int, str, str]:
    """Return the day, the section's slug and its title that teach a question; "" where not known."""
    day = next(iter(question.days), question.day)
    slug = section_of(course, question)
    lesson = course.lesson(day) if slug else None
    title = next((s.title for s in lesson.sections if s.slug == slug), "") if lesson else ""
    return day, slug, title


def _question(question: "Question", phases: dict[int, int], section: str) -> Item:
    from tutor.course.reading.variants import draw_variant  # home would be painted 17 ms later

    day = next(iter(question.days), question.day)
    return Item(
        CardId("question", question.id),
        _title(draw_variant(question).prompt),
        day,
        phases.get(day, 0),
        question.tags,
        section,
        _digest(question),
        question.rev,
        replaces=question.replaces,
    )


def _terms(course: "Course", phases: dict[int, int]) -> Iterator[Item]:
    for term in course.glossary():
        day = _day_of(term.days)
        section = _closest(course, day, f"{term.term} {term.says}")
        about = CardId("term", term.id)
        phase, digest = phases.get(day, 0), _digest(term)
        yield Item(about, term.term, day, phase, (), section, digest, term.rev)


def _exercises(course: "Course", phases: dict[int, int]) -> Iterator[Item]:
    for exercise in course.exercises().values():
        yield Item(
            CardId("exercise", exercise.slug),
            exercise.title,
            exercise.day,
            phases.get(exercise.day, 0),
            (),
            _closest(course, exercise.day, _task_of(exercise)),
            _digest(exercise),
            minutes=exercise.minutes,
        )


def _day_of(days: Iterable[int]) -> int:
    return next(iter(days), 0)


def _task_of(exercise: "Exercise") -> str:
    return f"{exercise.slug} {exercise.title} {exercise.task}"


def _words_of(question: "Question") -> str:
    return " ".join((question.prompt, question.code, question.explanation, *question.tags))


def _title(prompt: str) -> str:
    """The first line of a prompt, short enough for a list."""
    line = prompt.strip().split("\n", 1)[0]
    return line if len(line) <= 100 else f"{line[:99]}…"


def _digest(content: Any) -> str:
    """Return a digest of what a learner sees of a question, term or exercise, without its place."""
    shown = {
        f.name: getattr(content, f.name) for f in fields(content) if f.name not in _NOT_CONTENT
    }
    text = json.dumps(shown, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _closest(course: "Course", day: int, text: str, tags: tuple[str, ...] = ()) -> str:
    """The slug of the section of a day's lesson that shares the most significant words with a text.

    A word weighs more if fewer sections have it, four times as much in a section's title, and less in a
    section of many words. A section whose own questions have a tag of `tags` counts half as much again.
    "" if there is no lesson or no shared word.
    """
    lesson = course.lesson(day)
    if lesson is None:
        return ""
    sections = {section.slug: _words(_text_of(section)) for section in lesson.sections}
    having = Counter(word for words in sections.values() for word in words)
    weight = {word: log(1 + len(sections) / count) for word, count in having.items()}
    asked = _words(text) & set(weight)
    score: dict[str, float] = {}
    for section in lesson.sections:
        words = sections[section.slug]
        shared = sum(weight[w] for w in asked & words)
        shared += sum(3 * weight[w] for w in asked & _words(section.title))
        about = {tag for question in _list_questions(section) for tag in question.tags}
        score[section.slug] = shared / sqrt(1 + len(words)) * (1 + len(about & set(tags)) / 2)
    best = max(score, key=lambda slug: score[slug], default="")
    return best if best and score[best] > 0 else ""


@lru_cache(maxsize=64)  # the sections of a lesson are asked for with each of its questions
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _text_of(section: "Section") -> str:
    parts = [section.title]
    for block in section.blocks:
        parts += [getattr(block, "text", ""), getattr(block, "code", "")]
    for question in _list_questions(section):
        parts += [question.prompt, question.explanation]
    return " ".join(parts)


def _list_questions(section: "Section") -> "list[Question]":
    """The predictions and drills of a section."""
    return [block.question for block in section.blocks if hasattr(block, "question")]
