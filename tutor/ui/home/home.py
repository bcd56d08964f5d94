"""The home screen: the next steps in order of benefit, and the learner's progress. It fits 80×24."""

from datetime import timezone

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tutor.memory.placement import standing
from tutor.memory.store.study_day import now
from tutor.ui.home.day_marks import LEGEND, phase_map
from tutor.ui.home.next_steps import Steps, steps
from tutor.ui.home.step_button import Step, in_margin
from tutor.ui.home.week_bars import week
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import ago, duration, greeting, plural, verdict_words
from tutor.ui.kit.text.safe_text import visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import opens, runs

_ROOMY = 36  # rows from which the map has a line for each week and tall bars
_BAR_ROWS = 4
# Columns from which the day is shown next to the list: the longest row of the map needs 76 with its
# key, 84 with the padding and scrollbar of the list, and the day needs 36.
_BESIDE = 120

WELCOME = (
    "In seventy days, from `y = model(x)` to the instructions a GPU runs.\n"
    "You read a page, commit to an answer, then run it and see. Nothing leaves this machine, "
    "and every answer is saved as you give it."
)


class HomeScreen(TutorScreen):
    CSS_PATH = "home.tcss"
    BINDINGS = bindings("home")
    AUTO_FOCUS = "Step"
    IS_HOME = True
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (_BESIDE, "-beside")]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._fresh = True
        self._roomy = False

    def compose(self) -> ComposeResult:
        self._roomy = self.app.size.height >= _ROOMY
        self._look()
        yield Bar("tutor", self._where())
        with Horizontal():
            with VerticalScroll(id="home", can_focus=False):
                yield from self._parts()
            with VerticalScroll(id="here", can_focus=False):
                yield Static(self._day(), id="day", markup=False)
                yield Static(self._sections(), id="sections", markup=False)
        yield Footer()

    async def on_screen_resume(self) -> None:
        """Update the numbers after another screen has closed."""
        if self._fresh:
            self._fresh = False
            return
        self._look()
        self.query_one(Bar).show("tutor", self._where())
        home = self.query_one("#home")
        with self.app.batch_update():
            await home.remove_children()
            await home.mount_all(self._parts())
            self.query_one("#day", Static).update(self._day())
            self.query_one("#sections", Static).update(self._sections())
        for step in self.query(Step)[:1]:  # none if the application is ending
            step.focus()

    def _look(self) -> None:
        record = self.tutor.record
        self._overview = self.tutor.course.overview()
        self._at = standing(record)
        self._steps = steps(self._overview, record, self._at, record.today())

    def _parts(self) -> list[Widget]:
        return [
            Static(self._opening(), id="opening", markup=False),
            *self._lines(self._steps),
            Static(self._phases(), id="phases", markup=False),
            Static(self._week(), id="week", markup=False),
            *(Static(visible(text), classes="notice", markup=False) for text in self._notices()),
        ]

    def _where(self) -> Content:
        reading, of = self._steps.reading, len(self._overview.days)
        return Content(f"Day {reading.day.day} of {of}" if reading else "")

    def _opening(self) -> Content:
        if not self._steps.started:
            return Content.assemble(("Welcome.\n", "bold"), WELCOME.replace("`", ""))
        return Content(f"{greeting(now().hour)}. Next up:")

    def _lines(self, steps: Steps) -> list[Step]:
        lines = []
        due = bool(steps.review.questions or steps.review.kernels or steps.review.terms)
        if due:
            lines.append(Step("home.review", "Review", _review_words(steps)))
        if reading := steps.reading:
            day = reading.day
            where = f"section {reading.section + 1} of {len(day.sections)}"
            words = f"Day {day.day} · {day.title}" + (f", {where}" if reading.begun else "")
            name = "Continue" if steps.started else "Begin"
            lines.append(Step("home.continue", name, _with_minutes(words, reading.minutes)))
        if steps.kernel and (steps.started or not lines):
            lines.append(Step("home.kernel", "Kernel", _kernel_words(steps)))
        if steps.started and not due:  # nothing is due, so the review comes last
            lines.append(Step("home.review", "Review", _nothing_due(steps)))
        return lines

    def _notices(self) -> list[str]:
        """Sentences on what recovery changed in the record and on files that cannot be read."""
        return [*self.tutor.notices, *self._overview.faults[:3]]

    def _day(self) -> Content:
        """The day to read. It is shown above its sections if there is room next to the list."""
        if (reading := self._steps.reading) is None:
            return Content("")
        goal = visible(reading.day.goal).replace("`", "")
        day = Content.assemble((f"Day {reading.day.day}\n", "bold $primary"), goal)
        return runs(day, "home.continue")

    def _sections(self) -> Content:
        if (reading := self._steps.reading) is None:
            return Content("")
        read = self.tutor.record.activity.read_sections(reading.day.day)
        return Content("\n").join(
            opens(
                Content.assemble(("✓ " if i in read else "  ", "$success"), visible(title)),
                f"lesson:{reading.day.day}/{title}",
            )
            for i, title in enumerate(reading.day.sections)
        )

    def _phases(self) -> Content:
        key = key_of(self, "home.map")
        map_ = phase_map(self._overview, self._at, by_week=self._roomy)
        return runs(_keyed(key, Content("\n").join([map_, LEGEND])), "home.map")

    def _week(self) -> Content:
        record = self.tutor.record
        topic = record.settings.focus()
        focus = Content.styled(f"Focus: {visible(topic.replace('-', ' '))}" if topic else "", "dim")
        learnt = record.statistics.days_learnt()
        if not learnt:
            return _keyed("", focus)
        rows = _BAR_ROWS if self._roomy else 1
        aim = self.tutor.config.minutes_a_day
        bars = week(record.statistics.minutes_by_day(7), record.today(), learnt, rows, aim)
        key = key_of(self, "home.statistics")
        lines = _keyed(key, Content("\n").join([bars, focus] if topic else [bars]))
        return runs(lines, "home.statistics")

    def on_resize(self, event: events.Resize) -> None:
        """Draw again what depends on the height of the screen."""
        roomy = event.size.height >= _ROOMY
        if roomy != self._roomy:
            self._roomy = roomy
            self.query_one("#phases", Static).update(self._phases())
            self.query_one("#week", Static).update(self._week())

    def action_continue(self) -> None:
        if self._steps.reading is None:
            map_ = key_of(self, "home.map")
            self.say(f"Every lesson that exists is read. {map_} shows them all.")
            return
        self.tutor.open(f"lesson:{self._steps.reading.day.day}")

    def action_kernel(self) -> None:
        if self._steps.kernel is None:
            map_ = key_of(self, "home.map")
            self.say(f"Every kernel is written and right. {map_} shows the days to come.")
            return
        self.tutor.open(f"exercise:{self._steps.kernel.slug}")


