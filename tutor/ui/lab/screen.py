"""The lab: the learner's file on the left, the judge's findings on the right."""

from textual import on, work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.base.errors import UsageError
from tutor.course.catalog.day_exercises import milestone_place
from tutor.course.model import Exercise, Quiz
from tutor.judge.model.verdict import Repair, Verdict
from tutor.judge.repair.same_edit import find_same_edit
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_document import write_document
from tutor.judge.reports.verdict_text import draw_lines
from tutor.memory.first_pass import say_first_pass
from tutor.memory.record import Record
from tutor.memory.review_session import Twist
from tutor.memory.store.rows import Attempt
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing
from tutor.ui.kit.text.phrases import format_moment
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.lab.conflict_dialog import ConflictScreen
from tutor.ui.lab.document import Document
from tutor.ui.lab.findings import Findings, look_up
from tutor.ui.lab.judgement import Judgement
from tutor.ui.lab.mode import LabMode, review_mode
from tutor.ui.lab.next_step import Step
from tutor.ui.lab.pages.attempts import AttemptsPage
from tutor.ui.lab.pages.hints import HintsPage
from tutor.ui.lab.pages.roofline import RooflinePage
from tutor.ui.lab.pages.scratch import ScratchPage
from tutor.ui.lab.pages.side_pane import LabPane
from tutor.ui.lab.pages.solution import SolutionPage
from tutor.ui.lab.pages.verdict import EVERY_CASE, SOLUTION, VerdictPage, Way, says_way
from tutor.ui.lab.pages.versions import Version, name_attempts, verdict_of
from tutor.ui.lab.scratch_runner import ScratchRunner
from tutor.ui.lab.split_panes import BOTH_FROM, SplitPanes
from tutor.ui.verdict.verdict_view import headline

_PAGE_WORDS = {
    "task": "the task",
    "verdict": "the verdict",
    "hints": "the hints",
    "attempts": "your attempts",
    "roofline": "the roofline",
    "scratch": "the scratch cells",
    "solution": "the solution",
}
_LOWERED = ("kernel", "compiled", "function")  # kinds of exercise that the ladder can show


