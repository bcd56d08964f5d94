"""A version of the learner's text: its verdict, and what has changed since."""

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.diff import difference
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.phrases import format_moment
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.lab.pages.attempts import judging_words, version_line
from tutor.ui.lab.pages.verdict import ways_in_words
from tutor.ui.lab.pages.versions import Version, verdict_of


class AttemptScreen(Modal[Version | None]):
    """Shows `versions[index]` (newest first) next to `current`, the editor's text. Dismissed with the
    version to put back in the editor, or None."""

    CSS_PATH = "attempt_screen.tcss"
    BINDINGS = window_bindings("attempt")
    AUTO_FOCUS = "#attempt-difference"

    def __init__(self, versions: tuple[Version, ...], index: int, current: str) -> None:
        super().__init__()
        self._versions, self._index, self._current = versions, index, current
        self._against_editor = versions[index].source != current  # equal texts have no difference

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(id="attempt-about", markup=False)
            yield VerticalScroll(CodeText(id="attempt-text"), id="attempt-difference")
            yield Static(id="attempt-keys", markup=False)

    def on_mount(self) -> None:
        self._draw()

    @property
    def _version(self) -> Version:
        return self._versions[self._index]

    def _draw(self) -> None:
        version = self._version
        dialog = self.query_one(".dialog")
        dialog.border_title = Content(f"{self._index + 1} of {len(self._versions)}").plain
        self.query_one("#attempt-about", Static).update(_about(version))
        old, new, names = self._texts_to_compare()
        self.query_one(CodeText).update(difference(old, new, *names))
        self.query_one("#attempt-difference").scroll_home(animate=False)
        other = "the one before" if self._against_editor else "the editor's text"
        ways = [
            ("attempt.restore", "restore"),
            ("attempt.against", f"against {other}"),
            *((f"attempt.{name}", name) for name in self._beside()),
            ("attempt.close", "close"),
        ]
        words = ways_in_words(ways, partial(key_of, self), self.app.size.width)
        self.query_one("#attempt-keys", Static).update(words)

    def _beside(self) -> list[str]:
        """Return which ways of the list this version has others."""
        ends = {"older": len(self._versions) - 1, "newer": 0}
        return [name for name, end in ends.items() if self._index != end]

    def _texts_to_compare(self) -> tuple[str, str, tuple[str, str]]:
        """The older text, the newer one, and their names."""
        version = self._version
        name = f"of {format_moment(version.at)}"
        if self._against_editor:
            return version.source, self._current, (name, "in the editor now")
        if self._index + 1 == len(self._versions):
            return "", version.source, ("nothing: it is the first one", name)
        before = self._versions[self._index + 1]
        return before.source, version.source, (f"of {format_moment(before.at)}", name)

    # ---- keys

    def action_against(self) -> None:
        self._against_editor = not self._against_editor
        self._draw()

    def action_turn(self, step: int) -> None:
        """Show an older version, or a newer one."""
        self._index = max(0, min(len(self._versions) - 1, self._index + step))
        self._draw()

    def action_restore(self) -> None:
        self.dismiss(self._version)

    def action_close(self) -> None:
        self.dismiss(None)


def _about(version: Version) -> Content:
    """The version's line in the list, how it was judged, and the judge's sentence on the first cause."""
    line = version_line(version)
    if version.attempt is not None:
        how = "".join(f" · {fact}" for fact in judging_words(version.attempt))
        line = Content.assemble(line, (how, "$foreground 70%"))
    verdict = verdict_of(version.attempt) if version.attempt else None
    if verdict is None or not verdict.diagnosis:
        return line
    return Content.assemble(
        line, "\n", style_code(limit_text(verdict.diagnosis[0].message, lines=4))
    )
