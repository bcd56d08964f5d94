"""The map of the course: all days, with marks for written and read ones."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.base.number_text import plural
from tutor.course.catalog.overview import DayOverview, Overview, find_written_neighbour
from tutor.memory.placement import read_standing
from tutor.memory.project_choice import find_set_aside
from tutor.ui.home.day_marks import LEGEND, day_state
from tutor.ui.home.next_steps import find_reading
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.phrases import ROMAN, shorten
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

_WIDE, _ABOUT = 100, 44  # columns from which the day is described beside the list, and of that part
_TITLE = 48  # columns at most
_BESIDE_TITLE = 18  # columns of a row: a mark, a number and minutes, paddings and the scroll bar
_BEFORE_TITLE = 8  # of these a mark and a number, and the scroll bar


def ready_days(overview: Overview) -> str:
    """Return `70 days`, or `63 of 70 days are ready` while days are missing."""
    written, days = sum(day.written for day in overview.days), len(overview.days)
    return plural(days, "day") if written == days else f"{written} of {days} days are ready"


class MapScreen(TutorScreen):
    """The list of the days by phase; beside it stands what the selected one holds."""

    CSS_PATH = "course_map.tcss"
    BINDINGS = bindings("map")
    AUTO_FOCUS = "OptionList"
    _rows: list[DayOverview | None] = []  # noqa: RUF012  (filled once mounted; None: a heading)

    def compose(self) -> ComposeResult:
        yield Bar()
        with Horizontal():
            yield OptionList(id="days", markup=False)
            with VerticalScroll(id="about", can_focus=False):
                yield Static(id="about-text", markup=False)
        yield Static(LEGEND, id="legend", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._fill(None)

    def on_screen_resume(self) -> None:
        days = self.query_one(OptionList)
        if days.highlighted is not None:
            self._fill(days.highlighted)

    def on_resize(self) -> None:
        self.on_screen_resume()

    def _fill(self, highlight: int | None) -> None:
        overview, record = self.tutor.course.overview(), self.tutor.record
        self._at = read_standing(record)
        self._passed = record.activity.passed_exercises()
        self._rows = []
        options: list[Option] = []
        phase = week = 0
        for day in overview.days:
            if day.phase != phase:
                phase = day.phase
                name = f" Phase {ROMAN.get(phase, phase)} · {overview.phases.get(phase, '')}"
                options.append(Option(Content.styled(name, "bold $accent"), disabled=True))
                self._rows.append(None)
            if day.week != week:
                week = day.week
                name = f" Week {week} · {overview.weeks.get(week, '')}"
                options.append(Option(Content.styled(name, "$foreground 70%"), disabled=True))
                self._rows.append(None)
            options.append(Option(self._line(day)))
            self._rows.append(day)
        days = self.query_one(OptionList)
        days.clear_options().add_options(options)
        days.highlighted = self._first_open() if highlight is None else highlight
        self.query_one(Bar).show("The map", f"{ready_days(overview)} · Enter opens one")

    def _first_open(self) -> int:
        """The row of the day that home goes on with; the first day otherwise."""
        days = {day.day: row for row, day in enumerate(self._rows) if day}
        reading = find_reading(self.tutor.course.overview().days, self._at, self.tutor.record)
        return days[reading.day.day] if reading else next(iter(days.values()))

    def _line(self, day: DayOverview) -> Content:
        mark, mark_style, words = day_state(day, self._at)
        style = "" if day.written else "$foreground 70%"
        kind = "" if day.kind == "lesson" else f" ({day.kind})"
        width = self.app.size.width - (_ABOUT if self.app.size.width >= _WIDE else 0)
        room = min(_TITLE, width - _BESIDE_TITLE, width - _BEFORE_TITLE - len(words))
        return Content.assemble(
            (f" {mark} ", mark_style),
            (f"{day.day:>2}  ", style),
            (f"{shorten(day.title + kind, room - 2)}  ".ljust(room), style),
            (words, "$foreground 70%"),
        )

    @on(OptionList.OptionHighlighted)
    def describe_day(self, event: OptionList.OptionHighlighted) -> None:
        day = self._rows[event.option_index]
        if day is not None:
            self.query_one("#about-text", Static).update(self._about(day))
            self.refresh_bindings()

    def _about(self, day: DayOverview) -> Content:
        """The contents of the day and the learner's progress in it."""
        parts = [Content.assemble((f"Day {day.day}  ", "bold $primary"), (day.title, "bold"))]
        if day.goal:
            parts.append(style_inline(day.goal))
        if not day.written:
            following = find_written_neighbour(self.tutor.course.overview().days, day.day)
            words = "Not written yet."
            if following:
                words += f" The next day that is: Day {following.day}, {following.title}."
            parts.append(Content.styled(words, "$foreground 70%"))
            return Content("\n").join(parts)
        going_on = self.tutor.record.activity.place_to_go_on(day.day, day.sitting_ends)
        section_here = day.sitting_of(going_on)
        counts = {"live cell": day.cells, "prediction": day.predictions, "question": day.questions}
        has = [plural(count, word) for word, count in counts.items() if count]
        line = " · ".join([f"{day.minutes} min", *has])
        parts.append(Content.styled(line, "$foreground 70%"))
        progress = self._at.progress.get(day.day)
        if progress and progress.questions_answered:
            right, of = progress.questions_right, progress.questions_answered
            parts.append(Content(f"{right} of {of} answers right"))
        if day.day in self._at.placed:
            parts.append(style_inline("You placed past this day. Opening it takes that back."))
        aside = find_set_aside(self.tutor.course.overview(), self.tutor.record)
        for slug in sorted(day.exercises, key=lambda slug: slug in aside):
            mark = ("✓ right  ", "$success") if slug in self._passed else ("□ open   ", "$primary")
            other = (" (another project)", "$foreground 70%") if slug in aside else ""
            parts.append(Content.assemble(mark, slug, other))
        parts.append(Content())
        several = len(day.sitting_ends) > 1
        for section, title in enumerate(day.sections):
            if several and section in (0, *(end + 1 for end in day.sitting_ends)):
                words = day.sitting_words(section)
                here = day.day in self._at.progress and section_here == day.sitting_of(section)
                style = "$primary" if here else "$foreground 70%"
                parts.append(Content.styled(words[0].upper() + words[1:], style))
            parts.append(style_inline(title))
        return Content("\n").join(parts)

    @on(OptionList.OptionSelected)
    def open_day(self, event: OptionList.OptionSelected) -> None:
        day = self._rows[event.option_index]
        if day is not None:
            self.tutor.open(f"lesson:{day.day}")

    def action_open(self) -> None:
        self.query_one(OptionList).action_select()

    def action_cursor(self, step: int) -> None:
        days = self.query_one(OptionList)
        days.action_cursor_down() if step > 0 else days.action_cursor_up()

    def label_now(self, action: str) -> str | None:
        """Leave a phase out of the footer where there is none that way."""
        if not action.startswith("phase("):
            return None
        return None if self._phase_row(1 if action == "phase(1)" else -1) is not None else ""

    def action_phase(self, step: int) -> None:
        """Move to the first day of the next phase, or back to that of this or the previous phase."""
        if (row := self._phase_row(step)) is not None:
            self.query_one(OptionList).highlighted = row

    def _phase_row(self, step: int) -> int | None:
        """The row of the first day of the next phase, or of this or the previous one; None without."""
        days = self.query_one(OptionList)
        firsts: dict[int, int] = {}  # phase -> the row of its first day
        for row, day in enumerate(self._rows):
            if day:
                firsts.setdefault(day.phase, row)
        here = days.highlighted or 0
        later = [row for row in firsts.values() if row > here]
        before = [row for row in firsts.values() if row < here]
        return next(iter(later if step > 0 else before[::-1]), None)

    def action_ideas(self) -> None:
        """Open the concept map of the phase under the cursor."""
        here = self._rows[self.query_one(OptionList).highlighted or 0]
        self.tutor.open(f"ideas:{here.phase if here else 1}")

    def action_back(self) -> None:
        self.app.pop_screen()
