"""What a review asks to do otherwise is right by the same judge: `kernels/SLUG/twists/N.py`."""

from pathlib import Path

import pytest
from judging import judged

from tutor.base.paths import course_root
from tutor.course.catalog.course import open_course

pytestmark = pytest.mark.slow

ANSWERS = sorted(course_root().glob("kernels/*/twists/*.py"))


def test_each_answer_has_its_twist():
    names = {
        (exercise.slug, str(n + 1))
        for exercise in open_course().exercises().values()
        for n in range(len(exercise.twists))
    }
    assert {(file.parent.parent.name, file.stem) for file in ANSWERS} <= names


@pytest.mark.parametrize("file", ANSWERS, ids=lambda file: f"{file.parent.parent.name}-{file.stem}")
def test_the_answer_is_right(judge, file: Path):
    slug = file.parent.parent.name
    verdict = judged(judge, file.read_text(encoding="utf-8"), slug)
    assert verdict.passed, verdict.diagnosis
