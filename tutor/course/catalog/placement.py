"""Other ways to begin than with Day 1: `quizzes/placement.toml` and the rule that follows it.

    first_kernel = "add_ten"                   # who wants to write one at once

    [[strand]]                                 # one a day that may be skipped
    topic = "Compilers"                        # may be left out
    day = 15
    questions = ["d15-text-out-of-memory", "d15-multi-cse-applies"]

The questions are those of the quizzes. They are asked in this order; a strand ends at its first answer
that is not right, and with it the later strands of its topic. Who has all of a strand right may skip
its day.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tutor.course.model import Question
from tutor.course.reading.toml_table import read_table


@dataclass(frozen=True)
class Strand:
    """`questions` are ids."""

    day: int
    questions: tuple[str, ...]
    line: int = 0
    topic: str = ""


@dataclass(frozen=True)
class Placement:
    """`first_kernel` is an exercise's slug."""

    strands: tuple[Strand, ...]
    first_kernel: str


def read_placement(path: Path) -> Placement:
    """Raises `CourseFault` with all mistakes of the file."""
    file = read_table(path)
    first_kernel = file.text("first_kernel")
    strands: list[Strand] = []
    for table in file.tables("strand", least=1):
        day, questions = table.integer("day", 1), table.texts("questions", least=1)
        strand = Strand(day, questions, table.line(), table.text("topic", default=""))
        if strand.day in {other.day for other in strands}:
            table.fault("day", "each day once", f"{strand.day} again")
        strands.append(strand)
        table.finish("a strand")
    file.finish("a placement")
    file.raise_faults()
    return Placement(tuple(strands), first_kernel)


def suits(question: Question) -> bool:
    """Return True if a placement can ask the question: it is graded at once and runs nothing."""
    return question.kind != "open" and not question.on_machine


@dataclass
class PlacementSession:
    """`right`: question id -> whether it was answered right, of those asked so far."""

    strands: tuple[Strand, ...]
    right: dict[str, bool] = field(default_factory=dict)

    @property
    def current(self) -> tuple[Strand, str] | None:
        """The strand and the question to ask now; None at the end."""
        for strand in self._open():
            for name in strand.questions:
                if name not in self.right:
                    return strand, name
        return None

    def _open(self) -> Iterator[Strand]:
        """Yield the strands without a wrong answer in their topic so far."""
        ended: set[str] = set()
        for strand in self.strands:
            if not all(self.right.get(name, True) for name in strand.questions):
                ended |= {strand.topic} - {""}  # the learner should read the day: ask no more of it
            elif strand.topic not in ended:
                yield strand

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(strand.topic for strand in self.strands))

    def note_answer(self, question: str, right: bool) -> None:
        self.right[question] = right

    @property
    def known(self) -> tuple[int, ...]:
        """The days of which every question was answered right."""
        return tuple(
            strand.day
            for strand in self.strands
            if all(self.right.get(name, False) for name in strand.questions)
        )
