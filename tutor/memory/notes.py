"""Bookmarks and notes at the sections of lessons, and the texts that a search may show.

Both use tables of checkpoints: a bookmark is a tick of the item "section:SLUG", and a note is a text
for the prompt "section:SLUG". The ids of checklists and prompts have no colon, so none is equal.
"""

from datetime import datetime
from typing import NamedTuple

from tutor.memory.store.log import Log, local_time, storable

SECTION_PREFIX = "section:"


class SectionNote(NamedTuple):
    """The learner's note to the section `slug` of a day; `at`: when it was last written."""

    day: int
    slug: str
    text: str
    at: datetime


class Notes:
    """Bookmarks and notes. A section is named by its day and its slug."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def set_bookmark(self, day: int, slug: str, marked: bool) -> int:
        return self._log.add("ticks", day=day, item=SECTION_PREFIX + slug, ticked=int(marked))

    def bookmarks(self, day: int | None = None) -> tuple[tuple[int, str], ...]:
        """(day, slug) of every bookmark that is set, by day, then in the order they were set."""
        rows = self._log.select(
            "SELECT day, substr(item, 9), ticked FROM ticks "
            "WHERE item GLOB 'section:*' AND (? IS NULL OR day = ?) ORDER BY at, id",
            *(day, day),
        )
        newest: dict[tuple[int, str], bool] = {}
        for of_day, slug, ticked in rows:
            newest.pop((of_day, slug), None)  # a bookmark that is set again moves to the end
            newest[of_day, slug] = bool(ticked)
        marked = (place for place, ticked in newest.items() if ticked)
        return tuple(sorted(marked, key=lambda place: place[0]))

    def write(self, day: int, slug: str, text: str) -> int:
        """Write a note to a section; "" removes it. Earlier notes stay in the log."""
        return self._log.add(
            "reflections", day=day, prompt=SECTION_PREFIX + slug, text=storable(text), seconds=0.0
        )

    def section_notes(self, day: int | None = None) -> tuple[SectionNote, ...]:
        """The newest note of each section that has one, by day, then oldest first."""
        rows = self._log.select(
            "SELECT day, substr(prompt, 9), text, at FROM reflections "
            "WHERE prompt GLOB 'section:*' AND (? IS NULL OR day = ?) ORDER BY at, id",
            *(day, day),
        )
        newest = {
            (of_day, slug): SectionNote(of_day, slug, text, local_time(at))
            for of_day, slug, text, at in rows
        }
        written = (note for note in newest.values() if note.text)
        return tuple(sorted(written, key=lambda note: (note.day, note.at)))

    def card_notes(self) -> tuple[tuple[str, str, str, str], ...]:
        """(kind, key, title, note) of every card with a note."""
        rows = self._log.select(
            "SELECT cards.kind, cards.key, title, note FROM cards JOIN items USING (id) "
            "WHERE note != '' ORDER BY id"
        )
        return tuple(rows)

    def list_explained(self) -> frozenset[str]:
        """Ids of the questions whose explanation was shown; a prediction counts once it is graded."""
        rows = self._log.select(
            "SELECT DISTINCT question FROM answers WHERE correct IS NOT NULL OR origin != 'predict'"
        )
        return frozenset(question for (question,) in rows)
