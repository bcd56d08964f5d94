"""Progress in a series of questions. No screen in here."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tutor.course.model import AskedQuestion, Question
from tutor.course.reading.variants import draw_with
from tutor.memory.question_choice import to_ask

if TYPE_CHECKING:
    from tutor.memory.record import Record


@dataclass
class QuizSession:
    """A series of questions. `results`: question id -> (right, credit) of the answers in it; those of
    `placed` come from a placement."""

    questions: tuple[AskedQuestion, ...]
    results: dict[str, tuple[bool | None, float]] = field(default_factory=dict)
    placed: frozenset[str] = frozenset()

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

    A quiz asks its questions in order, so the newest answer marks the progress. What was right in a
    placement is not asked again: it counts as answered.
    """
    answers = [record.activity.last_answer(q.id, retries=False) for q in questions]
    placed = {i for i, question in enumerate(questions) if _is_placed(record, question)}
    if len(placed) == len(questions):
        placed = set()  # a quiz that was opened asks something
    came_to = max(
        (i for i, a in enumerate(answers) if a is not None and a.origin == "quiz"),
        key=lambda i: answers[i].id,  # type: ignore[union-attr]
        default=-1,
    )
    last = max((i for i in range(len(questions)) if i not in placed), default=-1)
    done = placed.union(range(came_to + 1)) if came_to < last else placed
    session = QuizSession(
        tuple(
            draw_with(question, answer.params) if answer and i in done else to_ask(record, question)
            for i, (question, answer) in enumerate(zip(questions, answers, strict=True))
        ),
        placed=frozenset(questions[i].id for i in placed),
    )
    for i in sorted(done):
        if (answer := answers[i]) is not None:
            session.add_answer(session.questions[i], answer.right, answer.credit)
    return session


def say_where_it_begins(session: QuizSession) -> str:
    """Say what an opened quiz has of earlier answers; "" where it begins anew."""
    said = []
    if before := len(session.results) - len(session.placed):
        said.append(f"Continued where you left off: {before} answered.")
    if count := len(session.placed):
        were, are = ("was", "is") if count == 1 else ("were", "are")
        said.append(f"{count} {were} right in the placement and {are} not asked again.")
    return " ".join(said)


def answered_in_quiz(record: "Record", questions: Iterable[Question]) -> list[Question]:
    """Return the questions that the quiz has asked and, once it has asked one, those that a placement
    spared it."""
    questions = list(questions)
    asked = [question for question in questions if _was_quizzed(record, question)]
    if not asked:
        return []
    return [q for q in questions if q in asked or _is_placed(record, q)]


def is_finished(record: "Record", questions: tuple[Question, ...]) -> bool:
    """Return True if the quiz has nothing left that it has not asked."""
    return len(answered_in_quiz(record, questions)) == len(questions)


def _was_quizzed(record: "Record", question: Question) -> bool:
    answer = record.activity.last_answer(question.id, prefer="quiz")
    return answer is not None and answer.origin == "quiz"


def _is_placed(record: "Record", question: Question) -> bool:
    """Return True if the newest answer is right, one to a placement was, and no quiz asked it."""
    newest = record.activity.last_answer(question.id, retries=False)
    answer = record.activity.last_answer(question.id, prefer="placement")
    if newest is None or answer is None or answer.origin != "placement":
        return False
    return bool(newest.right and answer.right) and not _was_quizzed(record, question)
