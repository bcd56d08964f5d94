"""What our screens have in common."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from textual.await_complete import AwaitComplete
from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.events import Resize
from textual.screen import ModalScreen, Screen

from tutor.ui.kit.keys.key_labels import character_of

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp

T = TypeVar("T")
SAY_SO_SECONDS = 0.3  # what takes longer says that it is under way


@runtime_checkable
class Holding(Protocol):
    """A screen on which something may be written that is not on disk yet."""

    def put_away(self) -> None:
        """Called before the application ends: it goes there."""


def fit(screen: Screen[Any]) -> None:
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
        """Called once the learner's keys are others."""


class NewestSize:
    """A screen that follows the terminal's newest size only.

    Textual's lay themselves and those below out for each size they are told, and then tell themselves:
    of two sizes on their way at once the older one may come last, or they alternate for ever, and no key
    comes through (`Screen._on_resize` and `_refresh_layout`, Textual 8.2). Textual calls a handler of
    each class, this one before `Screen`'s.
    """

    async def _on_resize(self, event: Resize) -> None:
        if event.size != cast("Screen[Any]", self).app.size:
            event.prevent_default()


class OwnKeys:
    """A screen on which the learner's own keys stand before those that a text takes are left out.

    Textual 8.2 leaves out first (`Screen._binding_chain`): an action whose only key is a letter would be
    gone while the editor has the keyboard, F9 in the letter's place or not.
    """

    @property
    def _binding_chain(self) -> list[tuple[DOMNode, BindingsMap]]:
        screen = cast("Screen[Any]", self)
        chain: list[tuple[DOMNode, BindingsMap]] = super()._binding_chain  # type: ignore[misc]
        keymap = cast("TutorApp", screen.app).keymap
        if not keymap:
            return chain
        inner: list[DOMNode] = []
        found = []
        for node, _ in chain:
            bindings = node._bindings.copy()
            bindings.apply_keymap(keymap)
            for key in list(bindings.key_to_bindings):
                if any(each.check_consume_key(key, character_of(key)) for each in inner):
                    del bindings.key_to_bindings[key]
            inner.append(node)
            found.append((node, bindings))
        return found


def selected(screen: Screen[Any], text: Callable[[], str | None]) -> str | None:
    """What `text` finds selected; nothing where a text has become shorter since a line of it was
    selected (an IndexError of `Selection.extract` in Textual 8.2)."""
    try:
        return text()
    except IndexError:
        screen.clear_selection()
        return None


class Modal(NewestSize, OwnKeys, ModalScreen[T]):
    """A page over another one. It is dismissed once: the second of two quick clicks is no second
    answer, and does not close the page below."""

    def on_compose(self) -> None:
        fit(self)

    def get_selected_text(self) -> str | None:
        return selected(self, super().get_selected_text)

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class TutorScreen(NewestSize, OwnKeys, Screen[None]):
    """A screen that knows the application's own attributes."""

    def on_compose(self) -> None:
        fit(self)

    def get_selected_text(self) -> str | None:
        return selected(self, super().get_selected_text)

    @property
    def tutor(self) -> "TutorApp":
        return cast("TutorApp", self.app)

    @property
    def is_left(self) -> bool:
        """Whether it is being taken away, or has been. What a thread brings is of no account then:
        widgets go one by one, and a timer set now would tick on (`MessagePump._close_messages`,
        Textual 8.2)."""
        return self._pruning or self._closing or not self.is_attached

    def say(self, text: str, *, wrong: bool = False) -> None:
        """A line in the corner for a few seconds. The text is shown as it is."""
        self.notify(text, severity="warning" if wrong else "information", markup=False, timeout=6)

    def copy(self, text: str, what: str) -> None:
        """Put `text` on the clipboard, and say of `what` ("Cell 3, 12 lines") how that went."""
        work = partial(self._copy, text, what)
        self.run_worker(work, thread=True, group="copy", exit_on_error=False)

    def action_search(self) -> None:
        """The whole course and what the learner wrote, where a screen has no search of its own."""
        from tutor.ui.search import SearchScreen

        self.app.push_screen(SearchScreen())

    def action_bookmarks(self) -> None:
        from tutor.ui.bookmarks import open_bookmarks

        open_bookmarks(self.tutor)

    def _copy(self, text: str, what: str) -> None:
        from tutor.ui.kit.core.clipboard import copy

        self.app.call_from_thread(self.say, f"{what}: {copy(self.app, text)}.")
