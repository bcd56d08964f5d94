"""A page about a stage: its meaning, notes and counts, the construct at the cursor, and the command that
gives its text without tutor."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.course.catalog.glossary import Term
from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import frame_box
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.safe_text import limit_text
from tutor.xray.model.by_hand import by_hand
from tutor.xray.model.stages import Stage

NOTES = 60  # lines of notes, at most
_LEGEND = (
    "In the list, a number beside a stage counts its lines that belong to the line at the cursor; "
    "while two versions are compared, + and − count lines that came and went."
)


class AboutScreen(Modal[None]):
    """`meaning` is the glossary's term of the stage, `found` that of the construct at the cursor;
    either may be missing."""

    BINDINGS = window_bindings("about")

    def __init__(self, stage: Stage, meaning: Term | None, construct: Term | None) -> None:
        super().__init__()
        self._stage, self._meaning, self._construct = stage, meaning, construct

    def compose(self) -> ComposeResult:
        foot = f"{key_of(self, 'about.close')} closes"
        with frame_box(self._stage.title, foot, VerticalScroll()):
            yield Static(self._text(), markup=False)

    def _text(self) -> Content:
        stage = self._stage
        parts: list[Content] = []
        if self._construct is not None:
            parts += [_entry(self._construct), Content("")]
        if self._meaning is not None:
            parts += [_entry(self._meaning), Content("")]
        if stage.counts:
            counts = ", ".join(
                f"{name.replace('_', ' ')} {value:,}" for name, value in stage.counts
            )
            parts += [Content.assemble(("Counted  ", "bold"), counts), Content("")]
        notes = limit_text("\n".join(stage.notes), lines=NOTES, columns=1_000)
        parts += [Content.assemble("• ", style_code(note)) for note in notes.split("\n") if note]
        if command := by_hand(stage):
            split = "\n" if "\n" in command else ""  # lines of Python stand by themselves
            says = ("Without tutor  ", "bold")
            parts += [Content(""), Content.assemble(says, split, command)]
        made = f"Made in {stage.ms:.0f} ms. " if stage.ms else ""
        parts += [Content(""), Content.styled(f"{made}{_LEGEND}", "$foreground 70%")]
        return Content("\n").join(parts)


def _entry(term: Term) -> Content:
    return Content.assemble(
        (term.term, "bold $accent"),
        "  ",
        style_code(term.says),
        (f" [{term.source}]", "$foreground 70%"),
    )
