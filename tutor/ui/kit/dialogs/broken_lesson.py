"""The mistakes in a lesson that cannot be read, each at its place in the file, for the author."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.number_text import plural
from tutor.course.reading.faults import CourseFault, Fault
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

AROUND = 2  # lines shown before and after a mistake
MOST = 40  # mistakes shown
COLUMNS = 200  # of a line of the file


class FaultyScreen(TutorScreen):
    """The list of mistakes. `error` holds those in the lesson of day `day`; `r` reads the file again."""

    BINDINGS = bindings("faulty")
    DEFAULT_CSS = "FaultyScreen VerticalScroll { padding: 1 2; }"

    def __init__(self, day: int, error: CourseFault) -> None:
        super().__init__()
        self.day, self._error = day, error

    def compose(self) -> ComposeResult:
        yield Bar()
        with VerticalScroll():
            yield Static(id="faults")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self._show()

    def _show(self) -> None:
        faults = self._error.faults
        title = Content.assemble((f"Day {self.day}", "bold"), " cannot be shown yet")
        self.query_one(Bar).show(title, plural(len(faults), "mistake"))
        parts = [_fault(fault) for fault in faults[:MOST]]
        if len(faults) > MOST:
            parts.append(Content(f"and {len(faults) - MOST} more"))
        self.query_one("#faults", Static).update(Content("\n\n").join(parts))

    def action_again(self) -> None:
        """Read the file again and show the lesson if it is correct, else the remaining mistakes."""
        try:
            self.tutor.course.lesson(self.day)
        except CourseFault as error:
            self._error = error
            self._show()
            self.notify("read again; it cannot be shown yet", timeout=3)
            return
        self.app.pop_screen()
        self.tutor.open(f"lesson:{self.day}")


def _fault(fault: Fault) -> Content:
    where = Content.assemble((str(fault.path), "bold"), (f":{fault.line}", "bold"))
    fault_line = Content.assemble(
        (fault.field, "bold $accent"), f": expected {fault.expected}, found {fault.found}"
    )
    return Content("\n").join([where, fault_line, *_excerpt(fault)])


def _excerpt(fault: Fault) -> Iterator[Content]:
    """The lines around the mistake, with its line marked; none if the file cannot be read."""
    try:
        text = fault.path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return
    first = max(1, fault.line - AROUND)
    for number in range(first, min(len(text), fault.line + AROUND) + 1):
        here = number == fault.line
        line = limit_text(text[number - 1], lines=1, columns=COLUMNS)
        style = "bold $error" if here else "$foreground 70%"
        yield Content.assemble((f"{'>' if here else ' '}{number:5}  {line}", style))
