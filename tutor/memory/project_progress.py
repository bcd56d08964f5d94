"""The milestones of a project as the record knows them. Only reads."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tutor.course.model import Lesson, Milestone, Question
    from tutor.memory.record import Record
    from tutor.memory.store.rows import Answer, Attempt


class MilestoneProgress(NamedTuple):
    """A milestone with the learner's right answers: the first, the newest, and of those that were
    measured and believed the one with the shortest call. `tries`: attempts up to the first right one,
    and `mistakes`: the codes of their first findings, each with its number, the most frequent first."""

    milestone: "Milestone"
    tries: int
    first: "Attempt | None" = None
    newest: "Attempt | None" = None
    fastest: "Attempt | None" = None
    mistakes: tuple[tuple[str, int], ...] = ()

    @property
    def passed(self) -> bool:
        return self.first is not None


class WrittenAnswer(NamedTuple):
    """An answer in the learner's own words to an open question of the project's day."""

    question: "Question"
    answer: "Answer"
    text: str


def list_milestones(
    record: "Record", lesson: "Lesson", project: str = ""
) -> tuple[MilestoneProgress, ...]:
    """Return the progress of each milestone of a project's lesson, in their order. `project`: the one
    that counts, where the day has several to choose from."""
    return tuple(
        _progress(record, milestone)
        for milestone in lesson.milestones
        if milestone.project in ("", project)
    )


def find_written_answers(
    record: "Record", questions: "Iterable[Question]"
) -> tuple[WrittenAnswer, ...]:
    """Return the newest text for each open question that was answered with one."""
    written = []
    for question in questions:
        if question.kind == "open" and (answer := record.activity.last_answer(question.id)):
            value = answer.value.get("text") if isinstance(answer.value, dict) else answer.value
            if isinstance(value, str) and value.strip():
                written.append(WrittenAnswer(question, answer, value.strip()))
    return tuple(written)


def _progress(record: "Record", milestone: "Milestone") -> MilestoneProgress:
    attempts = record.activity.attempts(milestone.exercise)[::-1]  # oldest first
    right = [attempt for attempt in attempts if attempt.passed]
    if not right:
        return MilestoneProgress(milestone, len(attempts), mistakes=_mistakes(attempts))
    tries = attempts.index(right[0]) + 1
    measured = [(ms, attempt) for attempt in right if (ms := _median_ms(attempt)) is not None]
    fastest = min(measured, key=lambda pair: pair[0])[1] if measured else None
    mistakes = _mistakes(attempts[:tries])
    return MilestoneProgress(milestone, tries, right[0], right[-1], fastest, mistakes)


def _mistakes(attempts: "Iterable[Attempt]") -> tuple[tuple[str, int], ...]:
    """Count the codes of the first findings, for those verdicts that have any."""
    findings = [attempt.verdict.get("diagnosis") or [{}] for attempt in attempts]
    codes = [rows[0].get("code") for rows in findings if isinstance(rows[0], dict)]
    return tuple(Counter(code for code in codes if isinstance(code, str)).most_common())


def _median_ms(attempt: "Attempt") -> float | None:
    """Return the measured time of a call; None where none was measured or it is not believed."""
    timing = attempt.verdict.get("timing") or {}
    median = (timing.get("learner") or {}).get("median_ms")
    believed = timing.get("believed", True)
    return float(median) if believed and isinstance(median, int | float) and median > 0 else None
