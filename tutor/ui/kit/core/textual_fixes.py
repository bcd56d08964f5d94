"""Workarounds for faults of Textual 8.2.8 that screens share. Each says when it can go."""

from typing import TYPE_CHECKING, Any, cast

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingsMap, BindingType
from textual.dom import DOMNode
from textual.drivers._writer_thread import WriterThread
from textual.errors import NoWidget
from textual.events import Resize, ScreenResume
from textual.keys import key_to_character
from textual.screen import Screen

if TYPE_CHECKING:  # home needs no text area
    from textual.widgets import TextArea

    from tutor.ui.kit.core.services import Services

# The fixes are mixed into a screen. They must not inherit from `Screen` when the program runs: Textual
# takes its style rules and keys from a class's first base only.
if TYPE_CHECKING:
    _Screen = Screen[Any]
else:
    _Screen = object


class ScreenFixes(_Screen):
    """Five corrections for a screen; it comes before Textual's class in the list of bases."""

    def _on_screen_resume(self, event: ScreenResume) -> None:
        """Keep the widgets' styles at the first resume: each has just got its own as it was mounted.

        Textual applies the whole stylesheet a second time before the first frame, which takes 13 ms of
        a lab's. Only the screen itself needs that, which was there before its stylesheet. It can go when
        `Screen._on_screen_resume` does not.
        """
        if event.refresh_styles and not self.stack_updates:
            event.refresh_styles = False
            self.app.stylesheet.apply(self, animate=False)

    async def _on_resize(self, event: Resize) -> None:
        """Follow only the newest size of the terminal. This handler runs before `Screen`'s.

        Textual lays out a screen, and those below it, for each size that it receives, and then sends
        the size again. Of two sizes under way the older may arrive last, or they alternate for ever and
        no key gets through. It can go when `Screen._on_resize` ignores every size that is not the
        application's.
        """
        if event.size != self.app.size:
            event.prevent_default()

    @property
    def is_left(self) -> bool:
        """Return True if the screen has been removed or is being removed.

        Drop the result of a thread then: widgets are removed one by one, and a new timer would keep
        ticking (`MessagePump._close_messages`, Textual 8.2).
        """
        return self._pruning or self._closing or not self.is_attached

    @property
    def _binding_chain(self) -> list[tuple[DOMNode, BindingsMap]]:
        """Apply the learner's keymap before the keys that a text takes are dropped.

        Textual drops first: an action whose only key is a letter would be gone while the editor has the
        keyboard, even if the keymap gives it F9. It can go when `Screen._binding_chain` applies the
        keymap before `check_consume_key`.
        """
        chain = super()._binding_chain
        keymap = cast("Services", self.app).keymap
        if not keymap:
            return chain
        inner: list[DOMNode] = []
        rebound = []
        for node, _ in chain:
            bindings = node._bindings.copy()
            bindings.apply_keymap(keymap)
            for key in list(bindings.key_to_bindings):
                if any(widget.check_consume_key(key, character_of(key)) for widget in inner):
                    del bindings.key_to_bindings[key]
            inner.append(node)
            rebound.append((node, bindings))
        return rebound

    def get_selected_text(self) -> str | None:
        """Return the selected text, None if a selected line has become shorter.

        It can go when `Selection.extract` bounds its offsets instead of raising `IndexError`.
        """
        try:
            return super().get_selected_text()
        except IndexError:
            self.clear_selection()
            return None

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Dismiss once: the second of two quick clicks gives no second answer and does not close the
        page below. It can go when `Screen.dismiss` ignores a screen that is no longer on top."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


# Textual's text area has no such keys. They can go when it has.
TEXT_EDGES: list[BindingType] = [
    Binding("ctrl+home", "text_edge('top')", show=False),
    Binding("ctrl+end", "text_edge('end')", show=False),
]


class TextAreaFixes:
    """Two corrections for a text area, and the action of `TEXT_EDGES`; it comes before Textual's class
    in the list of bases."""

    def action_text_edge(self, edge: str) -> None:
        """Move to the beginning or the end of the text."""
        area = cast("TextArea", self)
        area.move_cursor((0, 0) if edge == "top" else area.document.end, record_width=True)

    def undo(self) -> None:
        """Undo, and let the next key begin a batch of its own.

        `EditHistory` adds it to the batch that is now the last one, which may hold a line break. When
        both are undone, `TextArea._undo_batch` lays out one row more than the text has lines, and draws
        it: `IndexError`. It can go when `_pop_undo` makes a checkpoint, as `_pop_redo` does.
        """
        super().undo()  # type: ignore[misc]
        cast("TextArea", self).history.checkpoint()

    def _recompute_cursor_offset(self) -> None:
        """Let the cursor stand past the end of the text while an edit is undone.

        `TextArea._undo_batch` removes lines, lays the text out, and moves the cursor last. A layout that
        adds or removes a scroll bar asks where the cursor stands, and
        `WrappedDocument.location_to_offset` raises `ValueError` for a row that is gone: it clamps a row
        to one more than the last. It can go when it clamps to the last row.
        """
        area = cast("TextArea", self)
        if area.cursor_location[0] < area.document.line_count:
            super()._recompute_cursor_offset()  # type: ignore[misc]


def outlive_the_terminal() -> None:
    """Let the application end, and store what was typed, after its terminal has closed.

    Textual's thread that writes to the terminal ends with the first `OSError`. Its queue takes 30 more
    texts; the next one waits for ever, in the main thread. It can go when `WriterThread.run` empties its
    queue after such an error.
    """
    write = WriterThread.run

    def run(self: WriterThread) -> None:
        try:
            write(self)
        except OSError:
            while self._queue.get() is not None:
                pass

    WriterThread.run = run  # type: ignore[method-assign]


def is_stale_click(screen: Screen[Any], x: int, y: int) -> bool:
    """Return True if what is painted here has been removed since.

    Textual asks such a widget for its parent and ends the application. It can go when
    `Screen._forward_event` accepts a widget without a parent.
    """
    try:
        widget, _ = screen.get_widget_at(x, y)
    except NoWidget:
        return False
    return widget.parent is None


def character_of(key: str) -> str | None:
    """Return the character that a text would take the key for.

    The exception for `/` can go when `key_to_character` knows "slash", Textual's own name for it.
    """
    return "/" if key == "slash" else key_to_character(key)
