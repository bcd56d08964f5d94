"""The contents of a lesson, shown beside its page where the terminal is wide enough."""

from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.course.model import Lesson
from tutor.memory.record import Record
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.press import make_clickable
from tutor.ui.lesson.note_view import NOTE
from tutor.ui.lesson.reader_tools import BOOKMARK

BESIDE = 140  # columns from which the contents stand beside the page
_TITLE_COLUMNS = 30


class ContentsList(VerticalScroll, can_focus=False):
    """A row for each section: read or not, its title and its marks. A click turns to the section."""

    DEFAULT_CSS = """
    ContentsList { display: none; width: 38; height: 100%; padding: 1 1; background: $surface; }
    ContentsList Static { height: auto; }
    """

    _place: tuple[Record, Lesson, int] | None = None  # the record, the lesson, the section read

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show_place(self, record: Record, lesson: Lesson, here: int) -> None:
        """Show the sections of the lesson, `here` as the one that is read, and scroll to it."""
        self._place = record, lesson, here
        if self.display:
            self._draw(*self._place)

    def on_show(self) -> None:
        """The terminal may have been widened."""
        if self._place:
            self._draw(*self._place)

    def _draw(self, record: Record, lesson: Lesson, here: int) -> None:
        read = record.activity.read_sections(lesson.day)
        marked = {slug for _, slug in record.notes.bookmarks(lesson.day)}
        noted = {note.slug for note in record.notes.section_notes(lesson.day)}
        rows: list[Content] = [Content.styled("  Contents", "$foreground 70%"), Content("")]
        row = 0
        for index, section in enumerate(lesson.sections):
            row = len(rows) if index == here else row
            lines = wrap(make_visible(section.title), _TITLE_COLUMNS) or [""]
            marks = f"{BOOKMARK * (section.slug in marked)}{NOTE * (section.slug in noted)}"
            state = ("✓ ", "$success") if index in read else "  "
            words = Content.assemble(state, "\n  ".join(lines), (f" {marks}", "$accent"))
            if index == here:
                words = words.stylize("bold $primary")
            rows += make_clickable(words, f"screen.section({index})").split("\n")
        self.query_one(Static).update(Content("\n").join(rows))
        self.scroll_to(y=row - self.size.height // 2, animate=False)
