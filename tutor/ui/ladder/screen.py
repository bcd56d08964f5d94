"""The lowering ladder: every stage of a function from Python to machine code, side by side."""

from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input

from tutor.base.errors import CannotHere, UsageError
from tutor.ui.kit.dialogs.choose import ChooseScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.ladder import status_text
from tutor.ui.ladder.comparing import ComparingScreen
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.model.subject import TARGETS, Subject, functions
from tutor.ui.ladder.stage_pane import StagePane
from tutor.xray.model.input_specs import split_inputs
from tutor.xray.model.stages import Event, Stage


class LadderScreen(ComparingScreen):
    """Shows `subject`. `exercise`: whose timed inputs are taken where the subject has none."""

    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("ladder")
    AUTO_FOCUS: ClassVar[str | None] = "#first TextView"

    def __init__(self, subject: Subject, exercise: str = "") -> None:
        super().__init__(subject)
        self.exercise = exercise
        self._asked_from: StagePane | None = None
        self._clock: Timer | None = None

    def on_mount(self) -> None:
        try:
            self._terms = self.tutor.course.glossary()
        except UsageError as error:
            self.say(str(error), wrong=True)
        self.arrange_panes()
        self.show_bar()
        if not functions(self.subject.source):
            self.first.clear("There is no function in this text that Python can read.")
        elif self.subject.inputs:
            self._begin()
        elif self.exercise:
            self.first.clear("Asking the judge what the exercise is timed on …")
            self._find_inputs()
        else:
            self.action_inputs()

    @work(thread=True, group="judge-inputs", exit_on_error=False)
    def _find_inputs(self) -> None:
        try:
            found = self.tutor.judge.inputs(self.exercise)
        except (CannotHere, UsageError) as error:
            self.app.call_from_thread(self.say, str(error), wrong=True)
            found = ()
        self.app.call_from_thread(self._inputs_found, found)

    def _inputs_found(self, found: tuple[str, ...]) -> None:
        if not self.is_left:
            self.subject = replace(self.subject, inputs=found)
            self.action_again()

    # ---- running

    def _begin(self) -> None:
        """X-ray the subject as it stands now."""
        if self.ladder.stages and self.comparison is None:
            self.before = self.ladder
        self.comparison = None
        self.ladder = Ladder()
        self.first.clear("")
        self.second.clear("")
        self._paired = True
        self.lower(self.subject.source)

    def lower(self, source: str) -> None:
        self.run_xray(self.subject.request(source))
        if self._clock is None:
            self._clock = self.set_interval(0.5, self.show_bar)
        self.show_bar()
        self.show_list()

    def arrived(self, events: list[Event]) -> None:
        ladder = self.comparison.ladder if self.comparison else self.ladder
        links = False
        for event in events:
            ladder.add(event)
            links = links or not isinstance(event, Stage)
        if self.comparison is not None:
            self.show_list()
            return
        if not self.first.key and self.ladder.stages:
            self.first.show(self.ladder.ordered()[0])
        self.follow()
        self.show_list()
        if links:
            self.light()

    def ended(self, trouble: str) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        if self.comparison is not None:
            self.compare(trouble)
        elif not self.ladder.stages:
            said = [trouble] if trouble else [failure.sentence for failure in self.ladder.failures]
            self.first.clear("\n".join(said) or "The X-ray brought nothing.")
        elif trouble:
            self.say(trouble, wrong=True)
        self.show_bar()
        self.show_list()
        self.explain()

    def action_stop(self) -> None:
        if not self.running:
            self.say("Nothing is being lowered.")
            return
        self.stop_xray()
        self.comparison = None
        self.ended(f"Stopped. {key_of(self, 'ladder.again')} begins again.")

    def action_again(self) -> None:
        if self.subject.inputs:
            self._begin()
        else:
            self.action_inputs()

    # ---- what is lowered, and for what

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
        self.app.push_screen(ChooseScreen("Target", lines, start, "takes it"), chosen)

    def action_function(self) -> None:
        found = functions(self.subject.source)

        def chosen(index: int | None) -> None:
            if index is not None and found[index].name != self.subject.name:
                self.subject = self.subject.named(found[index].name)
                self.action_inputs()

        if found:
            names = [each.name for each in found]
            start = names.index(self.subject.name) if self.subject.name in names else 0
            lines = [status_text.function_row(each) for each in found]
            self.app.push_screen(ChooseScreen("Function", lines, start, "takes it"), chosen)

    def action_inputs(self) -> None:
        self._ask("inputs", " ".join(self.subject.inputs), "f32[1024,1024] 128")
        named = (f for f in functions(self.subject.source) if f.name == self.subject.name)
        if function := next(named, None):
            self.say_below(status_text.inputs_wanted(function, self.tutor.keymap))

    # ---- searching

    def action_search(self) -> None:
        self._ask("search", self.pane.view.needle, "text to find")

    def action_find(self, step: int) -> None:
        pane = self.pane
        if pane.diff is not None and not pane.view.needle:
            if not pane.view.next_mark(step):
                self.say("No more changes in this stage.")
        elif not pane.view.needle:
            self.action_search()
        elif not pane.view.find(step):
            self._not_found(pane.view.needle)

    def _not_found(self, needle: str) -> None:
        self.say(f"Not in this stage: {bounded(needle, lines=1, columns=60)}")

    # ---- the line at the bottom

    def _ask(self, what: str, value: str, placeholder: str) -> None:
        self._asked_from = self.pane
        self.line.ask(what, value, placeholder)

    def _line_done(self) -> tuple[str, StagePane]:
        """Put the line away; the keyboard goes back to the pane it came from. Returns what was
        asked, and for which pane."""
        pane = self._asked_from or self.first
        what = self.line.put_away()
        (pane if pane.display else self.first).view.focus()
        return what, pane

    @on(Input.Submitted)
    def line_given(self, event: Input.Submitted) -> None:
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
        elif self.running:
            self.action_stop()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        self.stop_xray()
        self.app.pop_screen()

    def on_unmount(self) -> None:
        self.stop_xray()
