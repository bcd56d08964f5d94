"""What a review asks to do otherwise is right by the same judge: `twists/SLUG_N.py` does twist N."""

from pathlib import Path

import pytest
from judging import judged

from tutor.course.catalog.course import open_course

pytestmark = pytest.mark.slow

ANSWERS = sorted((Path(__file__).parents[1] / "twists").glob("*.py"))


def test_each_answer_has_its_twist():
    names = {
        f"{exercise.slug}_{n + 1}"
        for exercise in open_course().exercises().values()
        for n in range(len(exercise.twists))
    }
    assert {file.stem for file in ANSWERS} <= names


@pytest.mark.parametrize("file", ANSWERS, ids=lambda file: file.stem)
def test_the_answer_is_right(judge, file: Path):
    slug = file.stem.rpartition("_")[0]
    verdict = judged(judge, file.read_text(encoding="utf-8"), slug)
    assert verdict.passed, verdict.diagnosis
