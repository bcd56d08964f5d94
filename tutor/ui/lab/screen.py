"""The lab: the learner's file on the left, what the judge says about it on the right."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge.model.verdict import Verdict, verdict_from_json
from tutor.judge.reports.verdict_text import lines as report_lines
from tutor.memory import Attempt, Edit
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing
from tutor.ui.kit.text.phrases import when
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.lab.pages.attempts import AttemptsPage
from tutor.ui.lab.pages.hints import HintsPage
from tutor.ui.lab.pages.roofline import RooflinePage
from tutor.ui.lab.pages.side_pane import PageLine
from tutor.ui.lab.pages.solution import SolutionPage
from tutor.ui.lab.pages.verdict import COMPARE, VerdictPage, Way
from tutor.ui.lab.pages.versions import Version, versions
from tutor.ui.lab.scratch_runner import ScratchScreen
from tutor.ui.quizzes import quiz_screen
from tutor.ui.verdict.verdict_view import Report, headline

REDRAW_SECONDS = 0.1


class LabScreen(ScratchScreen):
    """Opens the exercise `slug`."""

    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("lab")

    def __init__(self, slug: str) -> None:
        super().__init__()
        self.slug = slug
        self.detail = False
        self._next: Screen[None] | None = None
        self._shown: tuple[object, ...] = ()
        self._can_go_on = False  # as the footer has it
        self._redraw: Timer | None = None
        self.pane_attempts: tuple[Attempt, ...] = ()
        self._versions: tuple[Version, ...] = ()

    def compose(self) -> ComposeResult:
        self.exercise: Exercise = self.find_exercise()
        yield Bar()
        yield from self.compose_panes()
        yield Static(id="strip")
        yield Footer()

    def on_mount(self) -> None:
        self.share_width()
        self.pane.of(HintsPage).show(self.tutor.record.activity.hints_shown(self.slug))
        if self.may_see_solution:
            self.pane.of(SolutionPage).show()
        try:
            self.open_file()
        except UsageError as error:
            self.say(str(error), wrong=True)
            self.app.pop_screen()
            return
        self._refresh_attempts()
        self.prepare_timing()
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
        return self.slug in self.tutor.record.activity.passed_exercises()

    # ---- the verdict

    def submit(self) -> None:
        self.pane.of(VerdictPage).show_next([])
        self.pane.open("verdict")
        super().submit()

    def concluded(self, verdict: Verdict) -> None:
        self._refresh_attempts()
        if verdict.passed:
            self.pane.of(SolutionPage).show()
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
        self.pane.report_changed(self.report, detail=self.detail)
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
                "$foreground 70%",
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
                    (f"attempt {done} · " if done else "", "$foreground 70%"),
                    state,
                    (f" · {where}" if where else "", "$foreground 70%"),
                ),
            )
        )
        where_to = Content.styled(self._from_the_editor(verdict=bool(line)), "dim")
        self.query_one("#strip", Static).update(Content.assemble(line, where_to))

    def keys_changed(self) -> None:
        self._shown = ()
        self.saved_state_changed()

    def _from_the_editor(self, *, verdict: bool) -> str:
        """Below the editor, where letters are text: what to press."""
        ids = ("editor.other", "lab.check", "editor.task")
        other, check, task = (key_while_typing(each, self.tutor.keymap) for each in ids)
        if verdict:
            return f"   {other} shows the verdict"
        return f"{check} saves and checks · {task} the task"

    def action_ladder(self) -> None:
        """What the text in the editor becomes, stage by stage; earlier attempts to compare with."""
        from tutor.ui.ladder.model.subject import Subject, Version
        from tutor.ui.ladder.screen import LadderScreen

        source = self.editor.text
        attempts = {a.source: f"your attempt, {when(a.at)}" for a in reversed(self.pane_attempts)}
        versions = [Version(label, text) for text, label in reversed(attempts.items())]
        if self.slug in self.tutor.record.activity.passed_exercises():
            solution = self.exercise.solution.read_text(encoding="utf-8")
            versions.insert(0, Version("the worked solution", solution))
        subject = Subject(
            str(self.work.path), source, self.exercise.entry_name,
            target=self.tutor.config.target, versions=tuple(versions[:20]),
        )  # fmt: skip
        self.app.push_screen(LadderScreen(subject, self.slug))

    def action_access(self) -> None:
        """What each program loads and stores; of the first wrong case, where there is one."""
        from tutor.ui.verdict.access_map import AccessScreen

        if self.exercise.kind != "kernel":
            self.say("This exercise has no kernel of yours, so there is no access map.")
            return
        source = self.editor.text
        wrong = [case.name for case in self.report.cases if not case.passed]
        case = wrong[0] if wrong and self.report.source == source else ""
        self.app.push_screen(AccessScreen(self.exercise.slug, source, str(self.work.path), case))

    # ---- what comes after

    def _refresh_attempts(self) -> None:
        self.pane_attempts = self.attempts_shown()
        self._versions = versions(self.pane_attempts, self.edits_shown())
        self.pane.of(AttemptsPage).show(self._versions)
        self.pane.of(RooflinePage).show(self.pane_attempts)

    def attempts_shown(self) -> tuple[Attempt, ...]:
        """What the page of attempts offers, newest first."""
        return self.tutor.record.activity.attempts(self.slug)

    def edits_shown(self) -> tuple[Edit, ...]:
        """What the record kept of this file while it was written, newest first."""
        mine = str(self.work.path)
        return tuple(e for e in self.tutor.record.activity.edits(self.slug) if e.path == mine)

    def show_next(self) -> None:
        """Where to go from here: another exercise of the day, its questions, or the next day."""
        course, record, day = self.tutor.course, self.tutor.record, self.exercise.day
        passed = record.activity.passed_exercises() | {self.slug}
        others = [e for e in course.exercises().values() if e.slug not in passed]
        today = [e for e in others if e.day == day]
        later = sorted((e for e in others if e.day > day), key=lambda e: (e.day, e.slug))
        quiz = course.quiz(day)
        answered = record.statistics.day_progress().get(day)
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
        onward: list[Way] = [("lab.next", f"next: {label}")] if label else []
        self.pane.of(VerdictPage).show_next([*onward, COMPARE])

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next":
            return self._next is not None
        return True

    def action_page(self, page: str) -> None:
        wanted = self.pane.named(page)
        if not wanted.offered:
            self.say(wanted.refusal)
            return
        if page == "attempts":
            self.keep()
            self._refresh_attempts()
        self.pane.open(page)
        self.show_side("pane")

    @on(PageLine.Open)
    def page_clicked(self, message: PageLine.Open) -> None:
        self.action_page(message.name)

    def action_hint(self) -> None:
        """What the last verdict says to look at; then the next hint, or those shown so far where
        there are no more."""
        shown = self.tutor.record.activity.hints_shown(self.slug)
        hints = self.pane.of(HintsPage)
        if self.pane.page == "hints" or not (shown or hints.cause):
            if shown < len(self.exercise.hints):
                shown += 1
                try:
                    self.tutor.record.activity.hint_shown(self.slug, shown)
                except UsageError as error:
                    self.say(str(error), wrong=True)
            hints.show(shown)
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
        self.editor.go(line - 1)

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

    @on(AttemptsPage.Open)
    def attempt_opened(self, message: AttemptsPage.Open) -> None:
        from tutor.ui.lab.attempt_screen import AttemptScreen

        screen = AttemptScreen(self._versions, message.index, self.editor.text)
        self.app.push_screen(screen, self._restore)

    def _restore(self, version: Version | None) -> None:
        if version is None:
            return
        self.restore(version.source)
        self._refresh_attempts()
        self.show_side("editor")
        if version.attempt is not None:
            self._show_attempt(version.attempt)
        self.say(
            f"The text of {when(version.at)} is back in the editor. What was there is the newest "
            f"one under {key_of(self, 'lab.attempts')}; Ctrl+Z brings it back too."
        )

    def action_copy(self) -> None:
        """The verdict in words where that is in sight, else the learner's file."""
        if self.pane.page == VerdictPage.NAME and self.report.verdict is not None:
            text = report_lines(self.report.verdict, self.report.source)
            self.copy("\n".join(text) + "\n", "The verdict")
        else:
            self.copy(self.editor.text, self.work.path.name)

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
