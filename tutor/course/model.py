"""What is taught, as frozen records. The readers beside this file make them; nothing changes them.

The fields are those of `docs/course-format.md`; a record exists only if its file had no mistake.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

QUESTION_KINDS = (
    "choice", "multi", "number", "text", "order", "match", "fill", "line", "predict", "open",
)  # fmt: skip
DAY_KINDS = ("lesson", "project", "checkpoint")
EXERCISE_KINDS = ("kernel", "compiled")
NEEDS = ("triton", "g++", "cuda")


@dataclass(frozen=True)
class Source:
    id: str
    title: str
    version: str = ""
    url: str = ""


@dataclass(frozen=True)
class Day:
    """A day of the outline, whether or not its lesson is written yet."""

    day: int
    title: str
    phase: int
    week: int
    kind: str
    goal: str = ""


@dataclass(frozen=True)
class Question:
    """A question of a quiz, or a prediction in a lesson. Fields a kind does not use are empty.

    `options`: choice, multi (key -> text). `items`: order. `left`, `right`: match.
    `answer` is shaped by the kind: str, tuple[str, ...], float, int, tuple[int, ...] or dict.
    `answer_from`: an expression whose value is the answer, evaluated on this machine after `code`
    (or, for a prediction, after the next cell) has run.
    """

    id: str
    kind: str
    prompt: str
    explanation: str
    day: int
    answer: Any = None
    code: str = ""
    text: str = ""
    setup: str = ""
    options: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    right: dict[str, str] = field(default_factory=dict)
    feedback: dict[str, str] = field(default_factory=dict)
    tempting: dict[int, str] = field(default_factory=dict)
    accept: tuple[Any, ...] = ()
    unit: str = ""
    tolerance: float | None = None
    tolerance_abs: float | None = None
    answer_from: str = ""
    as_kind: str = ""  # the TOML's `as`
    model: str = ""
    points: tuple[str, ...] = ()
    source: str = ""
    tags: tuple[str, ...] = ()
    days: tuple[int, ...] = ()
    rev: int = 1
    line: int = 0  # where it stands in its file


@dataclass(frozen=True)
class Band:
    min: float
    name: str
    advice: str
    revisit: tuple[int, ...] = ()


@dataclass(frozen=True)
class Quiz:
    day: int
    title: str
    questions: tuple[Question, ...]
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class Prose:
    text: str
    line: int


@dataclass(frozen=True)
class Cell:
    """A live cell. `mode`: "interpret" or "compile" (the two processes a lesson's cells run in)."""

    code: str
    line: int
    index: int  # 1-based within the lesson
    mode: str = "interpret"
    needs_gpu: bool = False
    slow: bool = False
    expect: tuple[str, ...] = ()


@dataclass(frozen=True)
class Predict:
    question: Question
    line: int


Block = Prose | Cell | Predict


@dataclass(frozen=True)
class Section:
    title: str
    slug: str
    line: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Lesson:
    day: int
    title: str
    minutes: int
    objectives: tuple[str, ...]
    sources: tuple[Source, ...]
    sections: tuple[Section, ...]
    path: Path

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Cell))

    @property
    def predictions(self) -> tuple[Predict, ...]:
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Predict))


@dataclass(frozen=True)
class Exercise:
    slug: str
    title: str
    day: int
    kind: str
    entry: str  # "add(x, y)"
    minutes: int
    needs: tuple[str, ...]
    task: str
    hints: tuple[str, ...]
    folder: Path
    sources: tuple[str, ...] = ()
    seconds: float = 10.0
    memory_gib: float = 4.0

    @property
    def entry_name(self) -> str:
        return self.entry.split("(", 1)[0]

    @property
    def starter(self) -> Path:
        return self.folder / "starter.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @property
    def reference(self) -> Path:
        return self.folder / "reference.py"

    @property
    def wrong(self) -> tuple[Path, ...]:
        return tuple(sorted((self.folder / "wrong").glob("*.py")))
