"""Rows of the record that the lab shows next to a verdict."""

from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tutor.course.model import Exercise
from tutor.judge.model.verdict import Verdict
from tutor.memory.first_pass import say_first_pass
from tutor.memory.store.rows import Attempt
from tutor.ui.kit.core.services import Services
from tutor.ui.lab.mode import LabMode
from tutor.ui.lab.next_step import Step, find_next_step
from tutor.ui.lab.pages.versions import Version, list_versions

_MANY = 4  # wrong answers in a row, after which the next hint is offered


@dataclass(frozen=True)
class Findings:
    """Attempts and texts, newest first, and the next step with its label. `first_pass` is a sentence on
    the first right answer; `stuck`: as many answers as `_MANY` were wrong in a row, the last hint before
    them."""

    attempts: tuple[Attempt, ...]
    versions: tuple[Version, ...]
    step: tuple[str, Step] | None = None
    first_pass: str = ""
    stuck: bool = False


def look_up(
    tutor: Services, mode: LabMode, exercise: Exercise, path: Path, verdict: Verdict | None = None
) -> Findings:
    """Read the rows about the file `path`; with a right verdict also the next step.

    Call it in a thread while the learner may be typing.
    """
    attempts = mode.attempts(tutor.record, exercise.slug)
    edits = mode.edits(tutor.record, exercise.slug, path)
    goes_on = verdict is not None and verdict.passed and not mode.for_review
    step = (
        find_next_step(tutor.course, tutor.record, exercise, mode.day or exercise.day)
        if goes_on
        else None
    )
    first_pass = say_first_pass(tutor.record, exercise.slug) if goes_on else ""
    wrong = len(list(takewhile(lambda attempt: not attempt.passed, attempts)))
    hinted = tutor.record.activity.newest_hint(exercise.slug)
    since = sum(hinted is None or attempt.at > hinted for attempt in attempts[:wrong])
    stuck = verdict is not None and not verdict.passed and since >= _MANY
    return Findings(attempts, list_versions(attempts, edits), step, first_pass, stuck)
