"""The home screen: the next steps in order of benefit, and the learner's progress. It fits 80×24."""

from contextlib import suppress
from datetime import timezone

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from tutor.base import own_files, paths
from tutor.base.day_text import format_day, name_days, say_not_written
from tutor.base.errors import UsageError
from tutor.base.list_text import join_with_and
from tutor.base.number_text import plural
from tutor.course.catalog.overview import Overview, list_unwritten_between
from tutor.memory.placement import read_open_placement, read_standing
from tutor.memory.store.study_day import now
from tutor.ui.home.day_marks import day_rows, phase_map
from tutor.ui.home.next_steps import Kernel, QuizLeft, Reading, Review, Steps, find_steps
from tutor.ui.home.step_button import Step, in_margin
from tutor.ui.home.week_bars import draw_week
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import (
    format_ago,
    format_minutes,
    greeting,
    hang_after_mark,
    verdict_words,
)
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import opens, runs

_ROOMY = 36  # rows from which the map has a line for each week and tall bars
_BAR_ROWS = 4
_AHEAD_SECONDS = 0.3  # after home is there, when its first paint is over
_MARKS = 80  # columns from which the map has its marks
# Columns from which the day is shown next to the list: the longest row of the map needs 76 with its
# key, 84 with the padding and scrollbar of the list, and the day needs 36.
_BESIDE = 120
_INDENT = 5  # columns before the sections of a day in the map
_BESIDE_PADDING = 5  # columns without text: on both sides, and the scroll bar
_MAP_BESIDE = 140  # columns from which the map is shown there, with the sections of the day in it

_UPDATED = (
    "The files of tutor itself were changed while it runs, as an update does. Quit and start it again: "
    "pages that open now may not fit the rest. Everything is saved."
)

WELCOME = (
    "You read a page, commit to an answer, then run it and see. Nothing leaves this machine, "
    "and every answer is saved as you give it."
)


def course_line(overview: Overview | None) -> str:
    """Return the course in a line, or the name of another one. None: it is being read."""
    if name := paths.other_course():
        return f"The course {make_visible(name)}."
    if overview is None:
        return "From PyTorch to the instructions a GPU runs, a day at a time."
    written, days = sum(day.written for day in overview.days), len(overview.days)
    if written == days:
        return f"From PyTorch to the instructions a GPU runs, in {days} days."
    return f"From PyTorch to the instructions a GPU runs; {written} of {days} days are ready."


