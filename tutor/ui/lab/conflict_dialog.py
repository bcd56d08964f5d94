"""The dialog for a conflict: the file and the editor's text have both changed."""

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.diff import difference
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.kit.widgets.press import runs


class ConflictScreen(Modal[str]):
    """The result is "mine" or "theirs". Both texts are in the record in any case."""

    CLOSES_BESIDE = False  # Escape is a choice here
    CSS_PATH = "conflict_dialog.tcss"
    BINDINGS = bindings("conflict")

    def __init__(self, path: Path, mine: str, theirs: str) -> None:
        super().__init__()
        self._path, self._mine, self._theirs = path, mine, theirs

    def compose(self) -> ComposeResult:
        with dialog("Changed in two places", "nothing is overwritten until you choose"):
            yield Static(
                Content.assemble(
                    f"{self._path.name} was changed on disk while the editor here holds changes of "
                    "its own. Both are kept in your record.\n\n",
                    self._choice("mine", "keep mine", "the file stays as it is until you check"),
                    self._choice(
                        "theirs", "take the file's", "Ctrl+Z in the editor brings mine back"
                    ),
                    self._choice("both", "show both", "what the file has (+) and mine has not (-)"),
                )
            )
            yield VerticalScroll(CodeText(), id="difference")

    def on_mount(self) -> None:
        self.query_one("#difference").display = False

    def action_both(self) -> None:
        shown = self.query_one("#difference")
        shown.display = True
        self.query_one(CodeText).update(difference(self._mine, self._theirs, "mine", "the file"))
        shown.focus()

    def action_take(self, choice: str) -> None:
        self.dismiss(choice)

    def _choice(self, name: str, label: str, why: str) -> Content:
        key = f" {key_of(self, f'conflict.{name}')} "
        parts = ((key, "bold $primary"), (f"{label:<18}", "bold"), (f"{why}\n", "dim"))
        return runs(Content.assemble(*parts), f"conflict.{name}")
