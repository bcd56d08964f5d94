"""The lab's two panes: which has the keyboard, how wide each is, and the editor's menu."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.editor.editor_pane import EditPane
from tutor.ui.kit.core import pane_sizes
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing
from tutor.ui.kit.widgets.splitter import Splitter
from tutor.ui.lab.edit_menu import EditMenu
from tutor.ui.lab.judging import JudgingScreen
from tutor.ui.lab.pages.side_pane import LabPane

_BOTH_FROM = 100  # columns


class PanesScreen(JudgingScreen):
    """Wide: side by side; narrow, or zoomed: one pane at a time."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_BOTH_FROM, "-wide")]  # noqa: RUF012

    def compose_panes(self) -> ComposeResult:
        self._share = pane_sizes.share("lab")
        with Horizontal(id="panes"):
            yield EditPane(id="edit")
            yield Splitter()
            yield LabPane(self.exercise)

    @property
    def pane(self) -> LabPane:
        return self.query_one(LabPane)

    @property
    def edit_pane(self) -> EditPane:
        return self.query_one("#edit", EditPane)

    # ---- which has the keyboard

    @property
    def one_at_a_time(self) -> bool:
        return self.has_class("-narrow") or self.has_class("-zoom")

    @property
    def in_editor(self) -> bool:
        return self.edit_pane.has_focus_within

    def show_side(self, side: str) -> None:
        """Give the keyboard to "editor" or "pane"; where only one is shown, show it."""
        self.set_class(side == "pane", "-pane")
        if side == "editor":
            self.editor.focus()
        else:
            self.pane.take_focus()

    def action_other_pane(self) -> None:
        self.show_side("pane" if self.in_editor else "editor")

    def action_zoom(self) -> None:
        """One pane at a time on a wide screen too, or both again."""
        self.toggle_class("-zoom")
        self.set_class(not self.in_editor, "-pane")

    def action_edit(self) -> None:
        self.show_side("editor")

    @on(CodeEditor.Left)
    def editor_left(self) -> None:
        """Escape in the file: to where letters are keys."""
        self.set_class(True, "-pane")
        self.pane.named(self.pane.page).rest()

    def on_descendant_focus(self) -> None:
        self.pane.keyboard_moved()

    def on_descendant_blur(self) -> None:
        self.pane.keyboard_moved()

    # ---- how wide each is

    def share_width(self) -> None:
        """Give the panes their shares of the width."""
        self.edit_pane.styles.width = f"{self._share}fr"
        self.pane.styles.width = f"{100 - self._share}fr"

    def action_resize(self, step: int) -> None:
        """`step`: per cent more for the editor."""
        if self.one_at_a_time:
            self.say(
                f"One side at a time here: the border can be moved from {_BOTH_FROM} columns on, "
                f"with both sides shown ({key_of(self, 'lab.zoom')})."
            )
            return
        self._share = pane_sizes.bounded(self._share + step)
        self.share_width()
        pane_sizes.keep("lab", self._share)

    @on(Splitter.Moved)
    def border_drawn(self, message: Splitter.Moved) -> None:
        message.stop()
        self._share = pane_sizes.bounded(round(100 * message.x / max(1, self.size.width)))
        self.share_width()
        if message.done:
            pane_sizes.keep("lab", self._share)

    # ---- what is done in the editor

    def action_edit_menu(self) -> None:
        self.app.push_screen(EditMenu(self.action_resize), self._chosen)

    def _chosen(self, name: str | None) -> None:
        if name:
            self.action_in_editor(name)

    def action_in_editor(self, name: str) -> None:
        """Do what the menu calls `name`: in the scratch cells if they have the keyboard, else in
        the file."""
        edit = next((each for each in self.query(EditPane) if each.has_focus_within), None)
        if edit is None:
            edit = self.edit_pane
            self.show_side("editor")
        edit.editor.focus()
        match name:
            case "find":
                edit.find()
            case "line":
                edit.go_to_line()
            case "found_next" | "found_before":
                if not edit.find_next(1 if name == "found_next" else -1):
                    menu = key_while_typing("lab.menu", self.tutor.keymap)
                    find = key_of(self, "editmenu.find")
                    self.say(f"Nothing found. {menu}, then {find}, asks for a text to find.")
            case "zoom":
                self.action_zoom()
            case "scratch":
                self.pane.open("scratch")
                self.show_side("pane")
            case "bracket":
                edit.editor.action_bracket()
            case "comment":
                edit.editor.action_comment()
            case "indent":
                edit.editor.action_indent()
            case "dedent":
                edit.editor.action_dedent()
            case "undo":
                edit.editor.action_undo()
            case "redo":
                edit.editor.action_redo()
            case "select_all":
                edit.editor.select_all()
