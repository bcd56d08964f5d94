"""The lowering ladder: every stage of a function from Python to machine code, side by side."""

from dataclasses import replace
from functools import partial
from time import monotonic
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Footer, Input, Static

from tutor.course.glossary import Term, explain, stage_term
from tutor.errors import CannotHere, UsageError
from tutor.ui.keys import bindings
from tutor.ui.ladder import Ladder
from tutor.ui.plain import bounded
from tutor.ui.screens.choose import ChooseScreen
from tutor.ui.screens.ladder_compare import Comparison
from tutor.ui.screens.ladder_run import XrayScreen
from tutor.ui.subject import TARGETS, Subject, functions, split_inputs
from tutor.ui.widgets.bar import Bar
from tutor.ui.widgets.stagepane import StagePane
from tutor.ui.widgets.stages import StageList
from tutor.ui.widgets.textview import TextView
from tutor.ui.words import plural
from tutor.xray.model import Event, Stage

TWO_STAGES = 110  # columns from which two texts stand side by side


class LadderScreen(XrayScreen):
    """Shows `subject`. `exercise`: whose timed inputs are taken where the subject has none."""

    CSS_PATH = "ladder.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("ladder")
    AUTO_FOCUS: ClassVar[str | None] = "#first TextView"

    def __init__(self, subject: Subject, exercise: str = "") -> None:
        super().__init__()
        self.subject, self.exercise = subject, exercise
        self.ladder = Ladder()
        self.comparison: Comparison | None = None
        self.trouble = ""
        self.took = 0.0
        self._before: Ladder | None = None  # the run before this one
        self._terms: tuple[Term, ...] = ()
        self._asking = ""  # what the line at the bottom is for: "search", "inputs" or ""
        self._asked_from: StagePane | None = None
        self._single = False
        self._paired = True  # the second pane shows what the first one's stage became
        self._clock: Timer | None = None
        self._lit: dict[str, frozenset[int]] = {}
        self._under_cursor: Term | None = None

    def compose(self) -> ComposeResult:
        yield Bar()
        with Horizontal(id="stages"):
            yield StageList()
            yield StagePane(id="first")
            yield StagePane(id="second")
        yield Static(id="explanation", markup=False)
        yield Input(id="line", compact=True)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        try:
            self._terms = self.tutor.course.glossary()
        except UsageError as error:
            self.say(str(error), wrong=True)
        self._arrange()
        self._show_bar()
        if not functions(self.subject.source):
            self.first.clear("There is no function in this text that Python can read.")
        elif self.subject.inputs:
            self._begin()
        elif self.exercise:
            self.first.clear("Asking the judge what the exercise is timed on …")
            self._find_inputs()
        else:
            self.action_inputs()

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

    # ---- running

    @work(thread=True, group="judge-inputs", exit_on_error=False)
    def _find_inputs(self) -> None:
        try:
            found = self.tutor.judge.inputs(self.exercise)
        except (CannotHere, UsageError) as error:
            self.app.call_from_thread(self.say, str(error), wrong=True)
            found = ()
        self.app.call_from_thread(self._inputs_found, found)

    def _inputs_found(self, found: tuple[str, ...]) -> None:
        if not self.is_attached:
            return
        self.subject = replace(self.subject, inputs=found)
        if found:
            self._begin()
        else:
            self.action_inputs()

    def _begin(self) -> None:
        """X-ray the subject as it stands now."""
        if self.ladder.stages and self.comparison is None:
            self._before = self.ladder
        self._end_comparison()
        self.ladder = Ladder()
        self.trouble = ""
        self.first.clear("")
        self.second.clear("")
        self._paired = True
        self._run(self.subject.source)

    def _run(self, source: str) -> None:
        self.run_xray(self.subject.request(source))
        if self._clock is None:
            self._clock = self.set_interval(0.5, self._show_bar)
        self._show_bar()
        self._show_list()

    def arrived(self, events: list[Event]) -> None:
        ladder = self.comparison.ladder if self.comparison else self.ladder
        links = False
        for event in events:
            ladder.add(event)
            links = links or not isinstance(event, Stage)
        if self.comparison is not None:
            self._show_list()
            return
        if not self.first.key and self.ladder.stages:
            self.first.show(self.ladder.ordered()[0])
        self._follow()
        self._show_list()
        if links:
            self._light()

    def ended(self, trouble: str) -> None:
        self.took = monotonic() - self.started
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        self.trouble = trouble
        if self.comparison is not None:
            self._compare()
        elif not self.ladder.stages:
            said = [trouble] if trouble else [failure.sentence for failure in self.ladder.failures]
            self.first.clear("\n".join(said) or "The X-ray brought nothing.")
        elif trouble:
            self.say(trouble, wrong=True)
        self._show_bar()
        self._show_list()
        self._explain()

    # ---- what is shown

    def _show_bar(self) -> None:
        subject = self.subject
        inputs = bounded(", ".join(subject.inputs), lines=1, columns=60)
        backward = " · backward" if subject.backward else ""
        kernels = len(self.ladder.kernels)
        if self.running:
            doing = "comparing" if self.comparison else "lowering"
            state = Content.styled(
                f"{doing} {monotonic() - self.started:.0f} s · x stops", "$accent"
            )
        elif self.comparison is not None:
            state = Content.styled(f"against {self.comparison.label} · c ends", "$accent")
        elif self.ladder.stages:
            parts = [f"{self.device} device"] if self.device else []
            parts += [plural(len(self.ladder.stages), "stage")]
            parts += [plural(kernels, "kernel")] if kernels else []
            parts += [f"{self.took:.1f} s"] if self.took else []
            state = Content.styled(" · ".join(parts), "$foreground 65%")
        else:
            state = Content("")
        self.query_one(Bar).set_rows(
            (
                Content.assemble(
                    (bounded(subject.name, lines=1, columns=40), "bold $primary"),
                    f" · {subject.target}{backward}",
                    (f" · {inputs}" if inputs else "", "$foreground 65%"),
                ),
                state,
            )
        )

    def _show_list(self) -> None:
        here = tuple(pane.key for pane in (self.first, self.second) if pane.display and pane.key)
        changes = self.comparison.marks() if self.comparison else {}
        running = ("comparing" if self.comparison else "lowering") if self.running else ""
        self.query_one(StageList).show(self.ladder, here, self._lit, changes, running)

    def open(self, key: str, pane: StagePane | None = None) -> None:
        """Show a stage: the cursor goes to the line that the present one came from or became."""
        pane = pane or self.pane
        stage = self.ladder.stages.get(key)
        if stage is None or (pane.key == key and pane.diff is None and self.comparison is None):
            return
        comparison = self.comparison
        if comparison is not None and comparison.done:
            pane.show_diff(stage, *comparison.of(stage))
        else:
            lines = self._lit.get(key)
            pane.show(stage, line=min(lines) if lines else None)
        self._paired = pane is self.first
        self._follow()
        self._show_list()
        self._light()

    def _follow(self) -> None:
        """The second pane shows what the first one's stage became, until a stage is chosen for
        it."""
        if not (self._paired and self.second.display and self.first.key):
            return
        below = self.ladder.below(self.first.key)
        if below and below != self.second.key:
            stage = self.ladder.stages[below]
            if self.comparison is not None and self.comparison.done:
                self.second.show_diff(stage, *self.comparison.of(stage))
            else:
                self.second.show(stage)

    @on(TextView.Moved)
    def moved(self, message: TextView.Moved) -> None:
        message.stop()
        if message.view is self.pane.view:
            self._light()

    @on(StageList.Chosen)
    def chosen(self, message: StageList.Chosen) -> None:
        if message.key.startswith("!"):
            failure = next(f for f in self.ladder.failures if f"!{f.stage}" == message.key)
            self._explanation(Content.assemble(("✗ ", "$error"), bounded(failure.sentence)))
        else:
            self.open(message.key, self.first)

    @on(events.DescendantFocus)
    def focus_moved(self) -> None:
        self._light()

    def _light(self) -> None:
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
        self._explain()
        self._show_list()

    def _explain(self) -> None:
        """The stage in a line, then the construct under the cursor."""
        if self._asking == "inputs":
            return  # what the inputs are for stands there
        pane = self.pane
        if pane.stage is None:
            self._explanation(Content(""))
            return
        stage = stage_term(self._terms, pane.stage.name)
        about = stage.says if stage else pane.stage.title
        rows = [Content.styled(about, "$foreground 65%")]
        notes = bounded(" ".join(pane.stage.notes), lines=1, columns=300)
        view = pane.view
        found = explain(self._terms, view.text_of(view.cursor), view.column, pane.stage.language)
        self._under_cursor = found.term if found else None
        view.underline((found.start, found.end) if found else None)
        if found:
            term = found.term
            rows.append(
                Content.assemble(
                    (term.term, "bold $accent"), f"  {term.says} ",
                    (f"[{term.source}]", "$foreground 50%"),
                )
            )  # fmt: skip
        elif notes:
            rows.append(Content(notes))
        self._explanation(*rows)

    def _explanation(self, *rows: Content) -> None:
        width = max(20, self.size.width - 2)
        first = [rows[0].truncate(width, ellipsis=True)] if len(rows) > 1 else list(rows)
        self.query_one("#explanation", Static).update(
            Content("\n").join([*first, *rows[1:]]), layout=False
        )

    # ---- arrangement

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        two = self.app.size.width >= TWO_STAGES and not self._single
        was = self.second.display
        if was and not two and self.second.has_focus_within:
            self.first.view.focus()
        self.second.display = two
        if two and not was:
            self._follow()
        self._show_list()

    def action_zoom(self) -> None:
        self._single = not self._single
        self._arrange()

    def action_other(self) -> None:
        if self.second.display and not self.second.has_focus_within:
            self.second.view.focus()
        else:
            self.first.view.focus()

    # ---- keys

    def action_stage(self, step: int) -> None:
        pane = self.pane
        if pane.key:
            self.open(self.ladder.step(pane.key, step), pane)

    def action_about(self) -> None:
        from tutor.ui.screens.ladder_about import AboutScreen

        pane = self.pane
        if pane.stage is not None:
            meaning = stage_term(self._terms, pane.stage.name)
            self.app.push_screen(AboutScreen(pane.stage, meaning, self._under_cursor))

    def action_search(self) -> None:
        self._ask("search", self.pane.view.needle)

    def action_find(self, step: int) -> None:
        pane = self.pane
        if pane.diff is not None and not pane.view.needle:
            if not pane.view.next_mark(step):
                self.say("No more changes in this stage.")
        elif not pane.view.needle:
            self.action_search()
        elif not pane.view.find(step):
            self.say(f"Not in this stage: {bounded(pane.view.needle, lines=1, columns=60)}")

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
            self.app.copy_to_clipboard(stage.text)
            self.say(f"{stage.name}: {plural(stage.text.count(chr(10)) + 1, 'line')} copied.")

    def action_stop(self) -> None:
        if not self.running:
            self.say("Nothing is being lowered.")
            return
        self.stop_xray()
        self._end_comparison()
        self.ended("Stopped. r begins again.")

    def action_again(self) -> None:
        if self.subject.inputs:
            self._begin()
        else:
            self.action_inputs()

    def action_backward(self) -> None:
        self.subject = replace(self.subject, backward=not self.subject.backward)
        self.action_again()

    def action_target(self) -> None:
        start = TARGETS.index(self.subject.target) if self.subject.target in TARGETS else 0

        def chosen(index: int | None) -> None:
            if index is not None:
                self.subject = replace(self.subject, target=TARGETS[index])
                self.action_again()

        lines = [Content(target) for target in TARGETS]
        self.app.push_screen(ChooseScreen("Target", lines, start), chosen)

    def action_function(self) -> None:
        found = functions(self.subject.source)

        def chosen(index: int | None) -> None:
            if index is not None and found[index].name != self.subject.name:
                self.subject = self.subject.named(found[index].name)
                self.action_inputs()

        lines = [
            Content.assemble(
                (each.name, "bold"), f"({', '.join(each.parameters)})",
                ("  Triton kernel" if each.jit else "", "$accent"),
            )
            for each in found
        ]  # fmt: skip
        if lines:
            names = [each.name for each in found]
            start = names.index(self.subject.name) if self.subject.name in names else 0
            self.app.push_screen(ChooseScreen("Function", lines, start), chosen)

    def action_inputs(self) -> None:
        self._ask("inputs", " ".join(self.subject.inputs))
        function = next(
            (f for f in functions(self.subject.source) if f.name == self.subject.name), None
        )
        if function is not None:
            wanted = ", ".join(function.parameters) or "no arguments"
            self._explanation(
                Content.assemble(
                    (f"{function.name}({wanted})", "bold"),
                    "  one input for each, as f32[1024,1024] or a Python value, with blanks "
                    "between. Enter begins, escape leaves it.",
                )
            )

    # ---- the line at the bottom

    def _ask(self, what: str, value: str) -> None:
        self._asking, self._asked_from = what, self.pane
        line = self.query_one("#line", Input)
        line.placeholder = "text to find" if what == "search" else "f32[1024,1024] 128"
        line.value = value
        line.display = True
        line.focus()
        line.action_end()

    def _line_done(self) -> StagePane:
        """Put the line away; the keyboard goes back to the pane it came from."""
        pane = self._asked_from or self.first
        self._asking = ""
        self.query_one("#line", Input).display = False
        (pane if pane.display else self.first).view.focus()
        return pane

    @on(Input.Submitted)
    def line_given(self, event: Input.Submitted) -> None:
        event.stop()
        what, pane = self._asking, self._line_done()
        if what == "search":
            pane.view.search(event.value)
            if event.value and not pane.view.find(1):
                self.say(f"Not in this stage: {bounded(event.value, lines=1, columns=60)}")
        elif what == "inputs":
            self.subject = replace(self.subject, inputs=split_inputs(event.value))
            self._begin()

    # ---- comparing

    def action_compare(self) -> None:
        """What another version of the text became, against what is shown; again ends it."""
        if self.comparison is not None:
            self._end_comparison()
            for pane in (self.first, self.second):
                if pane.stage is not None:
                    pane.show(pane.stage)
            self._light()
            self._show_bar()
            return
        if not self.ladder.stages or self.running:
            self.say("There is nothing to compare yet.")
            return
        labels = ["the run before this one"] if self._before is not None else []
        versions = [v for v in self.subject.versions if v.source != self.subject.source]
        labels += [version.label for version in versions]
        if not labels:
            self.say("There is no other version yet: change the file, or its inputs, and r again.")
            return

        def chosen(index: int | None) -> None:
            if index is None:
                return
            before, shift = self._before, 0
            if before is not None:
                shift = 1
                if index == 0:
                    self.comparison = Comparison(labels[0], before, self.ladder)
                    self._compare()
                    return
            self.comparison = Comparison(labels[index], Ladder(), self.ladder)
            self._run(versions[index - shift].source)

        lines = [Content(bounded(label, lines=1, columns=60)) for label in labels]
        self.app.push_screen(ChooseScreen("Compare with", lines), chosen)

    def _end_comparison(self) -> None:
        self.comparison = None

    def _compare(self) -> None:
        comparison = self.comparison
        assert comparison is not None
        if not comparison.ladder.stages:
            said = [f.sentence for f in comparison.ladder.failures] or [self.trouble]
            self._end_comparison()
            self.say(f"The other version could not be lowered: {said[0]}", wrong=True)
            return
        self._show_bar()
        self.run_worker(
            partial(self._differ, comparison), thread=True, group="diff", exclusive=True
        )

    def _differ(self, comparison: Comparison) -> None:
        """In a thread: large texts take a while."""
        comparison.work()
        self.app.call_from_thread(self._compared, comparison)

    def _compared(self, comparison: Comparison) -> None:
        if comparison is not self.comparison or not self.is_attached:
            return
        for pane in (self.first, self.second):
            if pane.stage is not None:
                pane.show_diff(pane.stage, *comparison.of(pane.stage))
        self._show_list()
        self._show_bar()
        self._light()

    # ---- leaving

    def action_escape(self) -> None:
        if self._asking:
            self._line_done()
            self._explain()
        elif self.running:
            self.action_stop()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        self.stop_xray()
        self.app.pop_screen()

    def on_unmount(self) -> None:
        self.stop_xray()
