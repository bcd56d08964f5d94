"""A menu of the editor's actions. Each has a key without ctrl."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.action import Action
from tutor.ui.kit.keys.actions import ACTIONS, bindings
from tutor.ui.kit.keys.key_labels import key_of, keymap_of, with_keys

# The keys that do the same in the editor itself: an action of ours, or a key of the text area.
_SHORTCUTS = {
    "editmenu.find": "{editor.find}",
    "editmenu.line": "{editor.line}",
    "editmenu.comment": "{editor.comment}",
    "editmenu.indent": "Tab",
    "editmenu.dedent": "{editor.dedent}",
    "editmenu.undo": "Ctrl+Z",
    "editmenu.redo": "Ctrl+Y",
}


class EditMenu(Modal[str]):
    """The result is the name of the action, or "". The border between the panes can be moved while the
    menu is open."""

    BINDINGS = bindings("editmenu")

    def __init__(self, resize: Callable[[int], None]) -> None:
        super().__init__()
        self._resize = resize
        self._entries = [action for action in ACTIONS["editmenu"] if action.help]

    def compose(self) -> ComposeResult:
        with dialog("In the editor", f"{key_of(self, 'editmenu.close')} closes"):
            yield OptionList(*map(self._row, self._entries), markup=False)

    @on(OptionList.OptionSelected)
    async def run_chosen(self, event: OptionList.OptionSelected) -> None:
        await self.run_action(self._entries[event.option_index].action)

    def action_take(self, name: str) -> None:
        self.dismiss(name)

    def action_resize(self, step: int) -> None:
        self._resize(step)

    def _row(self, entry: Action) -> Content:
        key = key_of(self, entry.id)
        shortcut = with_keys(_SHORTCUTS.get(entry.id, ""), keymap_of(self))
        return Content.assemble(
            (f" {key} ", "bold $primary"),
            f" {entry.help:<42}",
            (shortcut, "$foreground 70%"),
        )
