"""The lab of a review: from the starter once more, with a twist, without what was handed in before."""

from dataclasses import replace
from pathlib import Path

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.memory import Attempt, Edit
from tutor.ui.lab.pages.verdict import COMPARE, VerdictPage
from tutor.ui.lab.screen import LabScreen

PLAIN_TWIST = "From the starter, without a look at what you wrote then."


class ReviewLab(LabScreen):
    """Works on a file of its own, so that the learner's earlier answer stays as it is. The verdict
    goes into the record as every attempt does; that is what rates the card."""

    def __init__(self, slug: str, twist: str) -> None:
        super().__init__(slug)
        self.twist = twist
        self._before: frozenset[int] = frozenset()
        self._edit_before = 0

    def on_mount(self) -> None:
        attempts = self.tutor.record.activity.attempts(self.slug)
        self._before = frozenset(attempt.id for attempt in attempts)
        try:
            self._start_over()
        except UsageError as error:
            self.say(str(error), wrong=True)
            self.app.pop_screen()
            return
        self._edit_before = max(
            (e.id for e in self.tutor.record.activity.edits(self.slug)), default=0
        )
        super().on_mount()

    def find_exercise(self) -> Exercise:
        exercise = super().find_exercise()
        return replace(exercise, task=f"> **This time:** {self.twist}\n\n{exercise.task.strip()}")

    @property
    def folder(self) -> Path:
        return paths.work_dir() / "review"

    def _start_over(self) -> None:
        """The starter again. An unfinished text of an earlier review is in the record already."""
        path = workspace.path_for(self.exercise, self.folder)
        if path.exists():
            self.tutor.record.activity.save_edit(self.slug, str(path), workspace.read(path))
            workspace.write(path, workspace.read(self.exercise.starter))

    @property
    def may_see_solution(self) -> bool:
        return any(attempt.passed for attempt in self.attempts_shown())

    def attempts_shown(self) -> tuple[Attempt, ...]:
        attempts = self.tutor.record.activity.attempts(self.slug)
        return tuple(attempt for attempt in attempts if attempt.id not in self._before)

    def edits_shown(self) -> tuple[Edit, ...]:
        return tuple(edit for edit in super().edits_shown() if edit.id > self._edit_before)

    def show_next(self) -> None:
        self.pane.of(VerdictPage).show_next([("lab.leave", "go on with the review"), COMPARE])


def twist_of(exercise: Exercise, reviews: int) -> str:
    """What to do otherwise at a card's review number `reviews`: each twist in its turn."""
    return exercise.twists[reviews % len(exercise.twists)] if exercise.twists else PLAIN_TWIST
