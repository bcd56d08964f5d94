"""What the readers make of valid files."""

from pathlib import Path

import pytest
import small_course
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.base.toml_positions import key_lines
from tutor.course.catalog.course import open_course
from tutor.course.catalog.plain_text import lesson_text, prose_lines
from tutor.course.model import Cell, Predict, Prose, Reveal
from tutor.course.reading.lesson import read_lesson
from tutor.course.reading.markdown_blocks import block_tokens, split_blocks
from tutor.course.reading.python_source import mode_of
from tutor.course.reading.question import read_question
from tutor.course.reading.quiz import read_quiz
from tutor.course.reading.toml_table import parse_table


def test_a_lesson_becomes_sections_of_blocks_with_their_lines(course: Path) -> None:
    lesson = open_course(course).lesson(1)
    assert lesson is not None
    assert [(s.title, s.slug, s.line) for s in lesson.sections] == [
        ("One", "one", 8),
        ("Cells", "cells", 11),
        ("Last", "last", 29),
    ]
    predict, cell, note = lesson.sections[1].blocks
    assert isinstance(predict, Predict)
    assert (predict.line, predict.question.answer_from, predict.question.answer) == (
        13,
        "total",
        None,
    )
    assert predict.question.days == (1,)
    assert cell == Cell("total = 1 + 1\nprint(total)", line=21, index=1, expect=("2",))
    assert note == Prose("> A note.", 27)


def test_words_of_a_cell(course: Path) -> None:
    path = course / "lessons" / "day-01-one.md"
    path.write_text(small_course.LESSON.replace("python run", "python run slow compile gpu"))
    lesson = open_course(course).lesson(1)
    assert lesson is not None
    (cell,) = lesson.cells
    assert (cell.mode, cell.slow, cell.needs_gpu) == ("compile", True, True)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("choice", "a"),
        ("multi", ("a", "c")),
        ("number", 156.0),
        ("text", "tl.program_id"),
        ("order", ("b", "a")),
        ("match", {"a": "q", "b": "p"}),
        ("fill", ("mask", "other")),
        ("line", 2),
        ("predict", None),
        ("open", None),
    ],
)
def test_every_kind_of_question(tmp_path: Path, kind: str, answer: object) -> None:
    path = tmp_path / "day-01.toml"
    path.write_text(small_course.quiz(kind))
    (question,) = read_quiz(path).questions
    assert (question.kind, question.answer, question.line) == (kind, answer, 4)


def test_bands_stand_highest_first(tmp_path: Path) -> None:
    band = '[[band]]\nmin = {}\nname = "n"\nadvice = "a"\nrevisit = [1]\n'
    path = tmp_path / "day-01.toml"
    path.write_text(small_course.quiz("choice") + band.format(0.9) + band.format(0.5))
    assert [b.min for b in read_quiz(path).bands] == [0.9, 0.5]
    path.write_text(small_course.quiz("choice") + band.format(0.5) + band.format(0.9))
    with pytest.raises(UsageError, match=r":18: band\[2\].min: expected a share below 0.5"):
        read_quiz(path)


def test_a_course_finds_exercises_and_questions(course: Path) -> None:
    it = open_course(course)
    assert it.exercise("add").entry_name == "add"
    assert list(it.exercises()) == ["add"]
    with pytest.raises(UsageError, match="did you mean add"):
        it.exercise("ad")
    for question_id in ("d01-q", "d01-sum"):
        question = it.question(question_id)
        assert question is not None
        assert question.id == question_id
    assert it.question("d77-none") is None
    assert it.quiz(2) is None
    assert it.lesson(2) is None
    assert [day.day for day in it.days] == [1, 2]


def test_plain_text_asks_first_and_answers_at_the_end(course: Path) -> None:
    lesson = open_course(course).lesson(1)
    assert lesson is not None
    text = lesson_text(lesson)
    order = [
        "Section 2 of 3: Cells",
        "Predict (d01-sum):",
        "How much?",
        "    total = 1 + 1",
        "Note: A note.",
        "Answers to the predictions",
        "One and one.",
        "Cell 1 prints, among others:\n    2\n",
        "[1] ",
    ]
    assert "Expect" not in text  # the cell answers the prediction before it
    places = [text.index(part) for part in order[:-1]] + [text.rindex(order[-1])]
    assert places == sorted(places)
    assert not any("\u2500" <= c <= "\u259f" for c in text)


def test_plain_text_says_what_a_cell_prints_but_no_patterns(course: Path) -> None:
    file = course / "lessons" / "day-01-one.md"
    cell = "\n```python run\nprint('a few', 3)\n```\nexpect: a few\nexpect: /few \\d+/\n"
    file.write_text(file.read_text() + cell)
    lesson = open_course(course).lesson(1)
    assert lesson is not None
    text = lesson_text(lesson)
    assert "Expect in the output:\n    a few\n" in text
    assert r"\d" not in text


def test_of_a_diagram_the_words_are_kept() -> None:
    drawn = """```text
   +--------+              ^
   | 27 MiB |   | a -> b |      k   = phi [ 0   from x ] + 1
   +--> FUSION <--+        |  again
```"""
    assert prose_lines(drawn) == [
        "    Diagram, its words row by row:",
        "    27 MiB; a -> b; k = phi [ 0 from x ] + 1",
        "    FUSION; again",
    ]
    code = "```text\nc = a + b | d\n  -> e\n```"
    assert prose_lines(code) == ["    c = a + b | d", "      -> e"]


