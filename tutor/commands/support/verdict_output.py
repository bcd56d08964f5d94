"""A submission in a command: its progress, its verdict in lines, its row in the record."""

from typing import TYPE_CHECKING

from tutor.base.errors import StorageError, UsageError
from tutor.commands.support import progress_line
from tutor.commands.support.console import say
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.judge.client import Judge, Progress, Provisional, Submission
from tutor.judge.model.verdict import CaseResult, Timing, Verdict
from tutor.judge.reports.kept_attempt import kept_attempt
from tutor.judge.reports.timing_text import summarize_timing
from tutor.judge.reports.verdict_text import format_headline, format_repair, format_verdict

if TYPE_CHECKING:
    from tutor.memory.record import Record


class Early:
    """Print what is known before the final verdict: the first line of a report as soon as the answer is
    right in every case; the whole report of a wrong answer, before a change is sought that mends it."""

    def __init__(
        self, exercise: Exercise, source: str, plain: bool = False, verbose: bool = False
    ) -> None:
        self._exercise, self._source = exercise, source
        self._plain, self._verbose = plain, verbose
        self._said: Verdict | None = None
        self.lost: Exception | None = None  # why it could not be printed

    def report(self, verdict: Verdict) -> list[str]:
        """Return the lines of the whole report."""
        return report_on(self._exercise, verdict, self._source, self._plain, self._verbose)

    def say(self, verdict: Verdict) -> None:
        self._said = verdict
        try:
            say(*([format_headline(verdict)] if verdict.passed else self.report(verdict)))
        except (
            BrokenPipeError,
            StorageError,
        ) as error:  # the verdict is made, and kept, all the same
            self.lost = error

    def rest(self, verdict: Verdict) -> list[str]:
        """Return the lines of the report that are not printed yet: all of them, if a fault was found
        after the first."""
        if self._said is None or self._said.passed > verdict.passed:
            return self.report(verdict)
        if verdict.passed:
            return self.report(verdict)[1:]
        return ["", *format_repair(verdict, self._source)] if verdict.repair else []


def submit_and_wait(
    judge: Judge, submission: Submission, quiet: bool = False, early: Early | None = None
) -> Verdict:
    """Submit, show the progress, and return the verdict."""
    holds = "there is no verdict, and nothing was recorded"
    with progress_line.ProgressLine("judging", holds=holds, log=not quiet) as at:
        for event in judge.submit(submission):
            if isinstance(event, Progress):
                at.say(event.text)
            elif isinstance(event, Timing):
                at.refine(summarize_timing(event))  # the times so far
            elif isinstance(event, CaseResult):
                at.refine(f"“{event.name}” is {'right' if event.passed else 'wrong'}")
            elif isinstance(event, Provisional) and early:
                with at.pause():
                    early.say(event.verdict)
            elif isinstance(event, Verdict):
                return event
    raise UsageError("the judge gave no verdict; please report this with judge.log")


def report_on(
    exercise: Exercise, verdict: Verdict, source: str, plain: bool = False, verbose: bool = False
) -> list[str]:
    """Return the lines of a verdict on an answer to the exercise."""
    return format_verdict(
        verdict, source, plain, verbose, workspace.read_learner_file(exercise.starter)
    )


def keep_attempt(record: "Record", exercise: Exercise, verdict: Verdict, source: str) -> None:
    """Store the attempt in the record, like an attempt in the lab; an untouched starter is none."""
    if judged := kept_attempt(source, workspace.read_learner_file(exercise.starter), verdict):
        record.activity.attempt(judged)
