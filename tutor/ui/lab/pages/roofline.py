"""The page with the roofline plot of the learner's timed attempts."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tutor.course.model import Exercise
from tutor.hardware import measured_peaks
from tutor.memory.store.rows import Attempt
from tutor.ui.kit.text.phrases import when
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.lab.pages.versions import verdict_of
from tutor.ui.verdict import roofline_plot
from tutor.ui.verdict.roofline_plot import RooflinePlot

_NOT_YET = {
    "kernel": "The interpreter gives no times. A kernel is timed on a CUDA GPU, in the verdict on a "
    "right answer; `tutor doctor` says whether one works here.",
    "compiled": "A compiled function is timed in the verdict on a right answer, on a GPU or, with g++, "
    "on the CPU: check it, and come back.",
    "function": "A plain function is not timed: its answer is an object, not a quick tensor.",
}


class RooflinePage(LabPage):
    NAME, ACTION = "roofline", "lab.roofline"

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise)
        self._attempts: tuple[Attempt, ...] = ()

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield RooflineView(_NOT_YET[self.exercise.kind])

    def show(self, attempts: tuple[Attempt, ...]) -> None:
        """Take the attempts, newest first. They are drawn when the page is shown."""
        self._attempts = attempts
        if self.display:
            self.opened()

    def opened(self) -> None:
        timed = []
        for attempt in self._attempts:
            verdict = verdict_of(attempt)
            if verdict and verdict.timing:
                timed.append((when(attempt.at), verdict.device, verdict.timing))
        plot = roofline_plot.of_attempts(timed, measured_peaks.read(), measured_peaks.processor())
        self.query_one(RooflineView).show(plot)


class RooflineView(Widget):
    """A plot that fills its widget, or a sentence on why there is none."""

    DEFAULT_CSS = """
    RooflineView { height: auto; width: 1fr; }
    """

    def __init__(self, otherwise: str) -> None:
        super().__init__()
        self._otherwise = otherwise
        self._plot: RooflinePlot | None = None
        self._rows = 20

    def show(self, plot: RooflinePlot | None) -> None:
        self._plot = plot
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._rows = container.height
        return self._content(width).get_height({}, max(1, width))

    def render(self) -> Content:
        return self._content(max(20, self.content_size.width))

    def _content(self, width: int) -> Content:
        if self._plot is None:
            return Content(f"No timed attempt yet. {self._otherwise}")
        return roofline_plot.lines(self._plot, width, self._rows)
