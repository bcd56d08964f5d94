"""The application: what its screens share, and nothing they do.

Screens are imported when they are opened: the first one must paint at once.
"""

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.events import Event, InputEvent, Resize
from textual.theme import Theme
from textual.timer import Timer

from tutor import paths
from tutor.course import Course, open_course
from tutor.errors import CannotHere, UsageError
from tutor.memory import Record, open_record
from tutor.ui import garbage, theme
from tutor.ui.keys import bindings
from tutor.ui.screens.home import HomeScreen

if TYPE_CHECKING:
    from tutor.judge.client import Judge

_AFTER_PAINT_SECONDS = 0.05
SMALLEST = (40, 10)  # columns, rows: below this a screen says so instead of showing scraps


class TutorApp(App[None]):
    """`course`, `record` and `judge` are what every screen works with; home shows `notices`."""

    TITLE = "tutor"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012
    PAUSE_GC_ON_SCROLL = True

    def __init__(self, course: Course, record: Record, judge: "Judge | None" = None) -> None:
        super().__init__()
        self.course, self.record = course, record
        if judge is not None:
            self.judge = judge
        self.notices = [record.notice] if record.notice else []
        self.failure: UsageError | CannotHere | None = None
        self._idle: Timer | None = None
        self._theme_file = paths.data_dir() / "theme"
        self.register_theme(theme.DARK)
        self.register_theme(theme.LIGHT)
        self.theme = theme.chosen(self._theme_file, set(self.available_themes)) or theme.DARK.name

    @cached_property
    def judge(self) -> "Judge":
        """Made, and its module imported, once home has painted. It gives way to the interface."""
        from tutor.judge.client import Judge

        return Judge(self.course.root, niceness=15)

    def close_judge(self) -> None:
        if "judge" in self.__dict__:
            self.judge.close()

    def on_mount(self) -> None:
        self._read_keymap()
        self.push_screen(HomeScreen())
        self.theme_changed_signal.subscribe(self, self._keep_theme)

    def on_unmount(self) -> None:
        # Here, not after `run`: the event loop waits for the threads that wait for the judge.
        self.close_judge()

    def _handle_exception(self, error: Exception) -> None:
        """An expected failure (the disk is full, the record was damaged) ends the application with
        its one sentence; Textual shows a traceback of anything else."""
        if isinstance(error, UsageError | CannotHere):
            self.failure = error
            self.exit(return_code=error.exit_status)
        else:
            super()._handle_exception(error)

    def on_ready(self) -> None:
        # Textual is ready before it has painted; what the judge imports can wait for that.
        self.set_timer(_AFTER_PAINT_SECONDS, self._warm_judge)

    def _warm_judge(self) -> None:
        # The judge's processes take a second to load; the learner reads home meanwhile.
        self.run_worker(self.judge.warm, thread=True, group="judge", exit_on_error=False)

    async def on_event(self, event: Event) -> None:
        if isinstance(event, InputEvent):
            if self._idle is not None:
                self._idle.stop()
            self._idle = self.set_timer(garbage.IDLE_SECONDS, garbage.collect)
        await super().on_event(event)

    def on_resize(self, event: Resize) -> None:
        from tutor.ui.screens.small import SmallScreen

        small = event.size.width < SMALLEST[0] or event.size.height < SMALLEST[1]
        shown = isinstance(self.screen, SmallScreen)
        if small and not shown:
            self.push_screen(SmallScreen())
        elif shown and not small:
            self.pop_screen()

    def _read_keymap(self) -> None:
        file = paths.data_dir() / "keys.toml"
        if file.exists():
            from tutor.ui.keymap import read_keymap

            try:
                self.set_keymap(read_keymap(file))
            except UsageError as error:
                self.notices.append(str(error))

    def _keep_theme(self, chosen: Theme) -> None:
        theme.keep(self._theme_file, chosen.name)

    def open_lesson(self, day: int, section: str = "") -> None:
        """Show a day's lesson, at the section with this slug or where it was left; or say why it
        cannot be shown."""
        try:
            lesson = self.course.lesson(day)
        except UsageError as error:
            self.notify(str(error), severity="error", timeout=15, markup=False)
            return
        if lesson is None:
            from tutor.course.pointers import meanwhile

            self.notify(meanwhile(self.course, day, places=False), timeout=6, markup=False)
            return
        from tutor.ui.screens.lesson import LessonScreen

        self.push_screen(LessonScreen(day, section))

    def open_lab(self, slug: str) -> None:
        from tutor.ui.screens.lab import LabScreen

        self.push_screen(LabScreen(slug))

    def action_help(self) -> None:
        from tutor.ui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))


def run() -> None:
    """Open the course and the learner's record, and show home. Raises `UsageError` where one of
    them cannot be opened, or can no longer be written."""
    course = open_course()
    record = open_record(paths.record_file())
    garbage.start()
    app = TutorApp(course, record)
    try:
        app.run()
    finally:
        app.close_judge()
        record.close()
    if app.failure:
        raise app.failure
