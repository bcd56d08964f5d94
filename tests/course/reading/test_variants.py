"""Questions whose numbers change: every variant is whole, seeded, and graded by its own numbers."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.model import Question
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.formula import read_formula
from tutor.course.reading.quiz import read_quiz
from tutor.course.reading.variants import draw_variant
from tutor.quiz import grade

RIDGE = """\
day = 3
title = "Three"

[[question]]
id = "d03-ridge"
kind = "number"
prompt = "{peak} TFLOP/s and {bandwidth} TB/s: where is the ridge? Not {1}, nor {other}."
code = "peak = {peak * 1e12}"
answer = "peak / bandwidth"
unit = "FLOP/B"
tolerance = 0.02
explanation = "{peak} / {bandwidth} is {peak / bandwidth}; {4096 * peak} in full."
[question.params]
peak = [312, 989]
bandwidth = { low = 2, high = 3, step = 0.5 }
"""


def read(folder: Path, text: str = RIDGE) -> Question:
    path = folder / "day-03.toml"
    path.write_text(text)
    return read_quiz(path).questions[0]


def test_the_first_variant_has_the_first_values(tmp_path: Path) -> None:
    question = draw_variant(read(tmp_path), 0)
    assert question.prompt.startswith("312 TFLOP/s and 2 TB/s")
    assert question.prompt.endswith("Not {1}, nor {other}.")
    assert question.explanation == "312 / 2 is 156; 1,277,952 in full."
    assert question.code == "peak = 312000000000000"
    assert question.answer == 156
    assert question.numbers == {"peak": 312, "bandwidth": 2.0}
    assert question.params == {}


def test_every_combination_comes_before_one_comes_again(tmp_path: Path) -> None:
    question = read(tmp_path)
    made = [draw_variant(question, n) for n in range(6)]
    assert len({(m.numbers["peak"], m.numbers["bandwidth"]) for m in made}) == 6
    assert draw_variant(question, 6) == made[0]
    for one in made:
        peak, bandwidth = one.numbers["peak"], one.numbers["bandwidth"]
        assert one.answer == pytest.approx(peak / bandwidth)
        assert grade(one, f"{peak}e12/{bandwidth}e12").right


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ('"peak / bandwidth"', '"peak / width"', 9, "answer"),
        ('"peak / bandwidth"', '"peak /"', 9, "answer"),
        ('"peak / bandwidth"', '"open(1)"', 9, "answer"),
        ('"peak / bandwidth"', '"peak / (bandwidth - 2)"', 13, "params"),
        ("[312, 989]", "[312]", 14, "params.peak"),
        ("[312, 989]", '["a", "b"]', 14, "params.peak"),
        ("{4096 * peak}", "{4096 * 2}", 12, "explanation"),
        ("step = 0.5", "step = 0", 15, "params.bandwidth"),
        ("step = 0.5", "step = 0.001", 15, "params.bandwidth"),
        ("step = 0.5", "step = 0.004", 13, "params"),
        ("high = 3", "hihg = 3", 15, "params.bandwidth"),
        ("[question.params]", "[question.params]\nunused = [1, 2]", 13, "params"),
        ("[question.params]", "[question.params]\nUP = [1, 2]", 14, "params.UP"),
        ("tolerance = 0.02", "range = [1, 2]", 11, "range"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, line: int, field: str) -> None:
    assert old in RIDGE
    with pytest.raises(CourseFault) as caught:
        read(tmp_path, RIDGE.replace(old, new, 1))
    found = [(fault.line, fault.field) for fault in caught.value.faults]
    assert (line, f"question[1].{field}") in found


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "[1][0]",
        "x if y else z",
        "lambda: 1",
        "'a' * 9",
        "True + 1",
        "f(1)",
        "min(1, 2, 3)",
        "sqrt(x=1)",
        "1e999",
        "1 +",
        "",
        "(" * 400,
        "1" * 301,
        "x\0",
    ],
)
def test_only_arithmetic_is_a_formula(text: str) -> None:
    with pytest.raises(ValueError, match=r"[^\n]{5,150}\.$"):
        read_formula(text)


@pytest.mark.parametrize("text", ["1/x", "x**9999", "sqrt(x - 1)", "2**2**2**2**9", "log2(x)"])
def test_what_has_no_value_is_one_sentence(text: str) -> None:
    names = {"x": Fraction(0)}
    if text == "x**9999":
        names["x"] = Fraction(7)
    with pytest.raises(ValueError, match=r"^'.{1,40}'[^\n]{5,60}\.$"):
        read_formula(text).value(names)


@given(st.integers(-99, 99), st.integers(1, 99), st.integers(0, 9))
def test_formulas_agree_with_python(x: int, y: int, z: int) -> None:
    given_names = {"x": Fraction(x), "y": Fraction(y), "z": Fraction(z)}
    text = "(x + y) * z - x // y + x % y + y ** z - max(x, -y)"
    value = read_formula(text).value(given_names)
    assert value == (x + y) * z - x // y + x % y + y**z - max(x, -y)
