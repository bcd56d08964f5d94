"""Reads `quizzes/day-NN.toml`."""

from pathlib import Path

from tutor.course.model import (
    EVIDENCE,
    TRUTHS,
    Band,
    CanDo,
    CanDoEvidence,
    Misconception,
    Prompt,
    Question,
    Quiz,
    Reflection,
)
from tutor.course.reading.faults import format_value
from tutor.course.reading.question import read_question
from tutor.course.reading.toml_table import Table, read_table

_ID = r"[a-z0-9]+(-[a-z0-9]+)*"


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
    checklist = _checklist(file, day, seen)
    misconceptions = _misconceptions(file, day, seen)
    reflection = _reflection(file, seen)
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
            table.fault("min", "a share of the points, 0 to 1", format_value(share))
        elif bands and share >= bands[-1].min:
            table.fault(
                "min", f"a share below {bands[-1].min} (highest first)", format_value(share)
            )
        band = Band(
            share or 0.0, table.text("name"), table.text("advice"), table.integers("revisit")
        )
        bands.append(band)
        table.finish("a band")
    return tuple(bands)


def _checklist(file: Table, day: int, ids: set[str]) -> tuple[CanDo, ...]:
    """The `[[checklist]]` tables."""
    items = []
    for table in file.tables("checklist"):
        items.append(
            CanDo(
                id=_id(table, ids),
                text=table.text("text"),
                evidence=_evidence(table),
                days=table.integers("days") or (day,),
                line=table.line(),
            )
        )
        table.finish("a checklist item")
    return tuple(items)


def _id(table: Table, ids: set[str]) -> str:
    one = table.matching("id", _ID, "lower-case words joined by hyphens")
    if one and one in ids:
        table.fault("id", "an id of its own", f"{one} again")
    ids.add(one)
    return one


def _evidence(table: Table) -> tuple[CanDoEvidence, ...]:
    rows = []
    for i, text in enumerate(table.texts("evidence", least=1), 1):
        kind, _, name = text.partition(":")
        day, _, section = name.partition("/")
        well_formed = day.isdecimal() and section if kind == "lesson" else name
        if kind not in EVIDENCE or not well_formed:
            expected = "question:ID, exercise:SLUG or lesson:DAY/SECTION"
            table.fault(f"evidence.{i}", expected, format_value(text))
        rows.append(CanDoEvidence(kind, name))
    return tuple(rows)


def _misconceptions(file: Table, day: int, ids: set[str]) -> tuple[Misconception, ...]:
    """The `[[misconception]]` tables."""
    items = []
    for table in file.tables("misconception"):
        items.append(
            Misconception(
                id=_id(table, ids),
                statement=table.text("statement"),
                truth=table.one_of("truth", TRUTHS),
                why=table.text("why"),
                source=table.text("source", default=""),
                days=table.integers("days") or (day,),
                line=table.line(),
            )
        )
        table.finish("a misconception")
    return tuple(items)


def _reflection(file: Table, ids: set[str]) -> Reflection | None:
    """The `[reflection]` table with its `[[reflection.prompt]]` tables; None where there is none."""
    table = file.table("reflection")
    if table is None:
        return None
    minutes = table.integer("minutes", 1, default=10)
    prompts: list[Prompt] = []
    for inner in table.tables("prompt", least=1):
        prompt = _prompt(inner, ids)
        if prompt.focus and any(earlier.focus for earlier in prompts):
            inner.fault("focus", "one prompt with the focus", "another before it")
        prompts.append(prompt)
    table.finish("a reflection")
    return Reflection(minutes, tuple(prompts))


def _prompt(table: Table, ids: set[str]) -> Prompt:
    prompt = Prompt(
        id=_id(table, ids),
        text=table.text("text"),
        focus=table.flag("focus"),
        topics=table.texts("topics"),
        line=table.line(),
    )
    if prompt.focus and len(prompt.topics) < 2:
        table.fault("topics", "two or more tags of questions", f"{len(prompt.topics)}")
    if prompt.topics and not prompt.focus:
        table.fault("topics", "topics only where focus = true", format_value(list(prompt.topics)))
    table.finish("a prompt")
    return prompt
