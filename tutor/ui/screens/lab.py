"""The lab: the learner's file on the left, what the judge says about it on the right."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Static

from tutor.course.model import Exercise
from tutor.errors import UsageError
from tutor.judge.verdict import Verdict, verdict_from_json
from tutor.memory import Attempt
from tutor.ui.keys import bindings
from tutor.ui.plain import bounded
from tutor.ui.screens.lab_judging import JudgingScreen
from tutor.ui.screens.quizzes import quiz_screen
from tutor.ui.widgets.bar import Bar
from tutor.ui.widgets.editor import CodeEditor
from tutor.ui.widgets.labpane import LabPane, when
from tutor.ui.widgets.verdict import Report, headline

REDRAW_SECONDS = 0.1


class LabScreen(JudgingScreen):
    """Opens the exercise `slug`. Wide: side by side; narrow: one pane at a time (F6)."""

    CSS_PATH = "lab.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("lab")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012

    def __init__(self, slug: str) -> None:
        super().__init__()
        self.slug = slug
        self.detail = False
        self._next: Screen[None] | None = None
        self._shown: tuple[object, ...] = ()
        self._can_go_on = False  # as the footer has it
        self._redraw: Timer | None = None
        self.pane_attempts: tuple[Attempt, ...] = ()

    def compose(self) -> ComposeResult:
        self.exercise: Exercise = self.find_exercise()
        yield Bar()
        with Horizontal(id="panes"):
            yield CodeEditor()
            yield LabPane(self.exercise)
        yield Static(id="strip")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.pane.show_hints(self.tutor.record.hints_shown(self.slug))
        self._refresh_attempts()
        if self.may_see_solution:
            self._show_solution()
        try:
            self.open_file()
        except UsageError as error:
            self.say(str(error), wrong=True)
            self.app.pop_screen()
            return
        if self.pane_attempts and self.pane_attempts[0].source == self.editor.text:
            self._show_attempt(self.pane_attempts[0])
        # A narrow screen begins with the task, until something was handed in.
        first_time = not self.pane_attempts and self.app.size.width < 100
        self.show_side("pane" if first_time else "editor")
        self.saved_state_changed()

    def find_exercise(self) -> Exercise:
        return self.tutor.course.exercise(self.slug)

    @property
    def may_see_solution(self) -> bool:
        return self.slug in self.tutor.record.passed_exercises()

    @property
    def pane(self) -> LabPane:
        return self.query_one(LabPane)

    # ---- the verdict

    def submit(self) -> None:
        self.pane.show_next(Content(""))
        self.pane.open("verdict")
        super().submit()

    def concluded(self, verdict: Verdict) -> None:
        self._refresh_attempts()
        if verdict.passed:
            self._show_solution()
            self.show_next()

    def report_changed(self) -> None:
        """Draw soon: a submission brings some twenty events within a third of a second, and typing
        must not wait for twenty drawings."""
        if self._redraw is None:
            self._redraw = self.set_timer(REDRAW_SECONDS, self._draw_report)

    @property
    def redraw_pending(self) -> bool:
        return self._redraw is not None

    def _draw_report(self) -> None:
        self._redraw = None
        self.pane.show_report(self.report, detail=self.detail)
        same = self.report.source == self.editor.text
        self.editor.mark(frozenset(self.report.lines) if same else frozenset())
        self.saved_state_changed()
        if self._can_go_on != (self._next is not None):
            self._can_go_on = not self._can_go_on
            self.refresh_bindings()  # composes the footer anew: only where it changes

    def saved_state_changed(self) -> None:
        """The line at the top and, where only the editor is seen, the headline below it."""
        if self.editor.read_only:
            state = ("cannot be edited here", "$warning")
        elif self.unsaved:
            state = ("● unsaved", "$accent")
        else:
            state = (
                f"saved {self.saved_at:%H:%M:%S}" if self.saved_at else "saved",
                "$foreground 60%",
            )
        if len(self.report.source.split("\n")) != self.editor.document.line_count:
            self.editor.mark(frozenset())  # lines have moved since
        line = headline(self.report)
        shown = (state, self.device, len(self.pane_attempts), line.plain)
        if shown == self._shown:
            return  # called at every key: nothing is laid out anew for nothing
        self._shown = shown
        done = len(self.pane_attempts)
        where = bounded(self.device, lines=1, columns=60)
        self.query_one(Bar).set_rows(
            (
                Content.assemble((self.slug, "bold"), f" · Day {self.exercise.day}"),
                Content.assemble(
                    (f"attempt {done} · " if done else "", "$foreground 60%"),
                    state,
                    (f" · {where}" if where else "", "$foreground 60%"),
                ),
            )
        )
        what_to_press = "   F6 shows the verdict" if line else "F5 saves and checks · F7 the task"
        where_to = Content.styled(what_to_press, "dim")
        self.query_one("#strip", Static).update(Content.assemble(line, where_to))

    def action_ladder(self) -> None:
        """What the text in the editor becomes, stage by stage; earlier attempts to compare with."""
        from tutor.ui.screens.ladder import LadderScreen
        from tutor.ui.subject import Subject, Version

        source = self.editor.text
        attempts = {a.source: f"your attempt, {when(a.at)}" for a in reversed(self.pane_attempts)}
        versions = [Version(label, text) for text, label in reversed(attempts.items())]
        if self.slug in self.tutor.record.passed_exercises():
            solution = self.exercise.solution.read_text(encoding="utf-8")
            versions.insert(0, Version("the worked solution", solution))
        subject = Subject(
            str(self.work.path), source, self.exercise.entry_name, versions=tuple(versions[:20])
        )
        self.app.push_screen(LadderScreen(subject, self.slug))

    # ---- what comes after

    def _refresh_attempts(self) -> None:
        self.pane_attempts = self.attempts_shown()
        self.pane.show_attempts(self.pane_attempts)

    def attempts_shown(self) -> tuple[Attempt, ...]:
        """What the page of attempts offers, newest first."""
        return self.tutor.record.attempts(self.slug)

    def _show_solution(self) -> None:
        try:
            text = self.exercise.solution.read_text(encoding="utf-8")
        except OSError:
            return
        self.pane.show_solution(text)

    def show_next(self) -> None:
        """Where to go from here: another exercise of the day, its questions, or the next day."""
        course, record, day = self.tutor.course, self.tutor.record, self.exercise.day
        passed = record.passed_exercises() | {self.slug}
        others = [e for e in course.exercises().values() if e.slug not in passed]
        today = [e for e in others if e.day == day]
        later = sorted((e for e in others if e.day > day), key=lambda e: (e.day, e.slug))
        quiz = course.quiz(day)
        answered = record.day_progress().get(day)
        if today:
            label = f"{today[0].title}, the other kernel of Day {day}"
            self._next = LabScreen(today[0].slug)
        elif quiz and not (answered and answered.questions_answered >= len(quiz.questions)):
            label = f"the {len(quiz.questions)} questions of Day {day}"
            self._next = quiz_screen(quiz)
        elif later:
            label = f"{later[0].title}, Day {later[0].day}"
            self._next = LabScreen(later[0].slug)
        else:
            label, self._next = "", None
        self.pane.show_next(
            Content.assemble(
                ("Next  ", "bold $primary") if label else "",
                (f"n  {label}\n" if label else ""),
                ("c  compares with a worked solution", "$foreground 70%"),
            )
        )

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next":
            return self._next is not None
        return True

    @property
    def one_at_a_time(self) -> bool:
        return self.has_class("-narrow") or self.has_class("-zoom")

    def show_side(self, side: str) -> None:
        """Give the keyboard to "editor" or "pane"; where only one is shown, show it."""
        self.set_class(side == "pane", "-pane")
        if side == "editor":
            self.editor.focus()
        else:
            self.pane.take_focus()

    def action_other_pane(self) -> None:
        self.show_side("pane" if self.editor.has_focus else "editor")

    def action_zoom(self) -> None:
        """One pane at a time on a wide screen too, or both again."""
        self.toggle_class("-zoom")
        self.set_class(not self.editor.has_focus, "-pane")

    def action_edit(self) -> None:
        self.show_side("editor")

    @on(CodeEditor.Left)
    def editor_left(self) -> None:
        self.show_side("pane")

    def action_page(self, page: str) -> None:
        if page == "solution" and not self.may_see_solution:
            self.say("The worked solution opens once yours is right. h has hints until then.")
            return
        self.pane.open(page)
        self.show_side("pane")

    def action_hint(self) -> None:
        """The next hint, or those shown so far where there are no more."""
        shown = self.tutor.record.hints_shown(self.slug)
        if self.pane.page == "hints" or not shown:
            if shown < len(self.exercise.hints):
                shown += 1
                try:
                    self.tutor.record.hint_shown(self.slug, shown)
                except UsageError as error:
                    self.say(str(error), wrong=True)
            self.pane.show_hints(shown)
        self.pane.open("hints")
        if self.one_at_a_time:
            self.show_side("pane")

    def action_go_to_line(self) -> None:
        """The cursor to the line that the verdict speaks of."""
        line = next(iter(self.report.lines), None)
        if line is None:
            self.say("The verdict names no line.")
            return
        self.show_side("editor")
        self.editor.move_cursor(self.editor.clamp_visitable((line - 1, 0)), center=True)

    def action_detail(self) -> None:
        self.detail = not self.detail
        self.pane.open("verdict")
        self.report_changed()
        if self.one_at_a_time:
            self.show_side("pane")

    def _show_attempt(self, attempt: Attempt) -> None:
        """The stored verdict on a text that is in the editor again."""
        try:
            verdict = verdict_from_json(attempt.verdict)
        except (KeyError, TypeError):  # another version wrote it
            return
        self.report = Report(source=attempt.source).after(verdict)
        self.pane.open("verdict")
        self.report_changed()

    @on(LabPane.Restore)
    def restore_attempt(self, message: LabPane.Restore) -> None:
        attempt = message.attempt
        self.restore(attempt.source)
        self.show_side("editor")
        self._show_attempt(attempt)
        self.say(f"The text of {when(attempt.at)} is back in the editor. Ctrl+Z undoes this.")

    def action_next(self) -> None:
        if self._next is not None:
            self._leave()
            self.app.switch_screen(self._next)

    def action_leave(self) -> None:
        self._leave()
        self.app.pop_screen()

    def _leave(self) -> None:
        self.stop_judging()
        self.put_away()
