"""The base class of the pages next to the lab's editor. A further page is a class of this kind, its
name in `side_pane.PAGES`, and an action `page('its name')` in `actions.ACTIONS["lab"]`."""

from typing import ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from tutor.course.model import Exercise
from tutor.ui.verdict.verdict_view import Report


class LabPage(Vertical):
    """`NAME` is what `page('…')` opens and the widget's id; `ACTION`, in `keys`, has its key."""

    NAME: ClassVar[str]
    ACTION: ClassVar[str]
    offered: bool = True
    DEFAULT_CSS = """
    LabPage { height: 1fr; }
    LabPage > VerticalScroll { height: 1fr; padding: 1 1 0 1; }
    """

    class Renamed(Message):
        """`title` or `offered` may say something else now."""

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(id=self.NAME)
        self.exercise = exercise

    @property
    def title(self) -> str:
        """The name on the line of pages, perhaps with a count."""
        return self.NAME

    @property
    def refusal(self) -> str:
        """A sentence for a learner who asks for a page that is not offered."""
        return ""

    def opened(self) -> None:
        """The page has come into sight: what is dear to draw is drawn here, not at each report."""

    def report_changed(self, report: Report, *, detail: bool) -> None:
        """More is known of the newest submission. Called some ten times a second while judging, in
        sight or not."""

    def keyboard_moved(self) -> None:
        """Between a text and the rest of the lab: keys that the page names may be others now."""

    def keys_changed(self) -> None:
        """Keys that the page names have changed for good."""
        self.keyboard_moved()

    def rest(self) -> None:
        """Take the keyboard from a text, where letters are keys."""
        self.take_focus()

    def take_focus(self) -> None:
        """Give the keyboard to the first thing on the page that takes it."""
        for widget in self.query(Widget):
            if widget.focusable:
                widget.focus()
                return
