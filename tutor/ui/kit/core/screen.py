"""Base classes and protocols of our screens."""

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from textual.app import App
from textual.events import Click
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets._toast import Toast
from textual.worker import Worker

from tutor.base.errors import StorageError
from tutor.ui.kit.core.failed_work import tell_failed_work
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.core.textual_fixes import ScreenFixes

T = TypeVar("T")
SAY_SO_SECONDS = 0.3  # a longer operation shows that it is running


@runtime_checkable
class Holding(Protocol):
    """A screen that may hold text that is not on disk yet."""

    def put_away(self) -> None:
        """Store the text. Called before the application ends."""


@runtime_checkable
class FollowsRecord(Protocol):
    """A screen that shows what the record says."""

    async def record_changed(self) -> None:
        """Read it anew. Called when something was stored that another screen had begun."""


def set_size_classes(screen: Screen[Any]) -> None:
    """Give a screen that is about to be composed the classes of the terminal's size ("-wide", "-tall").
    Textual does so once it has laid the screen out, and lays it out again."""
    width, height = screen.app.size
    across = screen.HORIZONTAL_BREAKPOINTS or screen.app.HORIZONTAL_BREAKPOINTS or []
    down = screen.VERTICAL_BREAKPOINTS or screen.app.VERTICAL_BREAKPOINTS or []
    for length, breakpoints in ((width, across), (height, down)):
        fits = [name for least, name in sorted(breakpoints) if length >= least]
        screen.set_class(True, *fits[-1:], update=False)


@runtime_checkable
class NamesKeys(Protocol):
    """A screen or widget whose text names keys and stays while they are changed."""

    def keys_changed(self) -> None:
        """Update the text. Called when the learner's keys have changed."""


class Modal(ScreenFixes, ModalScreen[T]):
    """A page over another one."""

    CLOSES_BESIDE: ClassVar[bool] = True
    INSTEAD: ClassVar[str] = "The foot of this window names its keys."  # of a key that does nothing

    def on_compose(self) -> None:
        set_size_classes(self)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        tell_failed_work(self, event)

    def on_click(self, event: Click) -> None:
        """Act on a click beside the page as on Escape."""
        if event.widget is self and self.CLOSES_BESIDE:
            # A key that this page sends stops here, before the application sees it.
            self.app.call_later(self._press_escape)

    def _press_escape(self) -> None:
        if self.app.screen is self:  # the click may have led to another page
            self.app.simulate_key("escape")


class TutorScreen(ScreenFixes, Screen[None]):
    """A screen that knows the application's own attributes."""

    IS_HOME: ClassVar[bool] = False
    INSTEAD: ClassVar[str] = "{app.help} lists the keys that work."  # of one that does nothing
    told_unkept = False  # that the record cannot be written

    def on_compose(self) -> None:
        set_size_classes(self)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        tell_failed_work(self, event)

    def label_now(self, action: str) -> str | None:
        """Return the footer's word for an action whose word changes; "" leaves it out, None changes
        nothing."""
        return None

    @property
    def is_opening(self) -> bool:
        """Return True while the screen reads what it shows: most of its keys do not work yet."""
        return False

    @property
    def tutor(self) -> "Services":
        return cast("Services", self.app)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a line in the corner for a few seconds, without interpreting markup."""
        for shown in [each for each in self.app._notifications if each.message == text]:
            self.app._unnotify(shown, refresh=False)  # else the same line stands there twice
            for toast in self.app.screen.query(Toast):
                if toast._notification is shown and isinstance(toast.parent, Widget):
                    toast.parent.remove()  # Textual would leave it, as an empty line
        self.notify(text, severity="warning" if wrong else "information", markup=False, timeout=6)

    def count_seconds(self, show: Callable[[str], object], words: str) -> Timer:
        """Show `words`, and with each second how long it has taken, until the timer is stopped."""
        began = monotonic()
        show(words)
        return self.set_interval(1, lambda: show(f"{words} {monotonic() - began:.0f} s"))

    def copy(self, text: str, what: str) -> None:
        """Put `text` on the clipboard, and notify the result for `what` ("Cell 3, 12 lines")."""
        work = partial(self._copy, text, what)
        self.run_worker(work, thread=True, group="copy", exit_on_error=False)

    def _copy(self, text: str, what: str) -> None:
        from tutor.ui.kit.core.clipboard import copy_to_clipboard

        self.app.call_from_thread(self.say, f"{what}: {copy_to_clipboard(self.app, text)}.")


async def go_home(app: App[Any]) -> None:
    """Leave every screen above home."""
    while isinstance(screen := app.screen, TutorScreen) and not screen.IS_HOME:
        if isinstance(screen, Holding):
            screen.put_away()
        await app.pop_screen()


def is_kept(screen: TutorScreen, write: Callable[[], object]) -> bool:
    """Write to the record, and return True if it was written.

    A record that cannot be written does not end the reading: `screen` says the reason once.
    """
    try:
        write()
    except StorageError as error:
        if not screen.told_unkept:
            screen.say(str(error), wrong=True)
        screen.told_unkept = True
        return False
    return True
