"""Right answers of other styles than the solution's: the judge must reject none of them.

`kernels/SLUG/right/*.py`: other block sizes, 2-D and persistent grids, atomics, block pointers, tensor
descriptors, autotuned kernels, several rows a program; for torch.compile identities, methods, modules
and `torch.cond`; for graphs and programs other walks and other data structures.
"""

from collections import Counter

import pytest
from judging import judged
from mistakes import SLIPS, chosen, outcome

from tutor.base.paths import course_root
from tutor.course.catalog.course import open_course

pytestmark = pytest.mark.slow

RIGHT = sorted(course_root().glob("kernels/*/right/*.py"))
LEAST = 3  # styles an exercise


def test_every_exercise_of_the_course_has_styles_enough():
    slugs = [path.parent.parent.name for path in RIGHT]
    exercises = open_course().exercises()
    assert exercises
    assert set(slugs) <= set(exercises)
    few = {slug for slug in exercises if slugs.count(slug) < LEAST}
    assert few == set()


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_right_answer_of_another_style_is_not_rejected(judge, path):
    verdict = judged(judge, path.read_text("utf-8"), path.parent.parent.name)
    assert verdict.diagnosis == ()
    assert [case.name for case in verdict.cases if not case.passed] == []
    assert verdict.passed


def test_slips_in_these_answers_are_named(judge):
    """`python tests/judge/mistakes.py` judges more of them and prints a table."""
    found = Counter(
        outcome(mistake, judged(judge, mistake.source, mistake.slug))
        for mistake in chosen(2 * len(SLIPS), seed=4)
    )
    assert found["named"] >= len(SLIPS)
    assert found["other"] <= 0.1 * found["named"]
