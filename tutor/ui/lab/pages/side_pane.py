"""The pane next to the editor. It shows one page at a time, below a line with the names of all."""

from typing import TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from tutor.course.model import Exercise
from tutor.judge.reports.report import Report
from tutor.ui.kit.keys.key_labels import key_now
from tutor.ui.lab.pages.attempts import AttemptsPage
from tutor.ui.lab.pages.hints import HintsPage
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.lab.pages.roofline import RooflinePage
from tutor.ui.lab.pages.scratch import ScratchPage
from tutor.ui.lab.pages.solution import DifferencePage, SolutionPage
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
    DifferencePage,
)
_P = TypeVar("_P", bound=LabPage)


class LabPane(Vertical):
    """The pane. `page` is the name of the page that it shows."""

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
        names = [
            (page.NAME, key_now(self, page.ACTION), page.title)
            for page in self.query(LabPage)
            if page.offered
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


class PageLine(Widget):
    """The names of the pages with their keys, in as many rows as they need; a click opens one."""

    DEFAULT_CSS = """
    PageLine { height: auto; padding: 0 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[tuple[str, str, str]] = []
        self._here = ""

    def show(self, names: list[tuple[str, str, str]], here: str) -> None:
        """`names`: of each page its name, its key and its title."""
        width = self.content_size.width
        before = len(self.rows(width))
        self.names, self._here = names, here
        self.refresh(layout=len(self.rows(width)) != before)

    def rows(self, width: int) -> list[list[tuple[str, str, str]]]:
        """The pages of each row. A row has as many as fit whole."""
        rows: list[list[tuple[str, str, str]]] = [[]]
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
            parts: list[tuple[str, str]] = []
            for name, key, title in row:
                here = name == self._here
                parts.append((f" {key} ", "bold $primary reverse" if here else "$primary"))
                parts.append((f"{title} ", "bold" if here else "$foreground 70%"))
            lines.append(Content.assemble(*parts))
        return Content("\n").join(lines)

    async def on_click(self, event: events.Click) -> None:
        rows = self.rows(self.content_size.width)
        x, y = event.x - 1, event.y  # less the padding
        for entry in rows[y] if y < len(rows) else ():
            if 0 <= x < _width(entry):
                await self.run_action(f"screen.page('{entry[0]}')")
                return
            x -= _width(entry)


def _width(entry: tuple[str, str, str]) -> int:
    _, key, title = entry
    return len(key) + len(title) + 3
