"""The text of a stage, below a line with its name and its counts."""

from collections.abc import Sequence
from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.text_view import TextView
from tutor.ui.ladder.model import folding
from tutor.ui.ladder.model.stages import sort_counts
from tutor.xray.model.stage_diff import Diff
from tutor.xray.model.stage_lines import first_line, stage_lines
from tutor.xray.model.stages import Stage


class StagePane(Vertical):
    """Shows one stage at a time, folded and compared as the learner chose, and keeps the cursor of
    each."""

    DEFAULT_CSS = """
    StagePane { width: 1fr; height: 1fr; border-left: solid $border; }
    StagePane:focus-within { border-left: solid $primary; }
    StagePane > .pane-title {
        height: 1; padding: 0 1; background: $surface;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    StagePane:focus-within > .pane-title { background: $panel; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002  (Textual's name for it)
        super().__init__(id=id)
        self.stage: Stage | None = None
        self.diff: Diff | None = None
        self.addresses = self.controls = False  # of SASS: shown before each instruction
        self.quiet = False  # True: debug lines are left out
        self._folded: dict[int, int] = {}
        self._cursors: dict[str, int] = {}  # where the cursor was in each stage

    def compose(self) -> ComposeResult:
        yield Static(classes="pane-title", markup=False)
        yield TextView()

    @property
    def view(self) -> TextView:
        return self.query_one(TextView)

    @property
    def key(self) -> str:
        return self.stage.key if self.stage else ""

    @property
    def line(self) -> int | None:
        """The line under the cursor as links count it, from 1; None on a removed line."""
        if self.stage is None:
            return None
        if self.diff is None:
            return self.view.cursor + 1
        numbers = self.diff.numbers
        return numbers[self.view.cursor] if self.view.cursor < len(numbers) else None

    def show(self, stage: Stage, *, line: int | None = None) -> None:
        """Show a stage with the cursor on `line` (from 1), or where it was in this stage, or
        where the stage's body begins."""
        if self.stage is not None and self.diff is None:
            self._cursors[self.stage.key] = self.view.cursor
        self.stage, self.diff = stage, None
        self._folded = {}
        begin = self._cursors.get(stage.key, first_line(stage.name, stage.text))
        cursor = begin if line is None else line - 1
        if stage.language:
            controls = stage.controls if self.controls else ()
            lines = stage_lines(stage.text, stage.language, self.addresses, controls)
            self.view.show(lines, stage.language, numbers=_in_the_file(stage), cursor=cursor)
        else:
            self._show_words(stage.text)
        self._title(_format_counts(stage))
        if self.quiet:
            self._fold()

    def show_diff(self, stage: Stage, diff: Diff, title: Content) -> None:
        self.stage, self.diff = stage, diff
        self._folded = {}
        lines = diff.lines or ("Nothing differs here.",)
        numbers: Sequence[int | None] = diff.numbers or (None,)
        if shown := _in_the_file(stage):
            numbers = [None if number is None else shown[number - 1] for number in numbers]
        self.view.show(lines, stage.language, numbers=numbers, marks=diff.marks)
        self.view.next_mark(1)
        self._title(title)

    def clear(self, why: str) -> None:
        """Show the reason why there is no stage."""
        self.stage = self.diff = None
        self._show_words(why)
        self._title(Content(""))

    def _show_words(self, text: str) -> None:
        width = max(24, (self.size.width or 60) - 6)
        lines = [
            row
            for line in text.split("\n")
            for row in wrap(line, width, break_on_hyphens=False) or [""]
        ]
        self.view.show(lines, "", numbers=[None] * len(lines))

    def _title(self, rest: Content) -> None:
        stage = self.stage
        title = Content("")
        if stage is not None:
            kernel = f" · {limit_text(stage.kernel, lines=1, columns=40)}" if stage.kernel else ""
            style = "bold" if stage.language else "bold $error"  # a failure has no language
            title = Content.assemble((stage.name, style), "  ", rest, (kernel, "$accent"))
        self.query_one(".pane-title", Static).update(title, layout=False)

    # ---- folding

    def toggle_block(self) -> bool:
        """Fold the block around the cursor, or unfold the one whose heading it is on."""
        view = self.view
        if self.diff is not None:
            return False
        if view.cursor in self._folded:
            del self._folded[view.cursor]
        else:
            block = folding.block(view.lines, view.cursor, view.language)
            if block is None:
                return False
            self._folded[block[0] - 1] = block[1]
        self._fold()
        return True

    def toggle_all(self) -> None:
        if self.diff is None:
            view = self.view
            blocks = [] if self._folded else folding.blocks(view.lines, view.language)
            self._folded = {first - 1: end for first, end in blocks}
            self._fold()

    def toggle_quiet(self) -> None:
        """Leave out the lines that only name positions in the source, or show them again."""
        self.quiet = not self.quiet
        if self.diff is None:
            self._fold()

    def _fold(self) -> None:
        view = self.view
        hidden = folding.debug_lines(view.lines, view.language) if self.quiet else set()
        view.fold(self._folded, hidden)
        view.go(view.cursor)


def _in_the_file(stage: Stage) -> list[int | None] | None:
    """Return the numbers that the lines of a stage have in the learner's file, as a verdict names them;
    None for a text that is no part of it."""
    if len(stage.numbers) <= stage.text.rstrip("\n").count("\n"):
        return None
    return [number or None for number in (*stage.numbers, 0)]  # the text may end with a line's end


def _format_counts(stage: Stage) -> Content:
    """`registers 24 · global loads 2`. Zeros are left out, except for spills."""
    counts = [(n.replace("_", " "), v) for n, v in sort_counts(stage.counts) if v or n == "spills"]
    parts = " · ".join(f"{name} {value:,}" for name, value in counts)
    return Content.styled(parts, "$foreground 70%")
