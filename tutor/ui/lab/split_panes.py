"""The two panes of the lab: their focus, their border, their widths, and the editor's menu."""

from typing import cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.editor.editor_pane import EditPane
from tutor.ui.kit.core.kept_layout import keep_layout, read_layout
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing, keymap_of
from tutor.ui.lab.edit_menu import EditMenu
from tutor.ui.lab.pages.scratch import ScratchPage
from tutor.ui.lab.pages.side_pane import LabPane

BOTH_FROM = 100  # columns
LEAST, MOST = 20, 80  # per cent of the width


class Splitter(Widget):
    """The border between the panes, which the mouse can drag.

    `Dragged.x` is the column of the screen to which it was dragged."""

    DEFAULT_CSS = """
    Splitter { width: 1; height: 1fr; color: $border; pointer: ew-resize; }
    Splitter:hover, Splitter.-drawn { color: $primary; }
    """

    class Dragged(Message):
        def __init__(self, x: int, *, done: bool) -> None:
            super().__init__()
            self.x, self.done = x, done

    def render(self) -> str:
        return "\n".join("│" * self.size.height)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()
        self.add_class("-drawn")
        event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.has_class("-drawn"):
            self.post_message(self.Dragged(event.screen_x, done=False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self.has_class("-drawn"):
            self.release_mouse()
            self.remove_class("-drawn")
            self.post_message(self.Dragged(event.screen_x, done=True))


class SplitPanes(Horizontal):
    """The editor and the pages, side by side on a wide screen; one at a time on a narrow or zoomed one.

    The screen has the classes "-narrow", "-zoom" and, if the pages are shown, "-pane"."""

    def __init__(self, edit: EditPane, pane: LabPane) -> None:
        super().__init__(id="panes")
        self.edit, self.pane = edit, pane
        self._share = read_share("lab")

    def compose(self) -> ComposeResult:
        yield self.edit
        yield Splitter()
        yield self.pane

    def on_mount(self) -> None:
        self._set_widths()

    # ---- which has the keyboard

    @property
    def one_at_a_time(self) -> bool:
        return self.screen.has_class("-narrow") or self.screen.has_class("-zoom")

    @property
    def in_editor(self) -> bool:
        return self.edit.has_focus_within

    def show_side(self, side: str) -> None:
        """Focus "editor" or "pane". If only one of them is visible, show it."""
        self.screen.set_class(side == "pane", "-pane")
        if side == "editor":
            self.edit.editor.focus()
        else:
            self.pane.take_focus()

    def zoom(self) -> None:
        """Show one pane at a time also on a wide screen, or both again."""
        self.screen.toggle_class("-zoom")
        self.screen.set_class(not self.in_editor, "-pane")

    @on(CodeEditor.Left)
    def leave_editor(self) -> None:
        """Leave the editor after Escape, so that letters are keys."""
        self.screen.set_class(True, "-pane")
        self.pane.find_page(self.pane.page).rest()

    def on_descendant_focus(self) -> None:
        self.pane.keyboard_moved()

    def on_descendant_blur(self) -> None:
        self.pane.keyboard_moved()

    # ---- how wide each is

    def resize(self, step: int) -> None:
        """Give the editor `step` per cent more of the width."""
        if self.one_at_a_time:
            self._say(
                f"One side at a time here: the border can be moved from {BOTH_FROM} columns on, "
                f"with both sides shown ({key_of(self, 'lab.zoom')})."
            )
            return
        self._set_share(self._share + step)
        keep_share("lab", self._share)

    @on(Splitter.Dragged)
    def move_border(self, message: Splitter.Dragged) -> None:
        message.stop()
        self._set_share(round(100 * message.x / max(1, self.size.width)))
        if message.done:
            keep_share("lab", self._share)

    def _set_share(self, percent: int) -> None:
        self._share = clamp_share(percent)
        self._set_widths()

    def _set_widths(self) -> None:
        self.edit.styles.width = f"{self._share}fr"
        self.pane.styles.width = f"{100 - self._share}fr"

    # ---- what is done in the editor

    def open_menu(self) -> None:
        def chosen(name: str | None) -> None:
            if name:
                self.do_in_editor(name)

        self.app.push_screen(EditMenu(self.resize), chosen)

    def do_in_editor(self, name: str) -> None:
        """Run the menu's action `name`, in the scratch cells if they have the focus, or in the file."""
        edit = next((pane for pane in self.query(EditPane) if pane.has_focus_within), None)
        if edit is None:
            edit = self.edit
            self.show_side("editor")
        edit.editor.focus()
        if name == "zoom":
            self.zoom()
        elif name == "scratch":
            self.pane.open("scratch")
            self.show_side("pane")
        elif name == "clear":
            self.pane.of(ScratchPage).action_clear()
        elif not edit.do(name):
            menu = key_while_typing("lab.menu", keymap_of(self))
            find = key_of(self, "editmenu.find")
            self._say(f"Nothing found. {menu}, then {find}, asks for a text to find.")

    def _say(self, text: str) -> None:
        cast(TutorScreen, self.screen).say(text)


# ---- the stored widths


def read_share(name: str, default: int = 50) -> int:
    """The per cent of the width that the left pane of screen `name` has."""
    stored = read_layout(name)
    return clamp_share(stored) if type(stored) is int else default


def clamp_share(percent: int) -> int:
    """Return the percentage within the bounds at which both panes can still be used."""
    return max(LEAST, min(MOST, percent))


def keep_share(name: str, percent: int) -> None:
    """Keep it for the next visit."""
    keep_layout(name, clamp_share(percent))
