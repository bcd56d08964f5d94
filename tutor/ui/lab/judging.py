"""Saving and judging: the newest text wins, events are shown as they come, typing never waits."""

from contextlib import suppress
from dataclasses import dataclass

from textual import on, work
from textual.message import Message
from textual.worker import Worker, WorkerState

from tutor.base.errors import CannotHere, UsageError
from tutor.hardware import presence
from tutor.judge.client import Event, Started, Submission
from tutor.judge.model.verdict import Verdict, to_json
from tutor.ui.lab.document import FileScreen
from tutor.ui.verdict.verdict_view import Report


@dataclass
class Judged(Message):
    """An event of submission number `turn`, of the text `source`, or the sentence why there will be
    none."""

    turn: int
    source: str
    event: Event | None = None
    trouble: str = ""


class JudgingScreen(FileScreen):
    """A screen whose file is judged. `report` is what is known of the newest submission."""

    def __init__(self) -> None:
        super().__init__()
        self.report = Report()
        self.device = ""
        self.judging = False
        self._turn = 0

    def report_changed(self) -> None:
        """Called when there is more to show."""

    def concluded(self, verdict: Verdict) -> None:
        """Called with a verdict, once it is in the record."""

    def action_check(self) -> None:
        """Save, and have the newest text judged; a judgement under way gives way to it."""
        if self.save():
            self.submit()

    def file_changed_outside(self, text: str) -> None:
        if self.tutor.config.judge_on_save:
            self.submit()

    def submit(self) -> None:
        self.tutor.judge.cancel()
        self._turn += 1
        self.judging = True
        self.report = Report(source=self.editor.text, progress="waiting for the judge")
        self.report_changed()
        self._judge(
            self._turn, Submission(self.exercise.slug, self.report.source, str(self.work.path))
        )

    def action_stop(self) -> None:
        """Stop judging; nothing is recorded."""
        if not self.judging:
            self.say("Nothing is being judged.")
            return
        if self.report.timing:  # it is right: the verdict comes, without the times still missing
            self.tutor.judge.cancel()
            return
        self.stop_judging()
        self.report = Report(source=self.report.source, trouble="Stopped.")
        self.report_changed()

    def stop_judging(self) -> None:
        self._turn += 1
        if self.judging:
            self.judging = False
            self.tutor.judge.cancel()

    @work(thread=True, group="judge", exit_on_error=False)
    def _judge(self, turn: int, submission: Submission) -> None:
        """In a thread: the judge's calls block. An outdated submission is stopped, and its events
        are read to their end, because the next one waits for that."""
        if turn != self._turn:
            return
        trouble = "The judge ended before it had a verdict."
        app, judge = self.app, self.tutor.judge  # the screen may be gone before the events end
        try:
            for event in judge.submit(submission):
                if turn == self._turn and self.post_message(Judged(turn, submission.source, event)):
                    continue
                judge.cancel()
                if isinstance(event, Verdict) and event.passed:  # stopped while its time was taken
                    app.call_from_thread(self._keep_attempt, submission.source, event)
        except (CannotHere, UsageError) as error:
            trouble = str(error)
        # Of no account after a verdict.
        self.post_message(Judged(turn, submission.source, trouble=trouble))

    @on(Worker.StateChanged)
    def judge_failed(self, event: Worker.StateChanged) -> None:
        """A fault in this program must not look like judging without end."""
        if event.worker.group == "judge" and event.state == WorkerState.ERROR:
            trouble = f"The judge failed: {event.worker.error!r}"
            self.post_message(Judged(self._turn, self.report.source, trouble=trouble))

    @on(Judged)
    def judged(self, message: Judged) -> None:
        message.stop()
        event = message.event
        if message.turn != self._turn or not self.judging:
            if isinstance(event, Verdict) and event.passed:  # it came as the screen was left
                self._keep_attempt(message.source, event)
            return
        if event is None:
            self.judging = False
            self.report = Report(source=self.report.source, trouble=message.trouble)
        elif isinstance(event, Started):
            self.device = event.device
        else:
            self.report = self.report.after(event)
            if isinstance(event, Verdict):
                self._conclude(event)
        self.report_changed()

    def _conclude(self, verdict: Verdict) -> None:
        self.judging = False
        self.device = verdict.device
        self._keep_attempt(self.report.source, verdict)
        self.concluded(verdict)

    def _keep_attempt(self, source: str, verdict: Verdict) -> None:
        try:
            self.tutor.record.activity.attempt(
                self.exercise.slug, source, to_json(verdict), verdict.passed, verdict.device
            )
        except UsageError as error:  # the verdict stands; that it is not kept must be said
            self.say(str(error), wrong=True)

    @work(thread=True, group="prepare", exit_on_error=False)
    def prepare_timing(self) -> None:
        """What a time will be compared with takes seconds to compile: while the task is read."""
        if self.exercise.kind == "compiled" or presence.nvidia():
            with suppress(CannotHere, UsageError):  # said when something is judged
                self.tutor.judge.prepare(self.exercise.slug)
