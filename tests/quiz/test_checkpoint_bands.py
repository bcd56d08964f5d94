"""`tutor grade 14` as a real process: full, half-right and empty answers land in their bands."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from questions import right_value
from run_home import share_judge

from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.course.reading.variants import draw_variant

DAY = 14
QUIZ = open_course().quiz(DAY)
assert QUIZ is not None
QUESTIONS = QUIZ.questions
# what the small programs compute on any machine; the last one asks the compiler, see below
COMPUTED = {
    "d14-print-graphs": 2,
    "d14-grad-mode": 2,
    "d14-sectors-of-a-view": 16,
    "d14-row-or-whole": 3,
}


def answer(question: Question) -> Any:
    """A right answer, in the shape that docs/course-format.md gives for a file of answers."""
    if question.kind == "predict":
        return COMPUTED[question.id]
    if question.kind == "open":
        return {"text": question.model, "points": list(range(1, len(question.points) + 1))}
    return right_value(draw_variant(question, 0))


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def graded(tmp_path: Path, questions: tuple[Question, ...]) -> dict[str, Any]:
    path = tmp_path / "answers.toml"
    path.write_text("".join(f"{q.id} = {toml(answer(q))}\n" for q in questions), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "grade", str(DAY), str(path), "--json"],
        env={**os.environ, "TUTOR_HOME": str(share_judge(tmp_path / "home"))},
        capture_output=True,
        text=True,
        timeout=300,  # it computes answers, beside other tests
    )
    assert done.stderr == ""
    assert done.returncode == (0 if len(questions) == len(QUESTIONS) else 1)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "band"),
    [
        (1.0, "Ready for Phase II"),
        (0.8, "Minor gaps"),
        (0.5, "Gaps to close first"),
        (0.0, "Back to the foundation"),
    ],
)
def test_a_share_of_right_answers_lands_in_its_band(
    tmp_path: Path, share: float, band: str
) -> None:
    assert QUIZ is not None
    # those that this machine would have to compute come last, so that one case pays for them
    ordered = sorted(QUESTIONS, key=lambda question: question.kind == "predict")
    given = tuple(ordered[: math.ceil(share * len(ordered))])
    if any(question.kind == "predict" for question in given):
        pytest.importorskip("triton")
    result = graded(tmp_path, given)
    assert (result["score"], result["out_of"]) == (len(given), len(QUESTIONS))
    meant = next(one for one in QUIZ.bands if one.name == band)
    assert result["band"] == {
        "name": band,
        "advice": meant.advice,
        "revisit": list(meant.revisit),
    }


def test_the_bands_are_the_checkpoint_s_rules() -> None:
    assert QUIZ is not None
    assert [band.min for band in QUIZ.bands] == [0.95, 0.8, 0.5, 0.0]
    assert (len(QUIZ.questions), len(QUIZ.checklist), len(QUIZ.misconceptions)) == (28, 10, 5)
    assert QUIZ.reflection is not None
    assert (QUIZ.reflection.minutes, len(QUIZ.reflection.prompts)) == (10, 5)
    assert [prompt.focus for prompt in QUIZ.reflection.prompts].count(True) == 1


def test_every_topic_that_can_be_shaky_has_questions_to_favour() -> None:
    assert QUIZ is not None
    assert QUIZ.reflection is not None
    topics = next(prompt.topics for prompt in QUIZ.reflection.prompts if prompt.focus)
    course = open_course()
    tags = {tag for day in (1, DAY) for q in course.quiz(day).questions for tag in q.tags}  # type: ignore[union-attr]
    assert set(topics) <= tags
