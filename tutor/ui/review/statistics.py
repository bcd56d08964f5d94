"""The statistics screen: figures on learning and retention, a forecast, a plot of calibration."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.memory.statistics.statistics import Statistics
from tutor.ui.kit.core.screen import SAY_SO_SECONDS, TutorScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text import plots
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import make_clickable
from tutor.ui.review.statistics_text import draw_overview, draw_strengths

PAGES = {
    "overview": "Overview",
    "forecast": "Forecast",
    "calibration": "Certainty",
    "topics": "Topics",
}


class Plot(Widget):
    """A plot drawn to the size of its widget."""

    def __init__(self) -> None:
        super().__init__()
        self._draw: Callable[[int, int], Content] | None = None

    def show(self, draw: Callable[[int, int], Content]) -> None:
        """Show a plot. `draw` makes it for a number of columns and rows."""
        self._draw = draw
        self.refresh()

    def render(self) -> Content:
        return self._draw(*self.content_size) if self._draw else Content()


class StatisticsScreen(TutorScreen):
    """Shows figures, the forecast, calibration and topics, one page at a time."""

    CSS_PATH = "statistics.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("statistics")
    AUTO_FOCUS = None

    def compose(self) -> ComposeResult:
        yield Bar()
        with ContentSwitcher(initial="overview"):
            with VerticalScroll(id="overview", can_focus=False):
                yield Static(id="figures", markup=False)
            with Vertical(id="forecast"):
                yield Static(classes="says", markup=False)
                yield Plot()
            with Vertical(id="calibration"):
                yield Static(classes="says", markup=False)
                yield Plot()
            with VerticalScroll(id="topics", can_focus=False):
                yield Static(id="strengths", markup=False)
        yield Footer()

    def __init__(self) -> None:
        super().__init__()
        self.statistics: Statistics | None = None

    def on_mount(self) -> None:
        self._show_bar()
        self._slow = self.set_timer(SAY_SO_SECONDS, self._say_so)

    def on_screen_resume(self) -> None:
        """Compute the figures, also after cards were changed on the page above."""
        self._look()

    def _say_so(self) -> None:
        if self.is_left:
            return
        figures = self.query_one("#figures", Static)
        self._slow = self.count_seconds(figures.update, "reading the record …")

    def _cannot(self, sentence: str) -> None:
        if not self.is_left:
            self._slow.stop()
            self.query_one("#figures", Static).update(sentence)

    @work(thread=True, exit_on_error=False)
    def _look(self) -> None:
        """Compute the figures in a thread: a record of many years takes seconds."""
        record = self.tutor.record
        try:
            statistics = record.statistics.compute(record.today())
        except UsageError as error:
            self.app.call_from_thread(self._cannot, str(error))
        else:
            self.app.call_from_thread(self._show, statistics)

    def _show(self, statistics: Statistics) -> None:
        if not self.is_left:
            self._slow.stop()
            self.statistics = statistics
            self._draw(statistics)

    def on_resize(self) -> None:
        if self.statistics is not None:
            self._draw_text(self.statistics)

    def _draw(self, statistics: Statistics) -> None:
        self._draw_text(statistics)
        self._draw_forecast(statistics)
        self._draw_calibration(statistics)
        self._show_bar()

    def _draw_text(self, statistics: Statistics) -> None:
        width = self.app.size.width - 6
        self.query_one("#figures", Static).update(draw_overview(statistics, width))
        self.query_one("#strengths", Static).update(draw_strengths(statistics, width))

    def _draw_forecast(self, statistics: Statistics) -> None:
        week = sum(count for _, count in statistics.forecast[:7])
        late = (
            f"{plural(statistics.backlog, 'card')} waiting since before. "
            if statistics.backlog
            else ""
        )
        words = f"{late}{plural(week, 'card')} in the next seven days; a bar a day, today first."
        self.query_one("#forecast .says", Static).update(words)
        counts = [count for _, count in statistics.forecast]
        self.query_one("#forecast Plot", Plot).show(
            partial(plots.bars, counts, up="cards", across="days from today")
        )

    def _draw_calibration(self, statistics: Statistics) -> None:
        says = self.query_one("#calibration .says", Static)
        plot = self.query_one("#calibration Plot", Plot)
        bins = [one for one in statistics.curve if one.count]
        if not bins:
            says.update(
                "Say how sure you are before an answer is shown, and this page draws whether "
                "you can trust it."
            )
            plot.display = False
            return
        weeks = [score for _, score in statistics.brier_by_week]
        trend = (
            f", {weeks[0]:.2f} in the first week and {weeks[-1]:.2f} in the last"
            if len(weeks) > 1
            else ""
        )
        says.update(
            Content.assemble(
                ("Brier score ", "$primary"),
                f"{statistics.brier:.2f}{trend} (0: certain and right; 0.25: a coin). Points below the "
                "line: overconfident.",
            )
        )
        points = [(100 * one.said, 100 * one.right) for one in bins]
        plot.show(partial(plots.percentages, points, up="right, %", across="how sure you were, %"))

    def _show_bar(self) -> None:
        here = self.query_one(ContentSwitcher).current
        names = (
            make_clickable(
                Content.styled(f" {name} ", "bold $primary" if page == here else "$foreground 70%"),
                f"screen.show_page('{page}')",
            )
            for page, name in PAGES.items()
        )
        self.query_one(Bar).show("Statistics", Content.assemble(*names))

    def action_turn(self, step: int) -> None:
        pages = list(PAGES)
        here = self.query_one(ContentSwitcher).current or pages[0]
        self.action_show_page(pages[(pages.index(here) + step) % len(pages)])

    def action_show_page(self, page: str) -> None:
        self.query_one(ContentSwitcher).current = page
        self._show_bar()

    def action_cards(self) -> None:
        self.tutor.open("cards")

    def action_page(self, pages: int) -> None:
        for scroll in self.query(VerticalScroll):
            movement.scroll_page(scroll, pages)
