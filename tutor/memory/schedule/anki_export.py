"""The course as an Anki deck. A card's guid is made from the author's id alone, so that importing a
later export updates the notes and keeps their history in Anki."""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.base.errors import CannotHere
from tutor.memory.store.rows import CardId

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.course.model import Question

# Fixed numbers: Anki identifies the note type and the deck by them.
_MODEL, _DECK = 1_763_690_001, 1_763_690_100
_CSS = """.card { font-family: sans-serif; text-align: left; }
div.text { white-space: pre-wrap; } pre { font-size: 90%; } .source { opacity: .6; }"""
_BACK = '{{FrontSide}}<hr id="answer">{{Back}}<p class="source">{{Source}}</p>'


@dataclass(frozen=True)
class Note:
    """A note for Anki; front and back are HTML."""

    card: CardId
    phase: int
    front: str
    back: str
    source: str
    tags: tuple[str, ...]


def make_notes(course: "Course") -> Iterator[Note]:
    """Every question, prediction, term and exercise of the course."""
    phases = {day.day: day.phase for day in course.days}
    for day, phase in phases.items():
        quiz, lesson = course.quiz(day), course.lesson(day)
        asked = list(quiz.questions) if quiz else []
        asked += lesson.questions if lesson else ()
        for question in asked:
            yield _of_question(question, phase)
    for term in course.glossary():
        day = next(iter(term.days), 0)
        about = CardId("term", term.id)
        back = _text(term.says)
        tags = (f"day-{day:02d}",)
        yield Note(about, phases.get(day, 0), _text(term.term), back, _text(term.source), tags)
    for exercise in course.exercises().values():
        back = _text(f"Write it, and let the judge say:\n\n    tutor check {exercise.slug}")
        yield Note(
            CardId("exercise", exercise.slug),
            phases.get(exercise.day, 0),
            _text(f"{exercise.title}: {exercise.entry}\n\n{exercise.task}"),
            back,
            _text("; ".join(exercise.sources)),
            (f"day-{exercise.day:02d}", "exercise"),
        )


def _of_question(question: "Question", phase: int) -> Note:
    from tutor.course.reading.variants import draw_variant
    from tutor.quiz.answer_text import answer_in_words
    from tutor.quiz.option_order import shuffle_options

    question = shuffle_options(draw_variant(question), 0)
    front = [_text(question.prompt)]
    if question.code or question.text:
        front.append(_code(question.code or question.text))
    for choices in (question.options, question.items, question.left, question.right):
        front += [_text(f"{key}) {text}") for key, text in choices.items()]
    if question.answer_from:
        answer = "This machine computes it: run the code." if question.code else ""
    else:
        answer = answer_in_words(question)
    right = _code(answer) if question.kind == "code" else ""
    return Note(
        CardId("question", question.id),
        phase,
        "".join(front),
        right + _text(f"{'' if right else answer}\n\n{question.explanation}".strip()),
        _text(question.source),
        (f"day-{question.day:02d}", *(tag.replace(" ", "-") for tag in question.tags)),
    )


def _text(text: str) -> str:
    return f'<div class="text">{html.escape(text.strip(), quote=False)}</div>'


def _code(text: str) -> str:
    return f"<pre>{html.escape(text, quote=False)}</pre>"


def write_apkg(course: "Course", path: Path) -> int:
    """Write the deck, one sub-deck a phase; returns the number of notes.

    Raises `CannotHere` without the package, `OSError` where the file cannot be written.
    """
    try:
        import genanki
    except ImportError:
        raise CannotHere(
            "the export to Anki needs the package genanki: pip install genanki"
        ) from None
    model = genanki.Model(
        _MODEL,
        "tutor",
        fields=[{"name": name} for name in ("Front", "Back", "Source")],
        templates=[{"name": "Card 1", "qfmt": "{{Front}}", "afmt": _BACK}],
        css=_CSS,
    )
    decks: dict[int, genanki.Deck] = {}
    count = 0
    for note in make_notes(course):
        name = f"ML compilers::{note.phase} {course.phases.get(note.phase, '')}".strip()
        deck = decks.setdefault(note.phase, genanki.Deck(_DECK + note.phase, name))
        deck.add_note(
            genanki.Note(
                model,
                [note.front, note.back, note.source],
                guid=genanki.guid_for("tutor", *note.card),
                tags=list(note.tags),
            )
        )
        count += 1
    genanki.Package(list(decks.values())).write_to_file(str(path))
    return count
