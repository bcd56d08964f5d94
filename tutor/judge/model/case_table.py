"""The table that says which case of a learner's refuses which wrong answer. No torch."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PlayedCase:
    """A case that was played. `inputs`: its arguments in words. `refused`: why it does not count, ""
    where every right answer survives it; `promise`: the words of the task that it breaks then, ""
    for a case that a right answer does not survive though nothing forbids it."""

    text: str
    inputs: str = ""
    refused: str = ""
    promise: str = ""


@dataclass(frozen=True)
class Mistake:
    """A wrong answer. `says` is what a learner may know of it, `look` the words of the task that it
    breaks.

    `killed_by` are the numbers of the cases that refuse it, from 1. `shown`: one of the exercise's own
    cases refuses it too; None: nobody asked.
    """

    name: str
    says: str
    look: str = ""
    killed_by: tuple[int, ...] = ()
    shown: bool | None = None

    @property
    def lives(self) -> bool:
        return not self.killed_by


@dataclass(frozen=True)
class Hole:
    """A case within the task's promises that refuses an answer which our own cases accept. `answer`
    names it, `case` is the case's text."""

    case: str
    answer: str
    why: str = ""


@dataclass(frozen=True)
class CaseTable:
    """Cases against answers. `right` counts the right answers that were played, `own` are the numbers of
    the cases that refuse the learner's own program, None where there was none. `processor_seconds`: of
    the server and its workers together."""

    exercise: str
    cases: tuple[PlayedCase, ...]
    mistakes: tuple[Mistake, ...] = ()
    right: int = 0
    own: tuple[int, ...] | None = None
    holes: tuple[Hole, ...] = field(default=())
    processor_seconds: float = 0.0

    @property
    def killable(self) -> tuple[Mistake, ...]:
        """The mistakes that a case can show: not those that only another look at the program does."""
        return tuple(m for m in self.mistakes if m.shown is not False or m.killed_by)

    @property
    def killed(self) -> tuple[Mistake, ...]:
        return tuple(m for m in self.killable if m.killed_by)

    @property
    def living(self) -> tuple[Mistake, ...]:
        return tuple(m for m in self.killable if not m.killed_by)

    @property
    def refused(self) -> tuple[PlayedCase, ...]:
        return tuple(case for case in self.cases if case.refused)

    @property
    def valid(self) -> int:
        """How many cases count."""
        return len(self.cases) - len(self.refused)