def test_plain_text_of_lists_quotations_and_tables() -> None:
    lines = prose_lines(
        "1. one\n   - inner *soft*\n2. two\n\n   more\n\n> said\n> so\n\n"
        "| a | b |\n|---|---|\n| 1 | `2` |\n\n[here](https://x.org)\n\n"
        "- item\n\n  ```text\n  code\n  ```\n\n"
        "![A roof\nover bars.](images/roof.png)\n"
    )
    assert lines == [
        "1. one",
        "   - inner soft",
        "",
        "2. two",
        "   more",
        "",
        "Note: said so",
        "",
        "a: 1; b: `2`",
        "",
        "here (https://x.org)",
        "",
        "- item",
        "      code",
        "",
        "Picture: A roof over bars.",
    ]


WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).filter(str.strip)


@given(WORDS, WORDS)
@settings(max_examples=60, deadline=None)
def test_any_text_of_an_option_survives(a: str, b: str) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    source = (
        'id = "q"\nkind = "choice"\nprompt = "?"\nexplanation = "."\nanswer = "a"\n'
        f"options = {{ a = {quoted(a)}, b = {quoted(b)} }}\nfeedback = {{ b = {quoted(b)} }}\n"
    )
    question = read_question(parse_table(source, Path("q.toml")), day=1)
    assert question is not None
    assert question.options == {"a": a, "b": b}


def test_a_riddle_is_solved_in_the_section_it_names(tmp_path: Path) -> None:
    """After the last cell of the section, or at its top; in print too."""
    root = small_course.course(tmp_path)
    file = root / "lessons" / "day-01-one.md"
    riddle = small_course.LESSON.replace('answer_from = "total"', 'answer = 2\nreveal = "last"')
    file.write_text(riddle)
    lesson = read_lesson(file)
    asked = lesson.predictions[0].question
    first, *rest = lesson.sections[2].blocks
    assert first == Reveal(asked, lesson.predictions[0].line)
    assert [type(block) for block in rest] == [Prose]
    text = lesson_text(lesson)
    assert text.index("The end.") > text.index("d01-sum: 2") > text.index("Section 3")
    assert "Answers to the predictions" not in text

    file.write_text(riddle.replace("The end.", "```python run\n1 + 1\n```\n\nThe end."))
    blocks = read_lesson(file).sections[2].blocks
    assert [type(block) for block in blocks] == [Cell, Reveal, Prose]


LINES = st.lists(
    st.sampled_from(
        [
            "",
            "prose",
            "## Heading",
            "### Lower",
            "```python run",
            "```python",
            "```predict",
            "```",
            "~~~",
            "expect: 3",
            "> ```python run",
            "- item",
            "    code",
            "  ## Inner",
            "---",
            "| a |",
            "<div>",
            "x = 1",
        ]
    ),
    max_size=25,
)


@given(LINES)
@settings(max_examples=200, deadline=None)
def test_splitting_covers_every_line_once(lines: list[str]) -> None:
    body = "\n".join(lines)
    parts = split_blocks(body, block_tokens(body))
    at = 0
    for part in parts:
        assert part.start == at
        assert part.end > part.start
        at = part.end
    assert at == max(len(lines), 1)
    for part in parts:
        if part.kind == "prose":
            assert part.text == "\n".join(lines[part.start : part.end])


KEYS = st.lists(st.sampled_from("abcd"), unique=True, min_size=1)
VALUES = st.sampled_from(
    [
        "1",
        '"x # y"',
        '"""one\n[not]\nb = 2"""',
        "'''\nc = \"\n'''",
        "[\n  1, # ]\n  2,\n]",
        "{ d = '[', e = 2 }",
        '"\\"["',
        "{\n  d = 1,\n}",
    ]
)


@given(st.lists(st.tuples(KEYS, st.lists(VALUES, min_size=4, max_size=4)), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_key_lines_point_at_their_keys(tables: list[tuple[list[str], list[str]]]) -> None:
    text, expected = "", {}
    for n, (keys, values) in enumerate(tables):
        expected["t", n] = text.count("\n") + 1
        text += "[[t]]  # a comment = 1\n"
        for key, value in zip(keys, values, strict=False):
            expected["t", n, key] = text.count("\n") + 1
            text += f"{key} = {value}\n"
    tomli.loads(text)  # the text is TOML
    assert key_lines(text) == expected


def test_the_shipped_outline_is_whole() -> None:
    days = open_course().days
    assert [day.day for day in days] == list(range(1, 71))
    kinds = {kind: [d.day for d in days if d.kind == kind] for kind in ("project", "checkpoint")}
    assert kinds == {
        "project": [7, 21, 35, 56, 68, 69, 70],
        "checkpoint": [14, 28, 42, 49, 63],
    }
    assert all(day.goal for day in days)


@pytest.mark.parametrize(
    ("code", "mode"),
    [
        ("y = torch.compile(f)(x)", "compile"),
        ("class Listen(TorchDispatchMode): pass", "compile"),
        ("y = torch.ones(3).sum()", "interpret"),
        ("import triton\n@triton.jit\ndef f(): pass\ntorch.compile", "both"),
    ],
)
def test_code_that_needs_pytorchs_compiler_runs_where_it_is_loaded(code: str, mode: str) -> None:
    assert mode_of(code) == mode


@pytest.mark.parametrize(
    ("code", "mode"), [("print(1)", "interpret"), ("import torch._dynamo\nprint(1)", "both")]
)
def test_interpreted_cells_have_the_compiler_if_one_names_it(
    course: Path, code: str, mode: str
) -> None:
    path = course / "lessons" / "day-01-one.md"
    more = f"\n```python run\n{code}\n```\n\n```python run compile\nprint(2)\n```\n"
    path.write_text(small_course.LESSON + more)
    lesson = open_course(course).lesson(1)
    assert lesson is not None
    assert [cell.mode for cell in lesson.cells] == [mode, mode, "compile"]
