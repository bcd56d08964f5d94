"""The base class of the pages next to the lab's editor. A new page needs a subclass, a row in
`side_pane.PAGES`, and an action `page('its name')` in `actions.ACTIONS["lab"]`."""

from typing import ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from tutor.course.model import Exercise
from tutor.judge.reports.report import Report


class LabPage(Vertical):
    """A page. `NAME` is its name in `page('…')` and its id as a widget; `ACTION` has its key."""

    NAME: ClassVar[str]
    ACTION: ClassVar[str]
    offered: bool = True
    in_line: ClassVar[bool] = True  # on the line of pages, also while another one is shown
    DEFAULT_CSS = """
    LabPage { height: 1fr; }
    LabPage > VerticalScroll { height: 1fr; padding: 1 1 0 1; }
    """

    class Renamed(Message):
        """`title` or `offered` may have changed."""

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(id=self.NAME)
        self.exercise = exercise

    @property
    def title(self) -> str:
        """The name on the line of pages, perhaps with a count."""
        return self.NAME

    @property
    def refusal(self) -> str:
        """The sentence that is shown instead of a page that is not offered."""
        return ""

    def fill_page(self) -> None:
        """Draw the parts that take long. Called when the page is shown, not at each report."""

    def report_changed(self, report: Report, *, detail: bool) -> None:
        """Follow the newest report. Called about ten times a second while judging, also for hidden
        pages."""

    def keyboard_moved(self) -> None:
        """Update names of keys: the focus has moved into a text or out of one."""

    def keys_changed(self) -> None:
        """Update names of keys: the keymap has changed."""
        self.keyboard_moved()

    def rest(self) -> None:
        """Move the focus out of a text, so that letters are keys again."""
        self.take_focus()

    def take_focus(self) -> None:
        """Focus the first widget of the page that can have the focus."""
        for widget in self.query(Widget):
            if widget.focusable:
                widget.focus()
                return