def _review_words(steps: Steps) -> Content:
    review = steps.review
    counts = ((review.questions, "question"), (review.terms, "term"))
    parts = [plural(count, noun) for count, noun in counts if count]
    if review.kernels:
        parts.append(f"{plural(len(review.kernels), 'kernel')} ({', '.join(review.kernels[:2])})")
    return _with_minutes(" · ".join(parts), review.minutes)


def _nothing_due(steps: Steps) -> Content:
    more = f"; more on {steps.next_review:%-d %B}" if steps.next_review else ""
    return Content.styled(f"nothing is due{more}", "$foreground 70%")


def _kernel_words(steps: Steps) -> Content:
    kernel = steps.kernel
    assert kernel is not None
    if kernel.last is None or kernel.at is None:
        return Content(f"{kernel.slug}, not tried yet")
    when = ago(kernel.at, now().astimezone(timezone.utc))
    return Content.assemble(
        f"{kernel.slug} — last verdict: {verdict_words(kernel.last)} ",
        (f"({when})", "$foreground 70%"),
    )


def _with_minutes(words: str, minutes: float) -> Content:
    return Content.assemble(words, (f"   ~ {duration(max(minutes, 1))}", "$foreground 70%"))


def _keyed(key: str, lines: Content) -> Content:
    """The block with its key before the first line."""
    margin = in_margin(key)
    first, *rest = lines.split("\n")
    return Content("\n").join(
        [
            Content.assemble((margin, "bold $primary"), first),
            *(Content.assemble(" " * len(margin), line) for line in rest),
        ]
    )
