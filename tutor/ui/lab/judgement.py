"""Judging in the lab. The newest text wins, events are shown at once, and typing never waits."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from textual.timer import Timer

from tutor.base.errors import CannotHere, UsageError
from tutor.base.runner_table import LOCAL
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.judge.client import Event, Started, Submission
from tutor.judge.model.verdict import Verdict, to_json
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.verdict.verdict_view import Report

REDRAW_SECONDS = 0.1


class Judgement:
    """Judges texts of `exercise` for `screen`. `report` is the state of the newest one.

    `draw` is called when the report has changed, `concluded` with a verdict that is in the record.
    """

    def __init__(
        self,
        screen: TutorScreen,
        exercise: Exercise,
        draw: Callable[[], None],
        concluded: Callable[[Verdict], None],
    ) -> None:
        self.report = Report()
        self.starter = workspace.read(exercise.starter)
        self.device = ""
        self.call: JudgeCall[Event] = JudgeCall(screen, "The judge")
        self._screen, self._exercise = screen, exercise
        self._draw, self._concluded = draw, concluded
        self._redraw: Timer | None = None

    @property
    def where(self) -> str:
        """The machine of the verdict: a runner's name and the device, as far as they are known."""
        runner = self._screen.tutor.config.judge_runner
        return " · ".join(filter(None, ("" if runner == LOCAL else runner, self.device)))

    @property
    def running(self) -> bool:
        return self.call.running and self.report.verdict is None

    def submit(self, source: str, path: Path) -> None:
        """Judge `source`. This stops a judgement or a cell that is running."""
        self._cancel()
        self.show(Report(source, self.starter, progress="waiting for the judge"))
        judge, submission = (
            self._screen.tutor.judge,
            Submission(self._exercise.slug, source, str(path)),
        )
        read, late = partial(judge.submit, submission), partial(self._keep_if_right, source)
        self.call.start(Turn(read, self._take, self._end, late))

    def stop(self) -> None:
        """Stop judging; nothing is recorded."""
        if not self.running:
            self._screen.say("Nothing is being judged.")
        elif self.report.timing:  # it is right: the verdict follows without the missing times
            self._cancel()
        else:
            self.call.stop()
            self.show(Report(source=self.report.source, trouble="Stopped."))

    def prepare(self) -> None:
        """Let the judge compile the code for the comparison of times. The learner reads meanwhile."""
        judge, slug = self._screen.tutor.judge, self._exercise.slug
        if self._exercise.kind == "compiled" or judge.may_have_gpu:

            def work() -> None:
                with suppress(CannotHere, UsageError):  # the next judgement shows it
                    judge.prepare(slug)

            self._screen.run_worker(work, thread=True, group="prepare", exit_on_error=False)

    # ---- drawing

    def show(self, report: Report) -> None:
        self.report = report
        self.draw_soon()

    def draw_soon(self) -> None:
        """Draw in a moment: a submission brings some twenty events within a third of a second, and
        typing must not wait for twenty drawings."""
        if self._redraw is None:
            self._redraw = self._screen.set_timer(REDRAW_SECONDS, self._draw_now)

    @property
    def redraw_pending(self) -> bool:
        return self._redraw is not None

    def _draw_now(self) -> None:
        self._redraw = None
        self._draw()

    # ---- events

    def _cancel(self) -> None:
        self._screen.tutor.judge.cancel()

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Started):  # for the second time, if a runner was lost
                self.device = event.device
                self.report = Report(self.report.source, self.starter, self.report.progress)
                continue
            self.report = self.report.after(event)
            if isinstance(event, Verdict):
                self.device = event.device
                self._keep(self.report.source, event)
                self._concluded(event)
        self.draw_soon()

    def _end(self, trouble: str) -> None:
        if self.report.verdict is None:
            trouble = trouble or "The judge ended before it had a verdict."
            if self._screen.tutor.judge.runner:
                key = key_of(self._screen, "lab.runner")
                trouble += f" · {key} chooses the machine; this one works without it"
            self.show(Report(source=self.report.source, trouble=trouble))

    def _keep_if_right(self, source: str, event: Event) -> None:
        """Store a right answer that was still timed when the learner left or stopped the judge."""
        if isinstance(event, Verdict) and event.passed:
            self._keep(source, event)

    def _keep(self, source: str, verdict: Verdict) -> None:
        try:
            self._screen.tutor.record.activity.attempt(
                self._exercise.slug, source, to_json(verdict), verdict.passed, verdict.device
            )
        except UsageError as error:  # the verdict is valid, but not stored
            self._screen.say(str(error), wrong=True)
