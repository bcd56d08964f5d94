"""Exercises whose answer is a list of cases, judged by the real judge."""

import pytest
from judging import first_code, judged

from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.judge.reports.verdict_text import format_verdict

EXERCISES = {slug: e for slug, e in open_course().exercises().items() if e.kind == "cases"}


def test_six_days_have_one() -> None:
    days = {exercise.day for exercise in EXERCISES.values()}
    assert len(days) == len(EXERCISES) == 6
    assert all(1 <= day <= 28 for day in days)
    known = open_course().exercises()
    for exercise in EXERCISES.values():
        assert exercise.aim is not None
        of = known[exercise.aim.of]
        assert of.takes_cases
        assert of.day == exercise.day
        lesson = open_course().lesson(exercise.day)
        assert lesson is not None
        text = lesson.path.read_text("utf-8")
        assert 0 < text.find(f"exercise `{exercise.slug}`") < text.rfind(f"exercise `{of.slug}`")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        (["pass"], "outside-the-task", "There is no case yet"),
        (["softmax(f32[4, 1024])"], "mistakes-pass", "Your cases refuse 5 of 13 mistakes"),
        (["softmax(f32[3, 4, 5])"], "outside-the-task", "`x` is 3-D"),
        (["softmax(f32[4, n])"], "outside-the-task", "Line 2: `x`: sizes"),
        (["import os"], "outside-the-task", "Line 2: only calls"),
        (
            ["softmax(f32[2, 3])"] * 3,
            "too-many-cases",
            "These are 3 cases; the aim is to do it with 2",
        ),
        (["softmax(f32[4, 1025])", "softmax(negative(f32[5, 9][1, 5]))"], "", ""),
    ],
)
def test_a_list_of_cases(judge: Judge, lines: list[str], code: str, said: str) -> None:
    source = "\n".join(["def cases(softmax):", *(f"    {line}" for line in lines), ""])
    verdict = judged(judge, source, "break_softmax")
    assert first_code(verdict) == code
    assert verdict.passed == (not code)
    if code:
        assert said in verdict.diagnosis[0].message
        assert "right" not in format_verdict(verdict, source)[0]
    else:
        assert verdict.figures == {"mistakes refused": "12 of 13"}
        assert [case.note for case in verdict.cases] == [
            "refuses 9 mistakes",
            "refuses 12 mistakes",
        ]
