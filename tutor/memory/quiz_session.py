"""Progress in a series of questions. No screen in here."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tutor.course.model import AskedQuestion, Question
from tutor.course.reading.variants import draw_with
from tutor.memory.question_choice import to_ask

if TYPE_CHECKING:
    from tutor.memory.record import Record


@dataclass
class QuizSession:
    """A series of questions. `results`: question id -> (right, credit) of the answers in it."""

    questions: tuple[AskedQuestion, ...]
    results: dict[str, tuple[bool | None, float]] = field(default_factory=dict)

    @property
    def current(self) -> AskedQuestion | None:
        """The first question without an answer; None at the end."""
        return next((q for q in self.questions if q.id not in self.results), None)

    def add_answer(self, question: AskedQuestion, right: bool | None, credit: float) -> None:
        self.results[question.id] = (right, credit)

    @property
    def ungraded(self) -> int:
        """The number of ungraded answers: this machine could not compute the right ones."""
        return sum(
            1
            for q in self.questions
            if q.kind != "open" and self.results.get(q.id, (True, 0.0))[0] is None
        )

    @property
    def score(self) -> float:
        """The points: one for a right answer, a share for a partly right one."""
        return sum(credit for _, credit in self.results.values())

    @property
    def out_of(self) -> int:
        return len(self.questions) - self.ungraded

    @property
    def wrong(self) -> tuple[AskedQuestion, ...]:
        return tuple(q for q in self.questions if self.results.get(q.id, (True, 0.0))[0] is False)


def open_session(questions: tuple[Question, ...], record: "Record") -> QuizSession:
    """The unfinished session, or a new one. What it has asked keeps the numbers of its answer.

    A quiz asks its questions in order, so the newest answer marks the progress.
    """
    answers = [record.activity.last_answer(q.id, retries=False) for q in questions]
    came_to = max(
        (i for i, a in enumerate(answers) if a is not None and a.origin == "quiz"),
        key=lambda i: answers[i].id,  # type: ignore[union-attr]
        default=-1,
    )
    done = came_to + 1 if came_to < len(questions) - 1 else 0
    session = QuizSession(
        tuple(
            draw_with(question, answer.params) if answer and i < done else to_ask(record, question)
            for i, (question, answer) in enumerate(zip(questions, answers, strict=True))
        )
    )
    for question, answer in zip(session.questions[:done], answers, strict=False):
        if answer is not None:
            session.add_answer(question, answer.right, answer.credit)
    return session
