"""A wrong output that is the right one for other arguments is called that."""

import pytest
from judging import judged

from tutor.base import paths
from tutor.course.catalog.course import open_course

# Exercise, what stands in its solution, what stands there instead, and what is said.
MISTAKEN = {
    "subtracted": ("vector_add", "x + y, mask", "x - y, mask", "for `-y` in place of `y`"),
    "the other one": ("vector_add", "x + y, mask", "y - x, mask", "for `-x` in place of `x`"),
    "read twice": ("vector_add", "x + y, mask", "x + x, mask", "if `x` is read for `y` as well"),
    "divided": ("fma", "a * b + c, mask", "a / b + c, mask", "for `1 / b` in place of `b`"),
    "exchanged": ("fma", "a * b + c, mask", "a * c + b, mask", "with `b` and `c` exchanged"),
    "twice a factor": (
        "fma",
        "a * b + c, mask",
        "a * a + c, mask",
        "if `a` is read for `b` as well",
    ),
    "a row subtracted": ("layer_norm", "weight + bias", "weight - bias", "for `-bias`"),
    "a number left out": ("layer_norm", "variance + eps", "variance", "for `eps` = 0"),
    "within a function": ("bias_gelu", "+ tl.load(bias_ptr", "- tl.load(bias_ptr", "for `-bias`"),
}


@pytest.fixture
def judge(probing):
    return probing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exercise", "right", "wrong", "said"), MISTAKEN.values(), ids=MISTAKEN.keys()
)
def test_what_the_arguments_were_taken_for_is_said(judge, exercise, right, wrong, said):
    solution = open_course(paths.course_root()).exercise(exercise).solution.read_text("utf-8")
    assert solution.count(right) == 1
    verdict = judged(judge, solution.replace(right, wrong), exercise)
    assert not verdict.passed
    first = verdict.diagnosis[0]
    assert first.code == "wrong-values"
    assert f"The output is right {said}" in first.message


@pytest.mark.parametrize("wrong", ["x * y, mask", "x + 2 * y, mask", "x + y * y, mask"])
def test_another_formula_is_not_taken_for_one_of_these(judge, wrong):
    solution = open_course(paths.course_root()).exercise("vector_add").solution.read_text("utf-8")
    verdict = judged(judge, solution.replace("x + y, mask", wrong), "vector_add")
    assert not verdict.passed
    assert "The output is right" not in verdict.diagnosis[0].message
