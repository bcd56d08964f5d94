"""The ladder's list and its one or two texts, with the lit lines."""

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message

from tutor.ui.kit.widgets.text_view import TextView
from tutor.ui.ladder.model.comparison import StageComparison
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.stage_list import StageList
from tutor.ui.ladder.stage_pane import StagePane
from tutor.xray.model.control_codes import Waits, find_waits
from tutor.xray.model.stages import Stage

TWO_STAGES = 110  # columns from which two texts stand side by side


class StagePanes(Horizontal):
    """Shows the stages of `ladder` so far, or the differences of a `comparison` that is done.

    `doing` names the present work in the list, or is "".
    """

    class CursorMoved(Message):
        """The cursor has moved, or another stage is shown."""

    def __init__(self) -> None:
        super().__init__(id="stages")
        self.stage_list = StageList()
        self.first, self.second = StagePane(id="first"), StagePane(id="second")
        self.ladder = Ladder()
        self.comparison: StageComparison | None = None
        self.doing = ""
        self._single = False
        self._waiting = True  # for the first stage of the ladder
        self._to_kernel = (
            False  # open a kernel's text once it is there, and no other stage was chosen
        )
        # Key, name and line of the stage to come back to.
        self._wanted: tuple[str, str, int | None] | None = None
        self._paired = True  # the second pane shows the stage made from the first pane's
        self._lit: dict[str, frozenset[int]] = {}

    def compose(self) -> ComposeResult:
        yield self.stage_list
        yield self.first
        yield self.second

    @property
    def pane(self) -> StagePane:
        """The pane with the focus, or the first one."""
        second = self.second
        return second if second.display and second.has_focus_within else self.first

    def begin(self, first: Stage | None, target: str = "") -> None:
        """Show only `first`, the definition, until the stages of a new ladder come: then the stage and
        line that are open now, where the new ladder has them."""
        if (stage := self.first.stage) is not None and self.ladder.stages:
            self._wanted = (stage.key, stage.name, self.first.line)
        self.comparison = None
        self.ladder = Ladder()
        self.ladder.target = target
        self._waiting = True
        self._to_kernel = first is not None and self._wanted is None and "@triton.jit" in first.text
        if first is None:
            self.first.clear("")
        else:
            self.first.show(first)
        self.second.clear("")
        self._paired = True

    def go_to(self, key: str, line: int | None) -> None:
        """Open a stage at a line once it is there; "": none."""
        if key:
            self._wanted, self._to_kernel = (key, key.partition(":")[0], line), False

    def show_list(self) -> None:
        here = tuple(pane.key for pane in (self.first, self.second) if pane.display and pane.key)
        changes = self.comparison.marks() if self.comparison else {}
        self.stage_list.show(self.ladder, here, self._lit, changes, self.doing)

    def show_arrived(self) -> None:
        """Show the first stage if none is shown, and the stage made from it."""
        if self._waiting and self.ladder.stages:
            self._waiting = False
            self.first.show(self.ladder.order_stages()[0])
        if self._to_kernel and (kernel := self._first_of("triton")):
            self._to_kernel = False
            self.first.show(kernel)
        self._come_back()
        self.follow()
        self.show_list()

    def _come_back(self) -> None:
        """Open the stage that was open before this ladder, once it is there, at its line."""
        if self._wanted is None:
            return
        key, name, line = self._wanted
        stage = self.ladder.stages.get(key)
        if stage is None and not self.doing:  # the kernel has another name now
            stage = self._first_of(name)
        if stage is not None:
            self._wanted = None
            self.first.show(stage, line=line)

    def _first_of(self, name: str) -> Stage | None:
        return next((s for s in self.ladder.order_stages() if s.name == name), None)

    def open_difference(self) -> None:
        """Open the first stage in which the two versions differ."""
        assert self.comparison is not None
        key = self.comparison.first_difference()
        if key and self.first.stage is not None and self.comparison.same(self.first.stage):
            self.open(key, self.first)

    def show_failure(self, stage: str, sentence: str) -> None:
        """Show in the first pane why `stage` is missing."""
        self._wanted = None
        self.first.clear(
            f"There is no {stage.replace(':', ' of ')}." * bool(stage) + f"\n{sentence}"
        )
        self.show_list()

    def toggle_addresses(self) -> None:
        """Show the addresses of machine code, or leave them out."""
        for pane in (self.first, self.second):
            pane.addresses = not pane.addresses
        self._show_again()

    def toggle_controls(self) -> bool:
        """Show the control codes of SASS, or leave them out. Return True if they are shown."""
        for pane in (self.first, self.second):
            pane.controls = not pane.controls
        self._show_again()
        return self.first.controls

    def _show_again(self) -> None:
        """Show the open stages with the columns that are wanted now."""
        for pane in (self.first, self.second):
            if pane.stage is not None and pane.diff is None:
                pane.show(pane.stage, line=pane.line)
        self.light()

    def show_comparison(self) -> None:
        """Show the differences of the open stages, or the stages alone without a comparison."""
        for pane in (self.first, self.second):
            if pane.stage is not None:
                self._show(pane, pane.stage)
        self.light()

    # ---- which stages are shown

    def open(self, key: str, pane: StagePane | None = None) -> None:
        """Show a stage. The cursor goes to its line that is linked to the present line."""
        pane = pane or self.pane
        stage = self.ladder.stages.get(key)
        if stage is None or (pane.key == key and pane.diff is None and self.comparison is None):
            return
        self._wanted, self._to_kernel = None, False
        lines = self._lit.get(key)
        self._show(pane, stage, min(lines) if lines else None)
        self._paired = pane is self.first
        self.follow()
        self.light()

    def step(self, by: int) -> None:
        """Show a later or an earlier stage in the pane with the focus."""
        pane = self.pane
        if pane.key:
            self.open(self.ladder.step(pane.key, by), pane)

    def _show(self, pane: StagePane, stage: Stage, line: int | None = None) -> None:
        if self.comparison is not None and self.comparison.done:
            pane.show_diff(stage, *self.comparison.of(stage))
        else:
            pane.show(stage, line=line)

    def follow(self) -> None:
        """Show in the second pane the stage made from the first one's, unless one was chosen there."""
        if self._paired and self.second.display and self.first.key:
            below = self.ladder.below(self.first.key)
            if below and below != self.second.key:
                self._show(self.second, self.ladder.stages[below])

    @on(StageList.StageChosen)
    def open_chosen(self, message: StageList.StageChosen) -> None:
        if not message.failed:
            message.stop()
            self.open(message.key, self.first)

    # ---- what the cursor is on

    @on(TextView.Moved)
    def follow_cursor(self, message: TextView.Moved) -> None:
        message.stop()
        if message.view is self.pane.view:
            self.light()

    @on(events.DescendantFocus)
    def follow_focus(self) -> None:
        self.light()

    def light(self) -> None:
        """Light the lines that are linked to the cursor's line."""
        pane, other = self.pane, self.second if self.pane is self.first else self.first
        line = pane.line
        self._lit = self.ladder.lit(pane.key, line) if pane.key and line else {}
        if pane.diff is None:
            pane.view.mark({**self._breaks(pane), **_waiting(pane)})
        if other.display and other.diff is None:
            lit = sorted(number - 1 for number in self._lit.get(other.key, ()))
            other.view.mark({**self._breaks(other), **dict.fromkeys(lit, "lit")})
            other.view.bring_in_sight(lit)
        self.show_list()
        self.post_message(self.CursorMoved())

    def lit_lines(self, key: str) -> frozenset[int]:
        """The lines of a stage that are linked to the cursor's line."""
        return self._lit.get(key, frozenset())

    def _breaks(self, pane: StagePane) -> dict[int, str]:
        """The marks of the lines of the source at which Dynamo's graphs end."""
        if pane.key != "source":
            return {}
        return {line - 1: "break" for line in self.ladder.breaks()}

    def break_here(self) -> str:
        """Return the sentence of the graph break at the cursor's line, or ""."""
        if self.pane.key != "source":
            return ""
        return self.ladder.breaks().get(self.pane.line or 0, "")

    # ---- arrangement

    @property
    def has_room_for_two(self) -> bool:
        return self.app.size.width >= TWO_STAGES

    def arrange_texts(self) -> None:
        """Show one text or two, by the terminal's width and the learner's choice."""
        two = self.has_room_for_two and not self._single
        was = self.second.display
        if was and not two and self.second.has_focus_within:
            self.first.view.focus()
        self.second.display = two
        if two and not was:
            self.follow()
        self.show_list()

    def zoom(self) -> None:
        self._single = not self._single
        self.arrange_texts()

    def focus_other(self) -> None:
        if self.second.display and not self.second.has_focus_within:
            self.second.view.focus()
        else:
            self.first.view.focus()

    def toggle_quiet(self) -> bool:
        """Leave out lines that only name positions, or show them. Return True if they are left out."""
        for pane in (self.first, self.second):
            pane.toggle_quiet()
        return self.first.quiet


def _waiting(pane: StagePane) -> dict[int, str]:
    """The marks of the lines of SASS that wait for the instruction under the cursor."""
    stage, line = pane.stage, pane.line
    if stage is None or line is None or not stage.controls:
        return {}
    waits = find_waits(stage.text, stage.controls).get(line, Waits())
    return {number - 1: "lit" for number in (*waits.for_result, *waits.for_operands)}