class HomeScreen(TutorScreen):
    """The screen below all others. It reads the record anew each time it comes back to the top."""

    CSS_PATH = "home.tcss"
    BINDINGS = bindings("home")
    AUTO_FOCUS = "Step"
    IS_HOME = True
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        *((0, "-narrow"), (100, "-wide"), (_BESIDE, "-beside"), (_MAP_BESIDE, "-map"))
    ]

    def __init__(self, covered: bool = False) -> None:
        """Create home. If it is covered, it is filled when the screen above it closes."""
        super().__init__()
        self._fresh, self._covered = True, covered
        self._fit(Size(80, 24))

    def _fit(self, size: Size) -> None:
        self._roomy, self._narrow = size.height >= _ROOMY, size.width < _MARKS
        self._mapped = size.width >= _MAP_BESIDE
        beside = max(56, size.width * 2 // 5) if self._mapped else max(36, size.width * 3 // 10)
        self._beside = beside - _BESIDE_PADDING
        self._fits = self._roomy, self._narrow, self._mapped, self._beside

    def compose(self) -> ComposeResult:
        self._fit(self.app.size)
        if not self._covered:
            self._look()
        yield Bar("tutor", "" if self._covered else self._where())
        with Horizontal():
            with VerticalScroll(id="home", can_focus=False):
                yield from () if self._covered else self._parts()
            with VerticalScroll(id="here", can_focus=False):
                yield Static("" if self._covered else self._day(), id="day", markup=False)
                yield Static("" if self._covered else self._days(), id="sections", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        if not self._covered:
            self.call_after_refresh(self._show_day)
            self.set_timer(_AHEAD_SECONDS, self._read_ahead)

    @work(thread=True, group="ahead", exit_on_error=False)
    def _read_ahead(self) -> None:
        """Read the lesson to go on with, so that it opens at once."""
        if reading := self._steps.reading:
            with suppress(UsageError):  # a fault is shown when the day is opened
                self.tutor.course.lesson(reading.day.day)

    async def on_screen_resume(self) -> None:
        """Update the numbers after another screen has closed."""
        if self._fresh:
            self._fresh = False
            return
        await self.record_changed()
        self._look_for_update()

    @work(thread=True, group="update", exclusive=True, exit_on_error=False)
    def _look_for_update(self) -> None:
        """Say once that the program's files were changed: a page that opens later may not fit."""
        if _UPDATED not in self.tutor.notices and own_files.have_changed():
            self.app.call_from_thread(self._tell_update)

    def _tell_update(self) -> None:
        if not self.is_left:
            self.tutor.notices.append(_UPDATED)
            self.query_one("#home").mount(Static(_UPDATED, classes="notice", markup=False))

    async def record_changed(self) -> None:
        before = self.focused
        self._look()
        self._covered = False
        self.query_one(Bar).show("tutor", self._where())
        home = self.query_one("#home")
        with self.app.batch_update():
            await home.remove_children()
            await home.mount_all(self._parts())
            self.query_one("#day", Static).update(self._day())
            self.query_one("#sections", Static).update(self._days())
        self.call_after_refresh(self._show_day)
        steps = [*self.query(Step)]  # none if the application is ending
        same = [s for s in steps if isinstance(before, Step) and s.action_id == before.action_id]
        for step in (same or steps)[:1]:
            step.focus()

    def _look(self) -> None:
        record = self.tutor.record
        self._overview = self.tutor.course.overview()
        self._at = read_standing(record)
        self._steps = find_steps(self.tutor.course, record, self._at, record.today())
        self._placement = len(read_open_placement(record))  # answers of one that was not ended

    def _parts(self) -> list[Widget]:
        return [
            Static(self._opening(), id="opening", markup=False),
            *self._lines(self._steps),
            Static(self._phases(), id="phases", markup=False),
            Static(self._week(), id="week", markup=False),
            *(
                Static(make_visible(text), classes="notice", markup=False)
                for text in self._notices()
            ),
        ]

    def _where(self) -> Content:
        reading, of = self._steps.reading, len(self._overview.days)
        return Content(f"Day {reading.day.day} of {of}" if reading else "")

    def _opening(self) -> Content:
        if not (self._steps.started or self._placement):
            return Content.assemble(
                ("Welcome.\n", "bold"), f"{course_line(self._overview)}\n{WELCOME}"
            )
        return Content(f"{greeting(now().hour)}. Next up:")

    def _lines(self, steps: Steps) -> list[Step]:
        lines = []
        due = bool(steps.review.cards)
        if self._placement:
            words = f"goes on after {plural(self._placement, 'answer')}"
            lines.append(Step("home.placement", "Placement", words))
        if due:
            lines.append(Step("home.review", "Review", *_review_words(steps.review)))
        goes_on = steps.stopped or steps.reading
        if goes_on:
            name = "Continue" if steps.started else "Begin"
            lines.append(Step("home.continue", name, *_words(goes_on)))
        if steps.reading and goes_on is not steps.reading:
            lines.append(Step("home.day", "Lesson", *_reading_words(steps.reading)))
        if steps.started and steps.reading is None:
            lines.append(Step("home.map", "Lessons", *_all_read_words(self._overview)))
        if steps.kernel and steps.kernel != steps.stopped and (steps.started or not lines):
            lines.append(Step("home.kernel", "Exercise", *_kernel_words(steps.kernel)))
        if steps.started and not due:  # nothing is due, so the review comes last
            lines.append(Step("home.review", "Review", self._nothing_due(steps)))
        return lines

    def _nothing_due(self, steps: Steps) -> Content:
        more, record = "", self.tutor.record
        if following := steps.next_review:
            begin = record.say_begin(following)
            more = f"; more on {format_day(following, record.today())}{begin}"
        return Content.styled(f"nothing is due{more}", "$foreground 70%")

    def _notices(self) -> list[str]:
        """Sentences on what recovery changed in the record and on files that cannot be read."""
        return [*self.tutor.notices, *self._overview.faults[:3]]

    def _day(self) -> Content:
        """The day to read. It is shown above its sections if there is room next to the list."""
        if (reading := self._steps.reading) is None:
            return Content("")
        goal = make_visible(reading.day.goal).replace("`", "")
        read = len(self.tutor.record.activity.read_sections(reading.day.day))
        marked = f"  ✓ {read} of {len(reading.day.sections)} read" if read else ""
        day = Content.assemble(
            (f"Day {reading.day.day}", "bold $primary"), (marked, "$success"), f"\n{goal}"
        )
        return runs(day, "home.continue")

    def _sections(self) -> Content:
        if (reading := self._steps.reading) is None:
            return Content("")
        read = self.tutor.record.activity.read_sections(reading.day.day)
        width = self._beside - (_INDENT if self._mapped else 0)
        rows = []
        for i, title in enumerate(reading.day.sections):
            mark = Content.styled("✓ " if i in read else "  ", "$success")
            row = hang_after_mark(mark, Content(make_visible(title)), width)
            rows.append(opens(row, f"lesson:{reading.day.day}/{title}"))
        return Content("\n").join(rows)

    def _days(self) -> Content:
        """The map of the course where there is room for it, with the sections of the day to read below
        that day; else these sections alone."""
        self._day_row = 0  # of the day to read, in the map
        if not self._mapped:
            return self._sections()
        reading = self._steps.reading
        rows: list[Content] = []
        for day, row in day_rows(self._overview, self._at):
            if reading and day == reading.day.day:
                self._day_row = len(rows)
                row = row.stylize("bold")
                indent = Content(" " * _INDENT)
                rows += [row, *(indent + line for line in self._sections().split("\n"))]
            else:
                rows.append(row)
        return Content("\n").join(rows)

    def _show_day(self) -> None:
        """Scroll the map until the day to read stands in its upper third."""
        if self._mapped:
            here = self.query_one("#here")
            top = self.query_one("#sections").virtual_region.y + self._day_row
            here.scroll_to(y=max(0, top - here.size.height // 3), animate=False)

    def _phases(self) -> Content:
        key = key_of(self, "home.map")
        narrow = self._narrow
        by_week = self._roomy and not narrow
        map_ = phase_map(self._overview, self._at, by_week=by_week, marks=not narrow)
        return runs(_put_key_before(key, map_), "home.map")  # the map says what its marks mean

    def _week(self) -> Content:
        record = self.tutor.record
        topic = record.settings.focus()
        focus = Content.styled(
            f"Focus: {make_visible(topic.replace('-', ' '))}" if topic else "", "dim"
        )
        learnt = record.statistics.days_learnt()
        if not learnt:
            return _put_key_before("", focus)
        rows = _BAR_ROWS if self._roomy else 1
        aim = self.tutor.config.minutes_a_day
        minutes = record.statistics.minutes_by_day(7)
        bars = draw_week(minutes, record.today(), learnt, rows, aim, self._narrow)
        key = key_of(self, "home.statistics")
        lines = _put_key_before(key, Content("\n").join([bars, focus] if topic else [bars]))
        return runs(lines, "home.statistics")

    def on_resize(self, event: events.Resize) -> None:
        """Draw again what depends on the size of the screen."""
        before = self._fits
        self._fit(event.size)
        if before != self._fits and not self._covered:
            self.query_one("#sections", Static).update(self._days())
            self.call_after_refresh(self._show_day)
            self.query_one("#phases", Static).update(self._phases())
            self.query_one("#week", Static).update(self._week())

    def label_now(self, action: str) -> str | None:
        """Call keys what the lines call them; leave out what a new record has nothing for."""
        if self._covered or self._steps.started:
            return None
        return {"continue": "begin", "app.open('review')": ""}.get(action)

    def action_continue(self) -> None:
        """Open where the learner worked last; with nothing begun, the next day."""
        stopped = self._steps.stopped
        if isinstance(stopped, Kernel):
            self.tutor.open(f"exercise:{stopped.slug}")
        elif isinstance(stopped, QuizLeft):
            self.tutor.open(f"quiz:{stopped.day}")
        else:
            self.action_day()

    def action_day(self) -> None:
        if self._steps.reading is None:
            map_ = key_of(self, "home.map")
            self.say(f"Every lesson that exists is read. {map_} shows them all.")
            return
        self.tutor.open(f"lesson:{self._steps.reading.day.day}")

    def action_kernel(self) -> None:
        if self._steps.kernel is None:
            map_ = key_of(self, "home.map")
            self.say(f"Every exercise is answered right. {map_} shows the days to come.")
            return
        self.tutor.open(f"exercise:{self._steps.kernel.slug}")


def _all_read_words(overview: Overview) -> list[str]:
    """Say that no lesson is left to read, and which days of the course are still to come."""
    missing = list_unwritten_between(overview.days, 0, None)
    if not missing:
        return ["each day of the course is read"]
    return [
        f"each day that is written is read; {say_not_written(missing)[:-1]}",
        f"all that are written are read; {name_days(missing)} come later",
    ]


def _review_words(review: Review) -> list[Content]:
    kernels = len(review.kernels)
    counts = ((kernels, "exercise"), (review.questions, "question"), (review.terms, "term"))
    parts = [plural(count, noun) for count, noun in counts if count]
    verb = "is due" if review.cards == 1 else "are due"
    wait = "waits" if review.waiting == 1 else "wait"
    waits = f", {review.waiting} more {wait}" if review.waiting else ""
    wordings = [
        f"{join_with_and(parts)} {verb} today{waits}",
        f"{plural(review.cards, 'card')} {verb} today{waits}",
        f"{plural(review.cards, 'card')} {verb} today",
    ]
    if kernels:
        named = f"{parts[0]} ({', '.join(review.kernels[:2])})"
        wordings.insert(0, f"{join_with_and([named, *parts[1:]])} {verb} today{waits}")
    return [_with_minutes(words, review.minutes) for words in dict.fromkeys(wordings)]


def _words(place: Reading | Kernel | QuizLeft) -> list[Content]:
    if isinstance(place, Reading):
        return _reading_words(place)
    if isinstance(place, Kernel):
        return [w for words in _kernel_words(place) for w in (Content("exercise ") + words, words)]
    return [Content(f"the quiz of Day {place.day}, question {place.question} of {place.of}")]


def _reading_words(reading: Reading) -> list[Content]:
    day = reading.day
    name, title = f"Day {day.day}", f"Day {day.day} · {day.title}"
    comes = "comes" if len(reading.skips) == 1 else "come"
    why = f"; {name_days(reading.skips)} {comes} later" if reading.skips else ""
    if reading.begun:
        why = f", section {reading.section + 1} of {len(day.sections)}"
    sitting = ""
    if len(day.sitting_ends) > 1:
        sitting = f", sitting {day.sitting_of(reading.section)} of {len(day.sitting_ends)}"
    wordings = dict.fromkeys(
        [f"{title}{sitting}{why}", f"{title}{sitting}", f"{name}{sitting}", f"{name}{why}"]
    )
    if not sitting:
        wordings = dict.fromkeys([f"{title}{why}", title, f"{name}{why}"])
    left = "" if reading.minutes == reading.of else f"{reading.minutes} of "
    minutes = f"   {left}{reading.of} min{' left' * bool(left)}"
    found = [Content.assemble(words, (minutes, "$foreground 70%")) for words in wordings]
    if why and not reading.begun:  # rather the days that are left out than the minutes
        found.insert(1, Content(next(iter(wordings))))
    return found


def _kernel_words(kernel: Kernel) -> list[Content]:
    if kernel.last is None or kernel.at is None:
        state = "begun" if kernel.begun else "not tried yet"
        return [Content(f"{kernel.slug} of Day {kernel.day}, {state}")]
    when = (f" ({format_ago(kernel.at, now().astimezone(timezone.utc))})", "$foreground 70%")
    verdict = verdict_words(kernel.last)
    return [
        Content.assemble(f"{kernel.slug} — last verdict: {verdict}", when),
        Content(f"{kernel.slug}: {verdict}"),
        Content(f"{kernel.slug}, the last try was wrong"),
    ]


def _with_minutes(words: str, minutes: float) -> Content:
    return Content.assemble(words, (f"   ~ {format_minutes(max(minutes, 1))}", "$foreground 70%"))


def _put_key_before(key: str, lines: Content) -> Content:
    """The block with its key before the first line."""
    margin = in_margin(key)
    first, *rest = lines.split("\n")
    return Content("\n").join(
        [
            Content.assemble((margin, "bold $primary"), first),
            *(Content.assemble(" " * len(margin), line) for line in rest),
        ]
    )