class LabScreen(TutorScreen):
    """The lab of the exercise `slug`."""

    CSS_PATH = "screen.tcss"
    BINDINGS = bindings("lab")
    INSTEAD = "Letters are keys on this side: {lab.edit} begins to write, {app.help} lists them."
    AUTO_FOCUS = ""  # nothing before `on_mount` chooses: an early key types nothing
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (BOTH_FROM, "-wide")]  # noqa: RUF012

    def __init__(self, slug: str, mode: LabMode | None = None) -> None:
        super().__init__()
        self.slug, self.mode = slug, mode or LabMode()
        self.detail = False
        self.attempts: tuple[Attempt, ...] = ()
        self._versions: tuple[Version, ...] = ()
        self._next: Step | None = None
        self._shown: tuple[object, ...] = ()
        self._ways: list[Way] = []  # to go on from a right answer
        self._said = ""  # of the answer, above the ways
        self._can_go_on = False  # as the footer shows it

    def compose(self) -> ComposeResult:
        self.exercise = self.mode.exercise(self.tutor.course.exercise(self.slug))
        self._day = self.mode.day or self.exercise.day
        number = milestone_place(self.tutor.course, self._day, self.slug)
        self._place = f"Day {self._day}" + (", {} of {}".format(*number) if number else "")
        self.document = Document(self.exercise, self.mode.folder)
        self.judgement = Judgement(
            self,
            self.exercise,
            self.draw_report,
            lambda tutor, verdict: look_up(
                tutor, self.mode, self.exercise, self.document.work.path, verdict
            ),
            self.conclude,
            self.mode.twist.number if self.mode.twist else 0,
        )
        self.pane = LabPane(self.exercise)
        self.panes = SplitPanes(self.document, self.pane)
        yield Bar()
        yield self.panes
        yield Static(id="strip")
        yield Footer()

    def on_mount(self) -> None:
        cells = self.pane.of(ScratchPage)
        self.scratch = cells.runner = ScratchRunner(
            self, self.exercise, self.document, cells.editor, cells.show
        )
        self.pane.of(HintsPage).show(self.mode.hints_shown(self.tutor.record, self.slug))
        if self.mode.may_see_solution(self.tutor.record, self.slug):
            self.pane.offer_solution()
        try:
            self.document.open()
        except UsageError as error:
            self.say(str(error), wrong=True)
            self.app.pop_screen()
            return
        self._refresh_attempts()
        self.judgement.prepare()
        if self.attempts and self.attempts[0].source == self.document.editor.text:
            self._show_attempt(self.attempts[0])
        self.panes.show_side("pane")  # always this side, where letters are keys
        self.show_state()

    # ---- the file

    @on(Document.StateChanged)
    def follow_document(self, message: Document.StateChanged) -> None:
        if message.from_disk and self.tutor.config.judge_on_save:
            self._submit()
        self.judgement.put_off()
        self.show_state()

    @on(Document.FileConflict)
    def ask_which_text(self, message: Document.FileConflict) -> None:
        """Ask which text to use."""

        def chosen(choice: str | None) -> None:
            self.document.resolve(message.theirs, take=choice == "theirs")

        path = self.document.work.path
        self.app.push_screen(ConflictScreen(path, message.mine, message.theirs), chosen)

    @on(LabPane.Turned)
    def show_state(self) -> None:
        """Draw the line at the top and, if only the editor is visible, the headline below it."""
        report, editor = self.judgement.report, self.document.editor
        if len(report.source.split("\n")) != editor.document.line_count:
            editor.mark(frozenset())  # lines have moved
        device, done, line = self.judgement.where, len(self.attempts), headline(report)
        if line and report.source != editor.text:
            line = Content.assemble(line, (" · changed since", "$foreground 70%"))
        state = _describe_saved(self.document)
        shown = (state, device, done, line.plain, self.pane.page)
        if shown == self._shown:
            return  # called at every key: avoid a needless layout
        self._shown = shown
        where = limit_text(device, lines=1, columns=60)
        self.query_one(Bar).show(
            Content.assemble((self.slug, "bold"), f" · {self._place}"),
            Content.assemble(
                (f"attempt {done} · " if done else "", "$foreground 70%"),
                state,
                (f" · {where}" if where else "", "$foreground 70%"),
            ),
        )
        # The keys that work in the editor, where letters are text.
        ids = ("editor.other", "lab.check")
        other, check = (key_while_typing(id_, self.tutor.keymap) for id_ in ids)
        keys = f"{check} saves and checks · {other} the task"
        if line:
            stop = key_while_typing("lab.stop", self.tutor.keymap)
            stops = f"{stop} stops · " if self.judgement.running else ""
            keys = f"   {stops}{other} shows {_PAGE_WORDS[self.pane.page]}"
        strip = Content.assemble(line, Content.styled(keys, "dim"))
        self.query_one("#strip", Static).update(strip, layout=False)  # its one line stays

    def keys_changed(self) -> None:
        self._shown = ()
        self.show_state()

    # ---- the verdict

    def _submit(self) -> None:
        page = self.pane.of(VerdictPage)
        page.show_next([])
        self._ways = []
        rows = page.query_one(VerticalScroll)
        if rows.scroll_y:
            rows.scroll_home(animate=False)
        self.pane.open("verdict")
        self.judgement.submit(self.document.editor.text, self.document.work.path)

    def conclude(self, verdict: Verdict, findings: Findings) -> None:
        """Show the next steps after a verdict that is in the record."""
        self._refresh_attempts(findings)
        page = self.pane.of(VerdictPage)
        if not verdict.passed:
            if verdict.repair and verdict.repair.kind:
                self._seek_same_edit(verdict.repair)
            left = len(self.exercise.hints) - self._hints_shown
            if findings.stuck and left > 0:
                page.show_next([("lab.hint", "the next hint: four answers were wrong")])
            return
        self.pane.offer_solution()
        ways: list[Way] = []
        if self.mode.for_review:
            ways = [("lab.leave", "go on with the review")]
        elif findings.step:
            label, self._next = findings.step
            ways = [("lab.next", f"next: {label}")]
        self._ways, self._said = [*ways, SOLUTION, EVERY_CASE], findings.first_pass
        self._offer_ways()

    @work(thread=True, exclusive=True, group="same edit", exit_on_error=False)
    def _seek_same_edit(self, repair: Repair) -> None:
        """Look for the change that mends the answer in exercises whose answer is no secret any more, the
        newest first."""
        passed = self.tutor.record.activity.passed_exercises() - {self.slug}
        same = find_same_edit(repair.change, self.tutor.course, passed)
        if same:
            self.app.call_from_thread(self.pane.of(HintsPage).offer_same_edit, repair, same)

    @property
    def _hints_shown(self) -> int:
        """How many hints were shown, here or by another program; a right answer takes none away."""
        recorded = self.tutor.record.activity.hints_shown(self.slug)
        return max(self.pane.of(HintsPage).shown, recorded)

    def draw_report(self) -> None:
        report, editor = self.judgement.report, self.document.editor
        self.pane.report_changed(report, detail=self.detail)
        editor.mark(frozenset(report.lines) if report.source == editor.text else frozenset())
        self.show_state()
        if self._can_go_on != (self._next is not None):
            self._can_go_on = not self._can_go_on
            self.refresh_bindings()  # this composes the footer again

    def _refresh_attempts(self, findings: Findings | None = None) -> None:
        """List the attempts, read before or now."""
        path = self.document.work.path
        current = findings or look_up(self.tutor, self.mode, self.exercise, path)
        self.attempts, self._versions = current.attempts, current.versions
        self.pane.of(AttemptsPage).show(current.versions)
        self.pane.of(RooflinePage).show(current.attempts)

    def _show_attempt(self, attempt: Attempt) -> None:
        """Show the stored verdict on a text that is back in the editor."""
        if verdict := verdict_of(attempt):
            report = Report(attempt.source, self.judgement.starter)
            self.judgement.show(report.after(verdict))
            if verdict.passed:
                self._ways, self._said = [], ""
                self._offer_ways()
            self.pane.open("verdict")

    @on(OptionList.OptionSelected, "#attempts OptionList")
    def open_attempt(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if not self._versions:
            return
        from tutor.ui.lab.attempt_screen import AttemptScreen

        def restore(version: Version | None) -> None:
            if version is None:
                return
            self.document.restore(version.source)
            self._refresh_attempts()
            self.panes.show_side("editor")
            if version.attempt is not None:
                self._show_attempt(version.attempt)
            self.say(
                f"The text of {format_moment(version.at)} is back in the editor. What was there is "
                f"the newest one under {key_of(self, 'lab.attempts')}; Ctrl+Z brings it back too."
            )

        screen = AttemptScreen(self._versions, event.option_index, self.document.editor.text)
        self.app.push_screen(screen, restore)

    # ---- keys: judging

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next":
            return self._next is not None
        if action == "access":  # of what a kernel loads and stores
            return hasattr(self, "exercise") and self.exercise.kind == "kernel"
        if action == "break_it":  # whose arguments a short call can say
            return hasattr(self, "exercise") and self.exercise.takes_cases
        if action == "ladder":  # of a function of tensors; others are given graphs and schedules
            return hasattr(self, "exercise") and self.exercise.kind in _LOWERED
        return True

    def action_check(self) -> None:
        """Save, and judge the newest text. This stops a running judgement."""
        if self.document.save():
            self._submit()

    def action_stop(self) -> None:
        self.judgement.stop()

    # ---- keys: pages

    def action_page(self, page: str) -> None:
        wanted = self.pane.find_page(page)
        if not wanted.offered:
            self.say(wanted.refusal)
            return
        if page == "attempts":
            self.document.keep()
            self._refresh_attempts()
        if page == self.pane.page == SolutionPage.NAME:
            self.pane.of(SolutionPage).switch()
        self.pane.open(page)
        self.panes.show_side("pane")

    def action_hint(self) -> None:
        """Show one step more each time: what the last verdict knows, the author's sentence on it, the
        same change in another exercise, the hints, and at last the change itself."""
        shown, hints = self._hints_shown, self.pane.of(HintsPage)
        again = self.pane.page == "hints" or not (shown or hints.cause)
        if again and shown and not hints.more_to_come:
            self.say("These are all the hints there are.")
        elif again and not hints.show_sentence() and not hints.show_same_edit():
            if shown == len(self.exercise.hints):
                hints.show_change()
            if shown < len(self.exercise.hints):
                shown += 1
                try:
                    self.tutor.record.activity.hint_shown(self.slug, shown)
                except UsageError as error:
                    self.say(str(error), wrong=True)
            hints.show(shown)
        self.pane.open("hints")
        if self.panes.one_at_a_time:
            self.panes.show_side("pane")

    def action_go_to_line(self) -> None:
        """Move the cursor to the line that the verdict names."""
        report = self.judgement.report
        line = next(iter(report.lines), None)
        if line is None:
            check = key_of(self, "lab.check")
            judged = report.verdict is not None
            self.say(
                "The verdict names no line."
                if judged
                else f"No verdict yet: {check} checks your file."
            )
            return
        self.panes.show_side("editor")
        self.document.editor.go(line - 1)

    def action_detail(self) -> None:
        self.detail = not self.detail
        self.pane.open("verdict")
        self.judgement.draw_soon()
        if self.panes.one_at_a_time:
            self.panes.show_side("pane")

    def action_copy(self) -> None:
        """Copy the verdict as text if it is visible, else the learner's file."""
        report = self.judgement.report
        if self.pane.page == VerdictPage.NAME and report.verdict is not None:
            text = draw_lines(write_document(report), plain=False, verbose=True)
            self.copy("\n".join(text) + "\n", "The verdict")
        else:
            self.copy(self.document.editor.text, self.document.work.path.name)

    def action_scroll(self, pages: int) -> None:
        for part in self.pane.find_page(self.pane.page).query(VerticalScroll):
            movement.scroll_page(part, pages)

    # ---- keys: panes

    def action_panes(self, name: str) -> None:
        """Go to the "editor", the learner's "own" one or the "other" pane, "zoom", open the editor's
        "menu" or the list of each "runner"."""
        match name:
            case "editor":
                self.panes.show_side("editor")
            case "other":
                self.panes.show_side("pane" if self.panes.in_editor else "editor")
            case "own":
                self.document.open_in_own_editor()
            case "zoom":
                self.panes.zoom()
            case "menu":
                self.panes.open_menu()
            case "runner":
                from tutor.ui.lab.runner_choice import choose_runner

                choose_runner(self, self.judgement)

    def action_resize(self, step: int) -> None:
        self.panes.resize(step)

    def action_in_editor(self, name: str) -> None:
        self.panes.do_in_editor(name)

    # ---- keys: other screens

    def action_ladder(self) -> None:
        """Open the ladder with the editor's text, and earlier attempts for a comparison.

        If the text lacks the exercise's function, the ladder has the last one and asks for inputs."""
        from tutor.xray.model.subject import OtherText, Subject, functions

        source, name, slug = self.document.editor.text, self.exercise.entry_name, self.slug
        defined = [function.name for function in functions(source)]
        if defined and name not in defined:
            name, slug = defined[-1], ""
        others = [OtherText(label, text) for text, label in name_attempts(self.attempts).items()]
        if self.slug in self.tutor.record.activity.passed_exercises():
            solution = self.exercise.solution.read_text(encoding="utf-8")
            others.insert(0, OtherText("the worked solution", solution))
        subject = Subject(
            str(self.document.work.path),
            source,
            name,
            target=self.tutor.config.target,
            versions=tuple(others[:20]),
        )
        self.tutor.open("ladder", subject, slug, None, lambda: self.document.editor.text)

    def action_access(self) -> None:
        """Open the access map: of the small example if the verdict has one, else of the first wrong
        case."""
        source, report = self.document.editor.text, self.judgement.report
        judged = report.source == source
        example = report.verdict.example if judged and report.verdict else None
        example = example if example and example.is_complete else None
        wrong = [case.name for case in report.cases if not case.passed]
        case = wrong[0] if wrong and judged and not example else ""
        self.tutor.open("access", self.slug, source, str(self.document.work.path), case, example)

    def action_says(self) -> None:
        """Ask what the learner's right program does."""
        source = self.judgement.report.source
        verdict = self.judgement.report.verdict
        if self.exercise.kind != "kernel":
            self.say("Questions are asked about Triton kernels; this exercise has none of yours.")
        elif verdict is None or not verdict.passed:
            self.say("Once your kernel is right, there are questions about it here.")
        elif not self.tutor.record.program_answers.open_count(self.slug):
            self.say("The questions about this pass are answered.")
        else:
            self.tutor.open("says", self.slug, source, str(self.document.work.path))

    def action_break_it(self) -> None:
        """Open the learner's cases for this exercise."""
        self.document.keep()
        self.tutor.open("break", self.slug)

    def on_screen_resume(self) -> None:
        """Offer what is left to ask after the questions about a right program."""
        verdict = self.judgement.report.verdict if hasattr(self, "judgement") else None
        if verdict and verdict.passed:
            self._said = say_first_pass(self.tutor.record, self.slug) if self._said else ""
            self._offer_ways()

    def _offer_ways(self) -> None:
        """Show the ways to go on from a right answer, first to the questions about it."""
        left = 0
        if self.exercise.kind == "kernel":
            left = self.tutor.record.program_answers.open_count(self.slug)
        page = self.pane.of(VerdictPage)
        page.show_next([*([says_way(left)] if left else []), *self._ways], self._said)
        self.judgement.draw_soon()

    def action_next(self) -> None:
        step = self._next
        if step is not None:
            self.put_away()
            if isinstance(step, Quiz):
                target = f"quiz:{step.day}"
            else:
                target = f"exercise:{step.slug}/{max(step.day, self._day)}"
            self.tutor.open(target, replace=True)

    def action_leave(self) -> None:
        self.put_away()
        self.app.pop_screen()

    def put_away(self) -> None:
        """Stop judging and store the texts. Called before the screen is removed."""
        self.judgement.call.stop()
        self.scratch.put_away()
        self.document.put_away()


def _describe_saved(document: Document) -> tuple[str, str]:
    """A text on the difference between the editor and the file, and its colour."""
    if document.editor.read_only:
        return "cannot be edited here", "$warning"
    if document.unsaved:
        return "● unsaved", "$accent"
    saved = f"saved {document.saved_at:%H:%M:%S}" if document.saved_at else "saved"
    return saved, "$foreground 70%"


def review_lab(
    record: Record, exercise: Exercise, twist: Twist, mode: LabMode | None = None
) -> LabScreen:
    """The lab of a review, from the start. Its verdict is recorded like any other and rates the card.

    With the `mode` of an earlier lab of the same review it goes on there. Raises `UsageError` if the
    file cannot be written."""
    return LabScreen(exercise.slug, mode or review_mode(record, exercise, twist))
