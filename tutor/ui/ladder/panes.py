"""The ladder's list and its one or two texts: what stands in them, what is lit, what is explained."""

from time import monotonic

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from tutor.course.catalog.glossary import Term, stage_term
from tutor.ui.kit.text.phrases import plural
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.prompt_line import AskLine
from tutor.ui.kit.widgets.text_view import TextView
from tutor.ui.ladder import status_text
from tutor.ui.ladder.model.comparison import Comparison
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.model.subject import Subject
from tutor.ui.ladder.stage_list import StageList
from tutor.ui.ladder.stage_pane import StagePane
from tutor.ui.ladder.xray_run import XrayScreen
from tutor.xray.model.stages import Stage

TWO_STAGES = 110  # columns from which two texts stand side by side


class PanesScreen(XrayScreen):
    """Shows `ladder` as far as it has come; where `comparison` is done, what differs from it."""

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
        self.ladder = Ladder()
        self.comparison: Comparison | None = None
        self._terms: tuple[Term, ...] = ()
        self._single = False
        self._paired = True  # the second pane shows what the first one's stage became
        self._lit: dict[str, frozenset[int]] = {}
        self._under_cursor: Term | None = None

    def compose(self) -> ComposeResult:
        yield Bar()
        with Horizontal(id="stages"):
            yield StageList()
            yield StagePane(id="first")
            yield StagePane(id="second")
        yield Static(id="explanation", markup=False)
        yield AskLine(id="line")
        yield Footer()

    @property
    def first(self) -> StagePane:
        return self.query_one("#first", StagePane)

    @property
    def second(self) -> StagePane:
        return self.query_one("#second", StagePane)

    @property
    def pane(self) -> StagePane:
        """The pane with the keyboard, or the first."""
        second = self.second
        return second if second.display and second.has_focus_within else self.first

    @property
    def line(self) -> AskLine:
        return self.query_one(AskLine)

    # ---- around the texts

    def show_bar(self) -> None:
        state = status_text.State(
            self.running,
            self.comparison.label if self.comparison else "",
            monotonic() - self.started,
            self.took,
            self.device,
        )
        self.query_one(Bar).set_rows(
            status_text.bar(self.subject, self.ladder, state, self.tutor.keymap)
        )

    def keys_changed(self) -> None:
        self.show_bar()

    def show_list(self) -> None:
        here = tuple(pane.key for pane in (self.first, self.second) if pane.display and pane.key)
        changes = self.comparison.marks() if self.comparison else {}
        running = ("comparing" if self.comparison else "lowering") if self.running else ""
        self.query_one(StageList).show(self.ladder, here, self._lit, changes, running)

    def explain(self) -> None:
        """The stage in a line, then the construct under the cursor."""
        if self.line.asking == "inputs":
            return  # what the inputs are for stands there
        pane, view = self.pane, self.pane.view
        if pane.stage is None:
            self.say_below(Content(""))
            return
        rows, found = status_text.explanation(
            self._terms, pane.stage, view.text_of(view.cursor), view.column
        )
        self._under_cursor = found.term if found else None
        view.underline((found.start, found.end) if found else None)
        self.say_below(*rows)

    def say_below(self, *rows: Content) -> None:
        """Rows under the texts; the first of several stays on one line."""
        width = max(20, self.size.width - 2)
        first = [rows[0].truncate(width, ellipsis=True)] if len(rows) > 1 else list(rows)
        self.query_one("#explanation", Static).update(
            Content("\n").join([*first, *rows[1:]]), layout=False
        )

    # ---- which stages are shown

    def open(self, key: str, pane: StagePane | None = None) -> None:
        """Show a stage: the cursor goes to the line that the present one came from or became."""
        pane = pane or self.pane
        stage = self.ladder.stages.get(key)
        if stage is None or (pane.key == key and pane.diff is None and self.comparison is None):
            return
        lines = self._lit.get(key)
        self._show(pane, stage, min(lines) if lines else None)
        self._paired = pane is self.first
        self.follow()
        self.show_list()
        self.light()

    def _show(self, pane: StagePane, stage: Stage, line: int | None = None) -> None:
        if self.comparison is not None and self.comparison.done:
            pane.show_diff(stage, *self.comparison.of(stage))
        else:
            pane.show(stage, line=line)

    def follow(self) -> None:
        """The second pane shows what the first one's stage became, until a stage is chosen for
        it."""
        if self._paired and self.second.display and self.first.key:
            below = self.ladder.below(self.first.key)
            if below and below != self.second.key:
                self._show(self.second, self.ladder.stages[below])

    @on(StageList.Chosen)
    def chosen(self, message: StageList.Chosen) -> None:
        if message.key.startswith("!"):
            failure = next(f for f in self.ladder.failures if f"!{f.stage}" == message.key)
            self.say_below(Content.assemble(("✗ ", "$error"), bounded(failure.sentence)))
        else:
            self.open(message.key, self.first)

    # ---- what the cursor is on

    @on(TextView.Moved)
    def moved(self, message: TextView.Moved) -> None:
        message.stop()
        if message.view is self.pane.view:
            self.light()

    @on(events.DescendantFocus)
    def focus_moved(self) -> None:
        self.light()

    def light(self) -> None:
        """Light the lines that the cursor's line came from and became; say what stands there."""
        pane, other = self.pane, self.second if self.pane is self.first else self.first
        line = pane.line
        self._lit = self.ladder.lit(pane.key, line) if pane.key and line else {}
        if pane.diff is None:
            pane.view.mark({})
        if other.display and other.diff is None:
            lit = sorted(number - 1 for number in self._lit.get(other.key, ()))
            other.view.mark(dict.fromkeys(lit, "lit"))
            other.view.bring_in_sight(lit)
        self.explain()
        self.show_list()

    # ---- arrangement

    def on_resize(self) -> None:
        self.arrange_panes()

    def arrange_panes(self) -> None:
        """One text or two, by the screen's width and the learner's choice."""
        two = self.app.size.width >= TWO_STAGES and not self._single
        was = self.second.display
        if was and not two and self.second.has_focus_within:
            self.first.view.focus()
        self.second.display = two
        if two and not was:
            self.follow()
        self.show_list()

    def action_zoom(self) -> None:
        self._single = not self._single
        self.arrange_panes()

    def action_other(self) -> None:
        if self.second.display and not self.second.has_focus_within:
            self.second.view.focus()
        else:
            self.first.view.focus()

    # ---- keys on a stage

    def action_stage(self, step: int) -> None:
        pane = self.pane
        if pane.key:
            self.open(self.ladder.step(pane.key, step), pane)

    def action_about(self) -> None:
        from tutor.ui.ladder.stage_help import AboutScreen

        pane = self.pane
        if pane.stage is not None:
            meaning = stage_term(self._terms, pane.stage.name)
            self.app.push_screen(AboutScreen(pane.stage, meaning, self._under_cursor))

    def action_fold(self) -> None:
        if not self.pane.toggle_block():
            self.say("Nothing folds around this line.")

    def action_fold_all(self) -> None:
        self.pane.toggle_all()

    def action_quiet(self) -> None:
        for pane in (self.first, self.second):
            pane.toggle_quiet()
        hidden = "left out" if self.first.quiet else "shown"
        self.say(f"Lines that only say where code came from are {hidden}.")

    def action_copy(self) -> None:
        stage = self.pane.stage
        if stage is not None:
            self.copy(stage.text, f"{stage.name}, {plural(stage.text.count(chr(10)) + 1, 'line')}")
