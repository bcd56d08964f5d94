"""The two ways to open a lab: on the learner's file with its history, or from the start for a review."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from tutor.base import paths
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.memory.record import Record
from tutor.memory.review_session import Twist
from tutor.memory.store.rows import Attempt, Edit


@dataclass(frozen=True)
class LabMode:
    """A way to open a lab. `folder` has the file. A review shows only the attempts and edits with later
    ids than the given ones, and `twist` above the task. `day`: the day that the exercise is done for, a
    project for example; without it the exercise's own."""

    folder: Path = field(default_factory=paths.work_dir)
    for_review: bool = False
    twist: Twist | None = None
    attempts_after: int = -1
    edits_after: int = -1
    day: int | None = None

    def exercise(self, exercise: Exercise) -> Exercise:
        if self.twist is None:
            return exercise
        this_time = f"> **This time:** {self.twist.text}"
        return replace(exercise, task=f"{this_time}\n\n{exercise.task.strip()}")

    def attempts(self, record: Record, slug: str) -> tuple[Attempt, ...]:
        """The attempts that the lab offers, newest first."""
        return tuple(a for a in record.activity.attempts(slug) if a.id > self.attempts_after)

    def edits(self, record: Record, slug: str, path: Path) -> tuple[Edit, ...]:
        """The texts of the file that were recorded while it was written, newest first."""
        mine = (edit for edit in record.activity.edits(slug) if edit.path == str(path))
        return tuple(edit for edit in mine if edit.id > self.edits_after)

    def hints_shown(self, record: Record, slug: str) -> int:
        """Return how many hints the lab begins with; a review, without those of earlier answers."""
        activity = record.activity
        return activity.hints_shown(slug) if self.for_review else activity.hints_known(slug)

    def may_see_solution(self, record: Record, slug: str) -> bool:
        if self.for_review:
            return any(attempt.passed for attempt in self.attempts(record, slug))
        return slug in record.activity.passed_exercises()


def review_mode(record: Record, exercise: Exercise, twist: Twist) -> LabMode:
    """Start the exercise over in a file for reviews, so that the earlier answer stays as it is.

    An unfinished text of an earlier review goes to the record first. Raises `UsageError`.
    """
    folder = paths.work_dir() / "review"
    attempts_after = max((a.id for a in record.activity.attempts(exercise.slug)), default=-1)
    path = workspace.path_for(exercise, folder)
    if path.exists():
        record.activity.save_edit(exercise.slug, str(path), workspace.read_learner_file(path))
        workspace.write(path, workspace.read_learner_file(exercise.starter))
    edits_after = max((edit.id for edit in record.activity.edits(exercise.slug)), default=-1)
    return LabMode(folder, True, twist, attempts_after, edits_after)
