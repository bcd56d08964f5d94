"""Judging in the lab. The newest text wins, events are shown at once, and typing never waits."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

from textual.app import App
from textual.timer import Timer

from tutor.base.errors import CannotHere, UsageError
from tutor.base.runner_table import LOCAL
from tutor.course.model import EXTRAS_OF_KINDS, Exercise
from tutor.judge import workspace
from tutor.judge.client import Event, Provisional, Started, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.reports.kept_attempt import kept_attempt
from tutor.judge.reports.report import Report
from tutor.judge.twists.asked import hold_to_twist
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import FollowsRecord, TutorScreen
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.keys.key_labels import key_of

REDRAW_SECONDS = 0.1
LATEST_SECONDS = 0.5  # while letters are typed
_WAITING = "waiting for the judge"

F = TypeVar("F")


@dataclass(frozen=True)
class _Judged(Generic[F]):
    event: Event
    findings: F | None = None  # with a verdict


class Judgement(Generic[F]):
    """Judges texts of `exercise` for `screen`. `report` is the state of the newest one.

    `draw` is called when the report has changed. A verdict is stored in the thread that reads the
    judge; there `look_up` reads what the screen shows with it, and then `concluded` is called with both
    in the application's thread. A right text that is not written by the twist number `twist` is not
    passed (0: none is asked for).
    """

    def __init__(
        self,
        screen: TutorScreen,
        exercise: Exercise,
        draw: Callable[[], None],
        look_up: Callable[[Services, Verdict], F],
        concluded: Callable[[Verdict, F], None],
        twist: int = 0,
    ) -> None:
        self.report = Report()
        self.starter = workspace.read_learner_file(exercise.starter)
        self.device = ""
        self.call: JudgeCall[_Judged[F]] = JudgeCall(screen, "The judge")
        self._screen, self._exercise, self._twist = screen, exercise, twist
        self._draw, self._look_up, self._concluded = draw, look_up, concluded
        self._redraw: Timer | None = None
        self._latest = 0.0  # of `monotonic`: when `_redraw` fires at last
        self._clock: Timer | None = None  # counts the seconds while there is no verdict
        self._since = 0.0  # of `monotonic`

    @property
    def where(self) -> str:
        """The machine of the verdict: a runner's name and the device, as far as they are known."""
        runner = self._screen.tutor.config.judge_runner
        return " · ".join(filter(None, ("" if runner == LOCAL else runner, self.device)))

    @property
    def running(self) -> bool:
        sought = bool(self.report.progress)  # a change that mends the answer
        return self.call.running and (self.report.verdict is None or sought)

    def submit(self, source: str, path: Path) -> None:
        """Judge `source`. This stops a judgement or a cell that is running."""
        self._cancel()
        self.show(Report(source, self.starter, progress=_WAITING))
        self._since = monotonic()
        if self._clock is None:
            self._clock = self._screen.set_interval(1.0, self._count)
        tutor = self._screen.tutor  # a screen that is gone no longer finds it
        submission = Submission(self._exercise.slug, source, str(path), explain=True)

        def read() -> Iterator[_Judged[F]]:
            shown = False  # a wrong answer's verdict, before what mends it was sought
            for event in tutor.judge.submit(submission):
                if isinstance(event, Verdict):
                    event = hold_to_twist(event, self._twist)
                newest = turn is self.call.turn and not self._screen.is_left
                shown |= newest and isinstance(event, Provisional)
                # Of the others those are stored whose verdict was known when the learner left or
                # submitted again: a right one may have been timed, a wrong one may have been shown.
                if not isinstance(event, Verdict) or not (newest or shown or event.passed):
                    yield _Judged(event)
                    continue
                self._keep(tutor, source, event)
                yield _Judged(event, self._look_up(tutor, event) if newest else None)

        turn = Turn(read, self._take, self._end, partial(self._note_late, self._screen.app))
        self.call.start(turn)

    def stop(self) -> None:
        """Stop judging; nothing is recorded."""
        if not self.running:
            self._screen.say("Nothing is being judged.")
        elif self.report.timing or self.report.verdict:  # the verdict follows with what is known
            self._cancel()
        else:
            self.call.stop()
            self.show(Report(source=self.report.source, trouble="Stopped."))

    def prepare(self) -> None:
        """Let the judge compile the code for the comparison of times, or import the extra that the
        kind needs. The learner reads meanwhile."""
        judge, slug = self._screen.tutor.judge, self._exercise.slug
        if self._exercise.kind in ("compiled", "pass", *EXTRAS_OF_KINDS) or judge.may_have_gpu:

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
            self._latest = monotonic() + LATEST_SECONDS

    def put_off(self) -> None:
        """Put off a drawing that is due: a letter was typed, and the next one may come just then."""
        if self._redraw is not None and monotonic() < self._latest - REDRAW_SECONDS:
            self._redraw.reset()

    @property
    def redraw_pending(self) -> bool:
        return self._redraw is not None

    def _draw_now(self) -> None:
        self._redraw = None
        self._draw()

    def _count(self) -> None:
        """Tell the seconds so far."""
        if self.call.running and self.report.verdict is None:
            self.show(replace(self.report, seconds=int(monotonic() - self._since)))
        elif self._clock is not None:
            self._clock.stop()
            self._clock = None

    # ---- events

    @staticmethod
    def _note_late(app: App[Any], judged: _Judged[F]) -> None:
        """A verdict came after the learner had left: what shows the record reads it anew."""
        if isinstance(judged.event, Verdict) and isinstance(app.screen, FollowsRecord):
            app.call_later(app.screen.record_changed)

    def _cancel(self) -> None:
        self._screen.tutor.judge.cancel()

    def _take(self, judged: list[_Judged[F]]) -> None:
        for item in judged:
            event = item.event
            if isinstance(event, Started):  # for the second time, if a runner was lost
                self.device = event.device
                doing = self.report.progress
                self.report = Report(
                    self.report.source,
                    self.starter,
                    "" if doing == _WAITING else doing,
                    limit=event.seconds,
                )
                self._since = monotonic()
                continue
            self.report = self.report.after(event)
            if isinstance(event, Verdict):
                self.device = event.device
                if item.findings is not None:
                    self._concluded(event, item.findings)
        self.draw_soon()

    def _end(self, trouble: str) -> None:
        if self.report.verdict is None:
            trouble = trouble or "The judge ended before it had a verdict."
            if self._screen.tutor.judge.runner:
                key = key_of(self._screen, "lab.runner")
                trouble += f" · {key} chooses the machine; this one works without it"
            self.show(Report(source=self.report.source, trouble=trouble))
        elif self.report.progress:  # the verdict so far is all there is
            self.show(replace(self.report, progress=""))

    def _keep(self, tutor: Services, source: str, verdict: Verdict) -> None:
        judged = kept_attempt(source, self.starter, verdict)
        if judged is None:
            return
        try:
            tutor.record.activity.attempt(judged)
        except UsageError as error:  # the verdict is valid, but not stored
            self._screen.call_later(self._screen.say, str(error), wrong=True)
