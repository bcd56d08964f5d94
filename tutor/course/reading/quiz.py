"""Reads `quizzes/day-NN.toml`."""

from pathlib import Path

from tutor.course.model import Band, Question, Quiz
from tutor.course.reading.checkpoint import read_checklist, read_misconceptions, read_reflection
from tutor.course.reading.faults import found
from tutor.course.reading.question import read_question
from tutor.course.reading.toml_table import Table, read_table


def read_quiz(path: Path) -> Quiz:
    """The quiz of a file. Raises `CourseFault` with all mistakes of the file."""
    file = read_table(path)
    day = file.integer("day", 1)
    title = file.text("title")
    bands = _bands(file)
    questions: list[Question] = []
    seen: set[str] = set()
    for table in file.tables("question", least=1):
        question = read_question(table, day)
        if question is None:
            continue
        if question.id in seen:
            table.fault("id", "an id of its own", f"{question.id} again")
        seen.add(question.id)
        questions.append(question)
    checklist = read_checklist(file, day, seen)
    misconceptions = read_misconceptions(file, day, seen)
    reflection = read_reflection(file, seen)
    file.finish("a quiz")
    file.raise_faults()
    return Quiz(day, title, tuple(questions), bands, checklist, misconceptions, reflection)


def _bands(file: Table) -> tuple[Band, ...]:
    bands: list[Band] = []
    for table in file.tables("band"):
        share = table.number("min", least=0)
        if share is None:
            if "min" not in table:
                table.fault("min", "a share of the points, 0 to 1", "nothing")
        elif share > 1:
            table.fault("min", "a share of the points, 0 to 1", found(share))
        elif bands and share >= bands[-1].min:
            table.fault("min", f"a share below {bands[-1].min} (highest first)", found(share))
        band = Band(
            share or 0.0, table.text("name"), table.text("advice"), table.integers("revisit")
        )
        bands.append(band)
        table.finish("a band")
    return tuple(bands)
