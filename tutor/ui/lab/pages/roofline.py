"""The page with the roofline plot of the learner's timed attempts."""

from typing import cast

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tutor.course.model import Exercise
from tutor.hardware import gpus, measured_peaks
from tutor.judge.spec import Work
from tutor.memory.store.rows import Attempt
from tutor.ui.kit.core.judge_call import JudgeCall, Turn, ignore
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.text.phrases import format_moment
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
    "pass": "A pass is not timed: what it makes of programs is judged, and how much is left of them.",
    "schedule": "A schedule is not timed: its loops are judged, and what they compute.",
    "cases": "Cases are not timed: the answers that they refuse are counted.",
    "ranks": "A function of several ranks is not timed: what they send and wait for is judged.",
    "graph": "A model is not timed: its nodes are judged, and what it computes.",
}


class RooflinePage(LabPage):
    """Draws the timed attempts below the roof of the device. Asks the judge for the exercise's
    least work when it is first opened."""

    NAME, ACTION = "roofline", "lab.roofline"
    in_line = False

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise)
        self._attempts: tuple[Attempt, ...] = ()
        self._work: JudgeCall[Work] | None = None  # once it was asked for

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield RooflineView(_NOT_YET[self.exercise.kind])

    def show(self, attempts: tuple[Attempt, ...]) -> None:
        """Take the attempts, newest first. They are drawn when the page is shown."""
        self._attempts = attempts
        if self.display:
            self.fill_page()

    def fill_page(self) -> None:
        timed = []
        for attempt in self._attempts:
            verdict = verdict_of(attempt)
            if verdict and verdict.timing:
                timed.append((format_moment(attempt.at), verdict.device, verdict.timing))
        plot = roofline_plot.plot_of_attempts(
            timed, measured_peaks.read_peaks(), measured_peaks.processor()
        )
        self.query_one(RooflineView).show(plot)
        if plot is None and self._work is None and not self.exercise.is_plain:
            self._ask()

    def _ask(self) -> None:
        """Ask the judge for the exercise's work, which the page shows under the target's roof."""
        screen = cast(TutorScreen, self.screen)
        judge, slug = screen.tutor.judge, self.exercise.slug
        self._work = JudgeCall(screen, "The judge", ignore)
        self._work.start(Turn(lambda: [judge.work(slug)], self._outlook, ignore))

    def _outlook(self, works: list[Work]) -> None:
        target = gpus.target(cast(TutorScreen, self.screen).tutor.config.target)
        self.query_one(RooflineView).expect(roofline_plot.plot_of_work(works[-1], target))


class RooflineView(Widget):
    """A plot that fills its widget. Without times, a sentence on why there are none and, once it is
    known, what is expected."""

    DEFAULT_CSS = """
    RooflineView { height: auto; width: 1fr; }
    """

    def __init__(self, otherwise: str) -> None:
        super().__init__()
        self._otherwise = otherwise
        self._plot: RooflinePlot | None = None
        self._expected: RooflinePlot | None = None
        self._rows = 20

    def show(self, plot: RooflinePlot | None) -> None:
        self._plot = plot
        self.refresh(layout=True)

    def expect(self, plot: RooflinePlot) -> None:
        self._expected = plot
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._rows = container.height
        return self._content(width).get_height({}, max(1, width))

    def render(self) -> Content:
        return self._content(max(20, self.content_size.width))

    def _content(self, width: int) -> Content:
        if self._plot is None:
            words = Content(f"No timed attempt yet. {self._otherwise}")
            if self._expected is None:
                return words
            drawn = roofline_plot.draw_plot(self._expected, width, self._rows - 4)
            return Content("\n").join([drawn, Content(""), words])
        return roofline_plot.draw_plot(self._plot, width, self._rows)
