"""Home: three things to do, in the order that pays, and where the course stands."""

from datetime import datetime, timezone
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Footer, Static

from tutor.course.overview import Overview
from tutor.memory import DayProgress, today
from tutor.ui.base import TutorScreen
from tutor.ui.keys import bindings
from tutor.ui.plain import visible
from tutor.ui.steps import Steps, steps
from tutor.ui.widgets.bar import Bar
from tutor.ui.words import (
    ROMAN,
    ago,
    cut,
    day_state,
    duration,
    greeting,
    plural,
    spark,
    verdict_words,
)

WELCOME = (
    "In seventy days, from `y = model(x)` to the instructions a GPU runs.\n"
    "You read a page, commit to an answer, then run it and see. Nothing leaves this machine, "
    "and every answer is saved as you give it."
)


class Step(Static, can_focus=True):
    """One line to act on: its letter, Enter, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "go", "go", show=False)]

    class Taken(Message):
        def __init__(self, key: str) -> None:
            self.key = key
            super().__init__()

    def __init__(self, key: str, name: str, words: Content) -> None:
        line = Content.assemble((f" {key}  ", "bold $primary"), (f"{name:<10}", "bold"), words)
        super().__init__(line, markup=False, classes="step")
        self._key = key

    def action_go(self) -> None:
        self.post_message(self.Taken(self._key))

    def on_click(self) -> None:
        self.action_go()


class HomeScreen(TutorScreen):
    CSS_PATH = "home.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("home")
    AUTO_FOCUS = "Step"

    def __init__(self) -> None:
        super().__init__()
        self._fresh = True

    def compose(self) -> ComposeResult:
        self._look()
        yield Bar((Content.styled("tutor", "bold $primary"), self._where()))
        with Horizontal():
            with VerticalScroll(id="home", can_focus=False):
                yield from self._parts()
            yield Static(self._here(), id="here", markup=False)
        yield Footer(show_command_palette=False)

    async def on_screen_resume(self) -> None:
        """Back from another screen: the numbers have moved."""
        if self._fresh:
            self._fresh = False
            return
        self._look()
        self.query_one(Bar).set_rows((Content.styled("tutor", "bold $primary"), self._where()))
        home = self.query_one("#home")
        with self.app.batch_update():
            await home.remove_children()
            await home.mount_all(self._parts())
            self.query_one("#here", Static).update(self._here())
        self.query(Step).first().focus()

    def _look(self) -> None:
        self._overview = self.tutor.course.overview()
        self._progress = self.tutor.record.day_progress()
        self._steps = steps(self._overview, self.tutor.record, today())

    def _parts(self) -> list[Static]:
        return [
            Static(self._opening(), id="opening", markup=False),
            *self._lines(self._steps),
            Static(phase_map(self._overview, self._progress), id="phases", markup=False),
            Static(self._week(), id="week", markup=False),
            *(Static(visible(text), classes="notice", markup=False) for text in self._notices()),
        ]

    def _where(self) -> Content:
        reading, of = self._steps.reading, len(self._overview.days)
        return Content(f"Day {reading.day.day} of {of}" if reading else "")

    def _opening(self) -> Content:
        if not self._steps.started:
            return Content.assemble(("Welcome.\n", "bold"), WELCOME.replace("`", ""))
        return Content(f"{greeting(datetime.now().hour)}. In the order that pays:")

    def _lines(self, steps: Steps) -> list[Step]:
        lines = []
        if steps.review.questions or steps.review.kernels or steps.review.terms:
            lines.append(Step("r", "Review", _review_words(steps)))
        if reading := steps.reading:
            day = reading.day
            where = f"section {reading.section + 1} of {len(day.sections)}"
            words = f"Day {day.day} · {day.title}" + (f", {where}" if reading.begun else "")
            name = "Continue" if steps.started else "Begin"
            lines.append(Step("c", name, _with_minutes(words, reading.minutes)))
        if steps.kernel and (steps.started or not lines):
            lines.append(Step("k", "Kernel", _kernel_words(steps)))
        return lines

    def _notices(self) -> list[str]:
        """What recovery did to the record, and files that cannot be read."""
        return [*self.tutor.notices, *self._overview.faults[:3]]

    def _here(self) -> Content:
        """The day to read, section by section; shown where there is room beside the list."""
        if (reading := self._steps.reading) is None:
            return Content("")
        day = reading.day
        read = self.tutor.record.read_sections(day.day)
        sections = (
            Content.assemble(("✓ " if i in read else "  ", "$success"), cut(visible(title), 30))
            for i, title in enumerate(day.sections)
        )
        goal = visible(day.goal).replace("`", "")
        head = Content.assemble((f"Day {day.day}\n", "bold $primary"), f"{goal}\n")
        return Content("\n").join([head, *sections])

    def _week(self) -> Content:
        minutes = self.tutor.record.minutes_by_day(7)
        topic = self.tutor.record.focus()
        focus = f"   Focus: {topic.replace('-', ' ')}" if topic else ""
        if sum(minutes) < 1:
            return Content(visible(focus.strip()))
        return Content.assemble(
            ("This week  ", "$foreground 70%"),
            (spark(minutes), "$primary"),
            ("  " + duration(sum(minutes)), ""),
            (visible(focus), "$foreground 70%"),
        )

    def on_step_taken(self, event: Step.Taken) -> None:
        {"r": self.action_review, "c": self.action_continue, "k": self.action_kernel}[event.key]()

    def action_review(self) -> None:
        from tutor.ui.screens.review import ReviewScreen

        self.app.push_screen(ReviewScreen())

    def action_continue(self) -> None:
        if self._steps.reading is None:
            self.say("Every lesson that exists is read. m shows them all.")
            return
        self.tutor.open_lesson(self._steps.reading.day.day)

    def action_kernel(self) -> None:
        if self._steps.kernel is None:
            self.say("Every kernel is written and right. m shows the days to come.")
            return
        self.tutor.open_lab(self._steps.kernel.slug)

    def action_statistics(self) -> None:
        from tutor.ui.screens.statistics import StatisticsScreen

        self.app.push_screen(StatisticsScreen())

    def action_map(self) -> None:
        from tutor.ui.screens.map import MapScreen

        self.app.push_screen(MapScreen())


def _review_words(steps: Steps) -> Content:
    review = steps.review
    counts = ((review.questions, "question"), (review.terms, "term"))
    parts = [plural(count, noun) for count, noun in counts if count]
    if review.kernels:
        parts.append(f"{plural(len(review.kernels), 'kernel')} ({', '.join(review.kernels[:2])})")
    return _with_minutes(" · ".join(parts), review.minutes)


def _kernel_words(steps: Steps) -> Content:
    kernel = steps.kernel
    assert kernel is not None
    if kernel.last is None or kernel.at is None:
        return Content(f"{kernel.slug}, not tried yet")
    when = ago(kernel.at, datetime.now(timezone.utc))
    return Content.assemble(
        f"{kernel.slug} — last verdict: {verdict_words(kernel.last)} ",
        (f"({when})", "$foreground 70%"),
    )


def _with_minutes(words: str, minutes: float) -> Content:
    return Content.assemble(words, (f"   ~ {duration(max(minutes, 1))}", "$foreground 70%"))


def phase_map(overview: Overview, progress: dict[int, DayProgress]) -> Content:
    """A mark a day: ■ read to the end, ▣ begun, □ written, · to come."""
    width = max((len(name) for name in overview.phases.values()), default=0)
    rows = []
    for number, name in overview.phases.items():
        days = [day for day in overview.days if day.phase == number]
        marks = "".join(day_state(day, progress)[0] for day in days)
        weeks = " ".join(marks[i : i + 7] for i in range(0, len(marks), 7))
        done, written = marks.count("■"), len(days) - marks.count("·")
        count = f"{done} of {len(days)}" if written else f"{len(days)} to come"
        rows.append(
            Content.assemble(
                (f"Phase {ROMAN.get(number, number)}".ljust(10), "$foreground 70%"),
                name.ljust(width + 1),
                (weeks.ljust(24), "$primary"),
                (count, "$foreground 70%"),
            )
        )
    return Content("\n").join(rows)
