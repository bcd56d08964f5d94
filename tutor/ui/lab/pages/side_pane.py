"""The pane next to the editor. It shows one page at a time, below a line with the names of all."""

from typing import NamedTuple, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from tutor.course.model import Exercise
from tutor.judge.reports.report import Report
from tutor.ui.kit.keys.key_labels import is_typing, key_name, keymap_of
from tutor.ui.lab.pages.attempts import AttemptsPage
from tutor.ui.lab.pages.hints import HintsPage
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.lab.pages.roofline import RooflinePage
from tutor.ui.lab.pages.scratch import ScratchPage
from tutor.ui.lab.pages.solution import SolutionPage
from tutor.ui.lab.pages.task import TaskPage
from tutor.ui.lab.pages.verdict import VerdictPage

# In the order of the line above them (see `LabPage` for a new page).
PAGES: tuple[type[LabPage], ...] = (
    TaskPage,
    VerdictPage,
    HintsPage,
    AttemptsPage,
    RooflinePage,
    ScratchPage,
    SolutionPage,
)
_P = TypeVar("_P", bound=LabPage)


class LabPane(Vertical):
    """The pane. `page` is the name of the page that it shows."""

    class Turned(Message):
        """Another page is shown."""

    def __init__(self, exercise: Exercise) -> None:
        super().__init__()
        self.exercise = exercise
        self.page = PAGES[0].NAME

    def compose(self) -> ComposeResult:
        yield PageLine()
        with ContentSwitcher(initial=self.page):
            for kind in PAGES:
                yield kind(self.exercise)

    def on_mount(self) -> None:
        self.show_page_names()

    def of(self, kind: type[_P]) -> _P:
        return self.query_one(kind)

    def find_page(self, name: str) -> LabPage:
        return next(page for page in self.query(LabPage) if name == page.NAME)

    def open(self, name: str) -> None:
        leaves = self.has_focus_within and name != self.page
        self.page = name
        self.query_one(ContentSwitcher).current = name
        self.show_page_names()
        self.find_page(name).fill_page()
        self.post_message(self.Turned())
        if leaves:  # the page that had the keyboard is hidden
            self.take_focus()

    def offer_solution(self) -> None:
        """Offer the worked solution, and its difference from the learner's text."""
        for page in self.query(SolutionPage):
            page.show()

    def take_focus(self) -> None:
        self.find_page(self.page).take_focus()

    def report_changed(self, report: Report, *, detail: bool) -> None:
        for page in self.query(LabPage):
            page.report_changed(report, detail=detail)

    @on(LabPage.Renamed)
    def show_page_names(self) -> None:
        keymap, typing = keymap_of(self), is_typing(self)
        names = [
            PageName(page.NAME, page.title, key_name(page.ACTION, keymap), typing)
            for page in self.query(LabPage)
            if page.offered and (page.in_line or self.page == page.NAME)
        ]
        for line in self.query(PageLine):  # none if the lab is left while it opens
            line.show(names, self.page)

    def keys_changed(self) -> None:
        self.show_page_names()

    def keyboard_moved(self) -> None:
        """Update names of keys: the focus has moved into a text or out of one."""
        self.show_page_names()
        for page in self.query(LabPage):
            page.keyboard_moved()


class PageName(NamedTuple):
    """The name of a page, its title, and the letter that opens it while no text has the keyboard."""

    page: str
    title: str
    key: str
    typing: bool

    @property
    def label(self) -> Content:
        """The title with its letter marked, after the key if that is no letter of it. It is as wide
        while a text has the keyboard, so that the line stays as it is."""
        style = "" if self.typing else "bold $primary"
        at = self.title.find(self.key)
        if at >= 0 and len(self.key) == 1:
            return Content(self.title).stylize(f"{style} underline", at, at + 1)
        return Content.assemble((self.key, style), f" {self.title}")


class PageLine(Widget):
    """The names of the pages, in as many rows as they need; a click opens one."""

    DEFAULT_CSS = """
    PageLine { height: auto; padding: 0 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[PageName] = []
        self._here = ""

    def show(self, names: list[PageName], here: str) -> None:
        width = self.content_size.width
        before = len(self.rows(width))
        self.names, self._here = names, here
        self.refresh(layout=len(self.rows(width)) != before)

    def rows(self, width: int) -> list[list[PageName]]:
        """The pages of each row. A row has as many as fit whole."""
        rows: list[list[PageName]] = [[]]
        room = width
        for entry in self.names:
            if rows[-1] and _width(entry) > room:
                rows.append([])
                room = width
            rows[-1].append(entry)
            room -= _width(entry)
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.rows(width))

    def render(self) -> Content:
        lines = []
        for row in self.rows(self.content_size.width):
            parts: list[Content] = []
            for entry in row:
                here = entry.page == self._here
                label = Content.assemble(" ", entry.label, " ")
                parts.append(label.stylize_before("bold reverse" if here else "$foreground 70%"))
            lines.append(Content.assemble(*parts))
        return Content("\n").join(lines)

    async def on_click(self, event: events.Click) -> None:
        rows = self.rows(self.content_size.width)
        x, y = event.x - 1, event.y  # less the padding
        for entry in rows[y] if y < len(rows) else ():
            if 0 <= x < _width(entry):
                await self.run_action(f"screen.page('{entry.page}')")
                return
            x -= _width(entry)


def _width(entry: PageName) -> int:
    return entry.label.cell_length + 2
