"""Lists for a reader at one place of a lesson: its contents, the words explained, the links that lead
on, and the code to copy. No screen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from textual.content import Content

from tutor.base import paths
from tutor.base.number_text import plural
from tutor.course.catalog.course import Course
from tutor.course.catalog.unwritten_days import explain_unwritten_day, find_absent_days
from tutor.course.model import Block, Cell, Lesson, Prose, Section
from tutor.course.reading.links import ProseLink, links_in
from tutor.course.reading.markdown_blocks import tokens
from tutor.memory.project_choice import exercises_to_do
from tutor.memory.record import Record
from tutor.ui.cells.cell_runs import Visit
from tutor.ui.kit.core.kept_layout import keep_layout, read_layout
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.lesson.note_view import NOTE
from tutor.ui.lesson.section_terms import ideas_in, section_minutes, terms_in

BOOKMARK = "◆"
_TITLE_COLUMNS = 46
_MOST_ROWS = 100_000


@dataclass(frozen=True)
class SectionPlace:
    """A section of a lesson."""

    lesson: Lesson
    index: int

    @property
    def day(self) -> int:
        return self.lesson.day

    @property
    def section(self) -> Section:
        return self.lesson.sections[self.index]


class Copied(NamedTuple):
    """A text for the clipboard, and what it is in words."""

    what: str
    text: str


class Way(NamedTuple):
    """A row of a list, and the target that it opens."""

    line: Content
    target: str


def note_at(record: Record, place: SectionPlace) -> str:
    """The learner's note to the section, or ""."""
    notes = record.notes.section_notes(place.day)
    return next((note.text for note in notes if note.slug == place.section.slug), "")


def keep_row(day: int, index: int, row: int, rows: int) -> None:
    """Keep the row at the top of a section that has so many rows, until the next one of its day."""
    if row or read_row(day, index)[0]:
        keep_layout(_row_name(day), [index, row, rows])


def read_row(day: int, index: int) -> tuple[int, int]:
    """The row at which the reader left the section, and the number of its rows then; (0, 0) where
    another one of the day was left last."""
    match read_layout(_row_name(day)):
        case [int(kept), int(row), int(rows)] if kept == index and 0 <= row < rows < _MOST_ROWS:
            return row, rows
    return 0, 0


def _row_name(day: int) -> str:
    return f"row {paths.other_course()}/{day}"


def is_marked(record: Record, place: SectionPlace) -> bool:
    """Return True if the section has a bookmark."""
    return (place.day, place.section.slug) in record.notes.bookmarks(place.day)


def contents(record: Record, course: Course, lesson: Lesson) -> list[Content]:
    """A row for each section: read or not, its title, its marks and its minutes, without those of the
    day's exercises."""
    read = record.activity.read_sections(lesson.day)
    marked = {slug for _, slug in record.notes.bookmarks(lesson.day)}
    noted = {note.slug for note in record.notes.section_notes(lesson.day)}
    slugs = exercises_to_do(course, record, lesson.day)
    exercises = sum(course.exercise(slug).minutes for slug in slugs)
    minutes = section_minutes(lesson, max(0, lesson.minutes - exercises))
    return [
        Content.assemble(
            ("✓ " if index in read else "  ", "$success"),
            shorten(make_visible(section.title), _TITLE_COLUMNS).ljust(_TITLE_COLUMNS),
            (f" {BOOKMARK if section.slug in marked else ' '}", "$accent"),
            (f"{NOTE if section.slug in noted else ' '}", "$primary"),
            (f"{minutes[index]:>4} min", "$foreground 70%"),
        )
        for index, section in enumerate(lesson.sections)
    ]


def words_at(course: Course, place: SectionPlace) -> list[Way]:
    """The glossary's terms and the map's ideas that occur in the section. Raises `UsageError`."""
    phase = next((day.phase for day in course.days if day.day == place.day), 0)
    chart = course.concept_map(phase)
    terms = terms_in(course.glossary(), place.section)
    ideas = ideas_in(chart.nodes, place.section) if chart else ()
    return [
        *(Way(_word(term.term, term.says), f"term:{term.id}") for term in terms),
        *(Way(_word(idea.title, idea.text), f"idea:{phase}/{idea.id}") for idea in ideas),
    ]


def links_at(course: Course, place: SectionPlace) -> list[Way]:
    """Where the section leads."""
    return [
        Way(_link_line(course, place.lesson, link), link.target)
        for link in links_in(place.section, place.lesson.sources)
        if link.target != f"day:{place.day}" and _exists(course, link.target)
    ]


def unwritten_notes(course: Course, lesson: Lesson) -> list[str]:
    """A sentence on each day that the lesson names and that is not written."""
    return [explain_unwritten_day(course, day) for day in find_absent_days(course, lesson)]


def find_copyable(blocks: Iterable[Block], visit: Visit) -> Iterator[Copied]:
    """The code and the output of cells, and the blocks of code in the text."""
    for block in blocks:
        if isinstance(block, Cell):
            yield Copied(f"Cell {block.index}", block.code.rstrip("\n") + "\n")
            run = visit.run_of(block)
            if output := "\n".join(filter(None, (run.output.text(), run.error))):
                yield Copied(f"Output of cell {block.index}", output + "\n")
        elif isinstance(block, Prose):
            for token in tokens(block.text):
                if token.type in ("fence", "code_block"):
                    yield Copied("The block", token.content)


def copy_line(copied: Copied) -> Content:
    """A row of the list of what can be copied."""
    first = next((line for line in copied.text.split("\n") if line.strip()), "")
    count = plural(copied.text.rstrip("\n").count("\n") + 1, "line")
    return Content.assemble(
        (f"{copied.what}, {count}  ", "bold"),
        (shorten(make_visible(first.strip()), 40), "$foreground 70%"),
    )


def _word(name: str, says: str) -> Content:
    return Content.assemble(
        (make_visible(name), "bold $accent"), "  ", make_visible(says.replace("`", ""))
    )


def _exists(course: Course, target: str) -> bool:
    kind, _, name = target.partition(":")
    return kind != "day" or any(str(day.day) == name for day in course.days)


def _link_line(course: Course, lesson: Lesson, link: ProseLink) -> Content:
    kind, _, name = link.target.partition(":")
    if kind == "day":
        about = next(day for day in course.overview().days if str(day.day) == name)
        state = "" if about.written else "  not written yet"
        return Content.assemble(
            f"Day {name} · {make_visible(about.title)}", (state, "$foreground 70%")
        )
    if kind == "source":
        source = next((s for s in lesson.sources if s.id == name), None)
        words = f"{link.text} {source.title}" if source else name
        return Content.assemble(("cites  ", "$foreground 70%"), shorten(make_visible(words), 58))
    return Content.assemble(
        (f"{kind}  ", "$foreground 70%"), shorten(make_visible(link.text or link.target), 54)
    )
