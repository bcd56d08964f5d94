"""A search over the course and the learner's own texts."""

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tutor.base.errors import UsageError
from tutor.search.index import create_index, fill_index, find_passages, forget_index, open_index
from tutor.search.results import Passage, SearchResults

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.memory.record import Record

MOST_NOTES = 5  # of the learner; they precede the course's passages
LONGEST_NOTE = 20_000  # characters that are indexed


class Finder:
    """An open search; opening it may take a moment. It has the learner's notes as of its opening, in
    memory only: open another to find later notes.

    Raises `CannotHere` where this Python's SQLite has no FTS5. May be used from any thread, one at a
    time.
    """

    def __init__(self, course: "Course", record: "Record") -> None:
        self._course = course
        self._index = open_index(course)
        self._explained = record.notes.list_explained()
        self._notes = sqlite3.connect(":memory:", check_same_thread=False)
        create_index(self._notes)
        fill_index(self._notes, note_passages(course, record))

    def find(self, typed: str, limit: int = 40) -> SearchResults:
        """Return the learner's notes, then the course's passages, each best first; at most `limit`."""
        own = find_passages(self._notes, typed, min(MOST_NOTES, limit))
        room = limit - len(own.hits)
        try:
            passages = find_passages(self._index, typed, room, self._explained)
        except sqlite3.DatabaseError:  # the file was damaged after it was opened
            self._index.close()
            forget_index(self._course)
            self._index = open_index(self._course)
            passages = find_passages(self._index, typed, room, self._explained)
        some = [results for results in (own, passages) if results.hits]
        every = any(
            results.every for results in some
        )  # then hits with only some of the words are left out
        hits = [hit for results in some if results.every is every for hit in results.hits]
        return SearchResults(tuple(hits), every or not hits)

    def close(self) -> None:
        self._index.close()
        self._notes.close()


def note_passages(course: "Course", record: "Record") -> Iterator[Passage]:
    """Yield the learner's own texts.

    "note" at "22/section-slug" of a lesson, "card note" at "term:ID" (or question:, exercise:),
    "reflection" at the checkpoint's day.
    """
    for note in record.notes.section_notes():
        title = _section_title(course, note.day, note.slug)
        yield Passage("note", f"{note.day}/{note.slug}", note.day, title, note.text[:LONGEST_NOTE])
    for kind, key, title, text in record.notes.card_notes():
        yield Passage("card note", f"{kind}:{key}", 0, title or key, text[:LONGEST_NOTE])
    seen = set()
    for row in record.checkpoints.reflections():
        if (
            row.day,
            row.prompt,
        ) not in seen:  # newest first, so the latest version of a text comes first
            seen.add((row.day, row.prompt))
            text = row.text[:LONGEST_NOTE]
            yield Passage("reflection", str(row.day), row.day, f"Written at Day {row.day}", text)


def _section_title(course: "Course", day: int, slug: str) -> str:
    try:
        lesson = course.lesson(day)
    except UsageError:
        lesson = None
    sections = lesson.sections if lesson else ()
    return next((s.title for s in sections if s.slug == slug), slug.replace("-", " "))
