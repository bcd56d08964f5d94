"""The lowering ladder: every stage of a function from Python to machine code, side by side."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.course.catalog.glossary import Term
from tutor.ui.cells.ran_cells import RanCells
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.prompt_line import AskLine
from tutor.ui.ladder import status_text
from tutor.ui.ladder.compilers_screen import ChosenCompiler, CompilersScreen
from tutor.ui.ladder.default_inputs import DefaultInputs
from tutor.ui.ladder.lanes_screen import LanesScreen
from tutor.ui.ladder.model.comparison import StageComparison, without_pass
from tutor.ui.ladder.model.stages import Ladder, is_shared, kernel_of
from tutor.ui.ladder.pass_run import PassRun
from tutor.ui.ladder.passes_screen import PassesScreen
from tutor.ui.ladder.stage_list import StageList
from tutor.ui.ladder.stage_pane import StagePane
from tutor.ui.ladder.stage_panes import TWO_STAGES, StagePanes
from tutor.ui.ladder.xray_run import INTERRUPTED, XrayRun
from tutor.xray.model.comparison import compare_compilers
from tutor.xray.model.compiler import COMPILERS, INDUCTOR, find_compilers
from tutor.xray.model.input_specs import split_inputs
from tutor.xray.model.stages import Event, Omission, Stage
from tutor.xray.model.subject import TARGETS, Subject, functions
from tutor.xray.model.tile_layouts import find_view, list_views, read_definitions

_EXPLAINED = 4  # rows of the explanation, before it is laid out


class LadderScreen(TutorScreen):
    """The ladder of `subject`. If it has no inputs, those that `exercise` is timed on are used, or
    those that the cells `ran` called it with."""

    CSS_PATH = "screen.tcss"
    BINDINGS = bindings("ladder")
    AUTO_FOCUS = "#first TextView"

    def __init__(
        self,
        subject: Subject,
        exercise: str = "",
        ran: RanCells | None = None,
        newest: Callable[[], str] | None = None,
    ) -> None:
        """Create the screen. `newest` returns the text as it is now, for a run that is begun again."""
        super().__init__()
        self.subject, self.exercise, self.ran = subject, exercise, ran
        self._newest = newest
        self.panes = StagePanes()
        self.line = AskLine(id="line")
        self.xray = XrayRun(self, self.take_events, self.end_run)
        self.pass_run = PassRun(self)
        self.before: Ladder | None = None  # the run before this one
        self.terms: tuple[Term, ...] = ()
        self._default_inputs = DefaultInputs(self, self.take_inputs)
        self._under_cursor: Term | None = None
        self._asked_from: StagePane | None = None

    def compose(self) -> ComposeResult:
        yield Bar()
        yield self.panes
        yield Static(id="explanation", markup=False)
        yield self.line
        yield Footer()

    def on_mount(self) -> None:
        try:
            self.terms = self.tutor.course.glossary()
        except UsageError as error:
            self.say(str(error), wrong=True)
        self._clock = self.set_interval(0.5, self.show_bar, pause=True)
        self.panes.arrange_texts()
        self.show_bar()
        if not functions(self.subject.source):
            self.panes.first.clear("There is no function in this text that Python can read.")
            return
        self.panes.begin(self.subject.first_stage())
        self.panes.go_to(*self.subject.opens)
        if self.subject.inputs:
            self._begin()
        elif self.exercise:
            self.say_below(Content("Asking the judge what the exercise is timed on …"))
            self._default_inputs.of_exercise(self.exercise)
        elif self.ran is not None:
            self.say_below(Content("Looking up what the cell called it with …"))
            self._default_inputs.of_cells(self.ran, self.subject.name)
        else:
            self.action_inputs()

    def on_resize(self) -> None:
        self.panes.arrange_texts()
        self.explain()

    def take_inputs(self, inputs: tuple[str, ...]) -> None:
        if not self.is_left:
            self.subject = replace(self.subject, inputs=inputs)
            self.action_again()

    # ---- running

    def _begin(self) -> None:
        """X-ray the subject as it is now."""
        if self.panes.ladder.made and self.panes.comparison is None:
            self.before = self.panes.ladder
        self.panes.begin(self.subject.first_stage(), self.subject.target)
        self._lower(self.subject.source)
        self.explain()  # in the place of what was said of the inputs

    def _lower(self, source: str) -> None:
        self.xray.start(self.subject, source)
        self._clock.resume()
        self._show_progress()

    def take_events(self, events: list[Event]) -> None:
        """Show a batch of stages, links and failures."""
        comparison = self.panes.comparison
        ladder = comparison.ladder if comparison else self.panes.ladder
        for event in events:
            ladder.add(event)
        if comparison is not None:
            self.panes.show_list()
            return
        self.panes.show_arrived()
        if not all(isinstance(event, Stage) for event in events):
            self.panes.light()

    def end_run(self, trouble: str) -> None:
        """Show that the run has ended. `trouble` says why it ended early, or is ""."""
        self._clock.pause()
        ladder = self.panes.ladder
        if trouble == INTERRUPTED:
            trouble += f" {key_of(self, 'ladder.again')} lowers the text as it is now."
            self.panes.comparison = None
            self.say(trouble)  # the source stays
        elif self.panes.comparison is not None:
            self._compare(self.panes.comparison, trouble)
        elif not ladder.made:
            why = [trouble] if trouble else [failure.sentence for failure in ladder.failures]
            said = "\n".join(why) or "The X-ray returned nothing."
            inputs = key_of(self, "ladder.inputs")
            self.panes.first.clear(f"{said}\n\n{inputs} changes the inputs.")
        elif trouble:
            self.say(trouble, wrong=True)
        self._show_progress()
        self.explain()
        if self._has_table and not trouble:
            self._show_table()

    def action_stop(self) -> None:
        if not self.xray.running:
            self.say("Nothing is being lowered.")
            return
        self.xray.stop()
        self.panes.comparison = None
        stopped = f"Stopped. {key_of(self, 'ladder.again')} begins again."
        if self.panes.ladder.made or self.panes.first.stage is None:
            self.end_run(stopped)
            return
        self.say(stopped)  # the source stays
        self._clock.pause()
        self._show_progress()
        self.explain()

    def action_again(self) -> None:
        """Lower the text as it is now, unless its function is gone."""
        source = self._newest() if self._newest else self.subject.source
        if self.subject.name in [function.name for function in functions(source)]:
            self.subject = replace(self.subject, source=source)
        if self.subject.inputs:
            self._begin()
        else:
            self.action_inputs()

    # ---- comparing

    def action_compare(self) -> None:
        """Choose a version to compare with, or end the comparison."""
        panes = self.panes
        if panes.comparison is not None:
            self._end_comparison()
            return
        if not panes.ladder.made or self.xray.running:
            self.say("There is nothing to compare yet.")
            return
        others: list[tuple[str, str | None]] = []
        if self.before is not None:
            others.append((f"the run before, {self.before.target or self.subject.target}", None))
        versions = [v for v in self.subject.versions if v.source != self.subject.source]
        others += [(version.label, version.source) for version in versions]
        if not others:
            again = key_of(self, "ladder.again")
            self.say(
                "There is no other version yet: change the file, or its inputs, and lower it again "
                f"({again})."
            )
            return

        def chosen(index: int | None) -> None:
            if index is None:
                return
            label, source = others[index]
            other = Ladder() if source is not None else self.before or Ladder()
            panes.comparison = StageComparison(label, other, panes.ladder)
            if source is None:
                self._compare(panes.comparison)
            else:
                self._lower(source)

        lines = [Content(limit_text(label, lines=1, columns=60)) for label, _ in others]
        self.app.push_screen(ChooseScreen("Compare with", lines, does="chooses"), chosen)

    def _end_comparison(self) -> None:
        self.panes.comparison = None
        self.panes.show_comparison()
        self.show_bar()
        self.refresh_bindings()

    def _compare(self, comparison: StageComparison, trouble: str = "") -> None:
        """Compare the two ladders. `trouble` says why the other run ended early, or is ""."""
        if not comparison.ladder.made:
            why = [f.sentence for f in comparison.ladder.failures] or [trouble]
            self.panes.comparison = None
            self.say(f"The other version could not be lowered: {why[0]}", wrong=True)
            return
        self.show_bar()

        def work() -> None:
            """Compare in a thread, because large texts take a while."""
            comparison.work()
            self.app.call_from_thread(self._show_comparison, comparison)

        self.run_worker(work, thread=True, group="diff", exclusive=True)

    def _show_comparison(self, comparison: StageComparison) -> None:
        if comparison is self.panes.comparison and not self.is_left:
            self.panes.show_comparison()
            self.panes.open_difference()
            self.show_bar()
            self.refresh_bindings()

    # ---- around the texts

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what needs stages only where there are some; else the key that begins again."""
        if action in ("stage", "compare"):
            return bool(self.panes.ladder.made) or self.xray.running
        return True

    def label_now(self, action: str) -> str | None:
        """Say what Escape does now, and leave the next and the previous stage out at the ends."""
        if action == "escape":
            if self.line.asking:
                return "cancel"
            if self.xray.running:
                return "stop"
            return "end comparing" if self.panes.comparison is not None else None
        if action in ("stage(1)", "stage(-1)"):
            key, step = self.panes.pane.key, 1 if action == "stage(1)" else -1
            beside = self.panes.ladder.step(key, step) if key else ""
            return None if beside not in ("", key) else ""
        return None

    def _show_progress(self) -> None:
        what = "comparing" if self.panes.comparison else "lowering"
        self.panes.doing = what if self.xray.running else ""
        self.show_bar()
        self.panes.show_list()
        self.refresh_bindings()

    def show_bar(self) -> None:
        comparison = self.panes.comparison
        state = status_text.State(
            self.xray.running,
            comparison.label if comparison else "",
            monotonic() - self.xray.started,
            self.xray.took,
            self.xray.device,
        )
        rows = status_text.status_row(self.subject, self.panes.ladder, state, self.tutor.keymap)
        self.query_one(Bar).show(*rows)

    def keys_changed(self) -> None:
        self.show_bar()

    @on(StagePanes.CursorMoved)
    def explain(self) -> None:
        """Explain below the texts the stage, then the construct under the cursor."""
        if self.line.asking == "inputs" or self._default_inputs.asking:
            return  # the row is about the inputs
        self.refresh_bindings()
        pane, view = self.panes.pane, self.panes.pane.view
        if pane.stage is None:
            self.say_below(Content(""))
            return
        line = view.text_of(view.cursor)
        said = self.panes.break_here()
        waits = status_text.describe_waits(pane.stage, pane.line) if pane.controls else ""
        rows, match = status_text.explanation(
            self.terms, pane.stage, line, view.column, said, waits
        )
        self._under_cursor = match.term if match else None
        view.underline((match.start, match.end) if match else None)
        self.say_below(*rows)

    @on(StageList.StageChosen)
    def show_failure(self, message: StageList.StageChosen) -> None:
        failure = next(f for f in self.panes.ladder.failures if f.stage == message.key)
        self.panes.show_failure(failure.stage, limit_text(failure.sentence))

    def say_below(self, *rows: Content) -> None:
        """Show rows under the texts. The first one gives way to the others."""
        width = max(20, self.size.width - 2)
        place = self.query_one("#explanation", Static)
        others = sum(len(row.wrap(width)) for row in rows[1:])
        room = max(1, (place.size.height or _EXPLAINED) - others)
        first = rows[0].wrap(width)
        if len(first) > room:
            cut = Content(" ").join(line.rstrip() for line in first[room - 1 :])
            first = [*first[: room - 1], cut.truncate(width, ellipsis=True)]
        said = Content("\n").join([*(line.rstrip() for line in first), *rows[1:]])
        place.update(said, layout=False)

    # ---- what is lowered, and for what

    def action_backward(self) -> None:
        self.subject = replace(self.subject, backward=not self.subject.backward)
        self.action_again()

    def action_passes(self) -> None:
        self.subject = replace(self.subject, passes=not self.subject.passes)
        self.action_again()

    def action_omissions(self) -> None:
        """Show what a kernel is without each of Triton's passes: that of the stage, or the only one."""
        ladder, stage = self.panes.ladder, self.panes.pane.stage
        kernels = [name for name in ladder.kernels if f"ttgir:{name}" in ladder.stages]
        if stage is not None and kernel_of(stage) in kernels:
            kernels = [kernel_of(stage)]
        if self.xray.running or self.panes.comparison is not None:
            self.say("First the stages: they are still being made or compared.")
        elif not kernels:
            self.say("There is no Triton kernel here that was lowered.")
        elif len(kernels) == 1:
            self._show_omissions(kernels[0])
        else:

            def chosen(index: int | None) -> None:
                if index is not None:
                    self._show_omissions(kernels[index])

            lines = [Content(limit_text(name, lines=1, columns=60)) for name in kernels]
            self.app.push_screen(ChooseScreen("Of which kernel", lines, does="chooses"), chosen)

    def action_lanes(self) -> None:
        """Show who holds which element of the tile at the cursor, or of the first that it became."""
        ladder, pane = self.panes.ladder, self.panes.pane
        kernels = [name for name in ladder.kernels if f"ttgir:{name}" in ladder.stages]
        stage = pane.stage
        if stage is not None and kernel_of(stage) in kernels:
            kernels = [kernel_of(stage)]
        made = [s for s in ladder.made if s.key in [f"ttgir:{name}" for name in kernels]]
        if not made:
            self.say("There is no TTGIR here yet, the stage that says who holds what.")
            return
        text = made[0].text
        views = list_views(text)
        if not views:
            self.say("This kernel has no tile: every value is a single number.")
            return
        here = stage is not None and stage.key == made[0].key and pane.diff is None
        numbers = [pane.line] if here and pane.line else sorted(self.panes.lit_lines(made[0].key))
        self.app.push_screen(
            LanesScreen(views, read_definitions(text), find_view(views, text, numbers))
        )

    def _show_omissions(self, kernel: str) -> None:
        self.pass_run.ask_for(self.subject, kernel)

        def chosen(row: Omission | None) -> None:
            if row is not None:
                other = without_pass(self.panes.ladder, row)
                self.panes.comparison = StageComparison(
                    f"without {row.name}", other, self.panes.ladder
                )
                self._compare(self.panes.comparison)

        stages = self.panes.ladder.stages
        code = next(
            (stages[key].text for key in (f"sass:{kernel}", f"amdgcn:{kernel}") if key in stages),
            "",
        )
        page = PassesScreen(self.pass_run, kernel, self.subject.target, code)
        self.app.push_screen(page, chosen)

    def action_compilers(self) -> None:
        """Choose another compiler, all of them, or the table of what they have made."""
        rows: list[tuple[str, tuple[str, ...]]] = []
        if self._has_table and not self.xray.running:
            rows.append(("What each made of it: the table", ()))
        rows += [(compiler.title, (name,)) for name, compiler in COMPILERS.items()]
        rows.append(("All of them, side by side", tuple(COMPILERS)))
        current = [names for _, names in rows]
        start = current.index(self.subject.compilers) if self.subject.compilers in current else 0

        def chosen(index: int | None) -> None:
            if index is None:
                return
            if not rows[index][1]:
                self._show_table()
                return
            self.subject = replace(self.subject, compilers=rows[index][1])
            self.action_again()

        lines = [_compiler_row(title, names) for title, names in rows]
        self.app.push_screen(ChooseScreen("Compiler", lines, start, "chooses"), chosen)

    @property
    def _has_table(self) -> bool:
        """Whether several compilers were asked for, and there is something to compare."""
        return len(self.subject.compilers) > 1 and bool(self.panes.ladder.made)

    def _show_table(self) -> None:
        """Show what each compiler made of the function; open the stages of the chosen one."""
        ladder = self.panes.ladder
        compared = compare_compilers(
            find_compilers(self.subject.compilers),
            ladder.events(),
            (self.subject.target, self.subject.others_for),
        )

        def chosen(choice: ChosenCompiler | None) -> None:
            if choice is None:
                return
            compiler = COMPILERS[choice.name]
            own = [s for s in ladder.order_stages() if s.compiler == choice.name]
            own = [s for s in own if not is_shared(s)]
            if not own:
                row = next(row for row in compared.rows if row.compiler == choice.name)
                self.say(limit_text(" ".join(row.failures)) or "There is no stage of it.")
                return
            # The stage that the table counts, or else the one that failed: the last.
            stage = next((s for s in own if s.name == compiler.after), own[-1])
            beside = choice.beside and self.panes.second.display
            self.panes.open(stage.key, self.panes.second if beside else self.panes.first)

        self.app.push_screen(CompilersScreen(compared, self.subject.name), chosen)

    def action_target(self) -> None:
        if self.subject.compilers != (INDUCTOR.name,):
            self._choose_target_of_others()
            return
        start = TARGETS.index(self.subject.target) if self.subject.target in TARGETS else 0

        def chosen(index: int | None) -> None:
            if index is not None:
                self.subject = replace(self.subject, target=TARGETS[index])
                self.action_again()

        lines = [Content(target) for target in TARGETS]
        self.app.push_screen(ChooseScreen("Target", lines, start, "chooses"), chosen)

    def _choose_target_of_others(self) -> None:
        """Choose what compilers beside Inductor lower for: the CPU, or a GPU that one of them knows."""
        chosen_ones = find_compilers(self.subject.compilers)
        others = [compiler for compiler in chosen_ones if compiler is not INDUCTOR]
        known = {target for one in others for target in (*one.targets, *one.gpus)}
        targets = ["cpu", *sorted(known - {"cpu"}, key=lambda name: (len(name), name))]

        def chosen(index: int | None) -> None:
            if index is not None:
                gpu = targets[index] if targets[index] != "cpu" else self.subject.target
                self.subject = replace(self.subject, others_for=targets[index], target=gpu)
                self.action_again()

        start = targets.index(self.subject.others_for) if self.subject.others_for in targets else 0
        lines = [Content(target) for target in targets]
        self.app.push_screen(ChooseScreen("Target", lines, start, "chooses"), chosen)

    def action_function(self) -> None:
        candidates = functions(self.subject.source)

        def chosen(index: int | None) -> None:
            if index is not None and candidates[index].name != self.subject.name:
                self.subject = self.subject.with_function(candidates[index].name)
                self.action_inputs()

        if candidates:
            names = [function.name for function in candidates]
            start = names.index(self.subject.name) if self.subject.name in names else 0
            lines = [status_text.function_row(function) for function in candidates]
            self.app.push_screen(ChooseScreen("Function", lines, start, "chooses"), chosen)

    def action_inputs(self) -> None:
        self._ask("inputs", " ".join(self.subject.inputs), "f32[1024,1024] 128")
        named = (f for f in functions(self.subject.source) if f.name == self.subject.name)
        if function := next(named, None):
            self.say_below(status_text.inputs_wanted(function, self.tutor.keymap))

    # ---- keys on a stage

    def action_stage(self, step: int) -> None:
        self.panes.step(step)

    def action_zoom(self) -> None:
        if self.panes.has_room_for_two:
            self.panes.zoom()
        else:
            self.say(f"Two texts have room side by side from {TWO_STAGES} columns on.")

    def action_other(self) -> None:
        if not self.panes.second.display:
            self.say("Only one text is shown.")
        self.panes.focus_other()

    @on(StageList.ExplanationAsked)
    def action_about(self) -> None:
        from tutor.ui.ladder.stage_help import AboutScreen

        stage = self.panes.pane.stage
        if stage is not None:
            meaning = status_text.term_of(self.terms, stage)
            self.app.push_screen(AboutScreen(stage, meaning, self._under_cursor))

    def action_fold(self) -> None:
        if not self.panes.pane.toggle_block():
            self.say("Nothing folds around this line.")

    def action_fold_all(self) -> None:
        self.panes.pane.toggle_all()

    def action_quiet(self) -> None:
        hidden = "left out" if self.panes.toggle_quiet() else "shown"
        self.say(f"Lines that only say where code came from are {hidden}.")

    def action_addresses(self) -> None:
        self.panes.toggle_addresses()

    def action_controls(self) -> None:
        shown = self.panes.toggle_controls()
        if not any(stage.controls for stage in self.panes.ladder.made):
            self.say("No stage here has control codes: they are part of SASS, from sm_70 on.")
        elif shown:
            self.say(
                "Before each instruction of SASS: the cycles until the next may issue, →barrier of its "
                "result, ·barrier of its operands, ←barriers it waits for."
            )

    def action_copy(self) -> None:
        if (stage := self.panes.pane.stage) is not None:
            self.copy(stage.text, f"{stage.name}, {plural(stage.text.count(chr(10)) + 1, 'line')}")

    # ---- searching

    def action_search(self) -> None:
        self._ask("search", self.panes.pane.view.needle, "text to find")

    def action_find(self, step: int) -> None:
        pane = self.panes.pane
        if pane.diff is not None and not pane.view.needle:
            if not pane.view.next_mark(step):
                self.say("No more changes in this stage.")
        elif not pane.view.needle:
            self.action_search()
        elif not pane.view.find(step):
            self._not_found(pane.view.needle)

    def _not_found(self, needle: str) -> None:
        self.say(f"Not in this stage: {limit_text(needle, lines=1, columns=60)}")

    # ---- the line at the bottom

    def _ask(self, what: str, value: str, placeholder: str) -> None:
        self._asked_from = self.panes.pane
        self.line.ask(what, value, placeholder)
        self.refresh_bindings()

    def _line_done(self) -> tuple[str, StagePane]:
        """Hide the line and focus the pane that opened it. Return the request and that pane."""
        pane = self._asked_from or self.panes.first
        what = self.line.put_away()
        (pane if pane.display else self.panes.first).view.focus()
        return what, pane

    @on(Input.Submitted)
    def take_line(self, event: Input.Submitted) -> None:
        event.stop()
        what, pane = self._line_done()
        if what == "search":
            pane.view.search(event.value)
            if event.value and not pane.view.find(1):
                self._not_found(event.value)
        elif what == "inputs":
            self.subject = replace(self.subject, inputs=split_inputs(event.value))
            self._begin()

    # ---- leaving

    def action_escape(self) -> None:
        if self.line.asking:
            self._line_done()
            self.explain()
        elif self.xray.running:
            self.action_stop()
        elif self.panes.comparison is not None:
            self._end_comparison()
        else:
            self.app.pop_screen()

    def on_unmount(self) -> None:
        self._default_inputs.stop()
        self.pass_run.stop()
        self.xray.stop()


def _compiler_row(title: str, names: tuple[str, ...]) -> Content:
    """A row of the list of compilers; it says which is not installed, or how many of all are not."""
    absent = sum(not COMPILERS[name].is_here() for name in names)
    said = f"  {f'{absent} ' if len(names) > 1 else ''}not installed" if absent else ""
    return Content.assemble(title, (said, "$foreground 70%"))
