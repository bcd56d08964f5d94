"""Slips of the hand in right answers of other styles (`kernels/SLUG/right`) are named."""

from collections import Counter

import pytest
from judging import judged
from mistakes import SLIPS, chosen, outcome

pytestmark = pytest.mark.slow


def test_slips_in_these_answers_are_named(judge):
    """`python tests/judge/mistakes.py` judges more of them and prints a table."""
    found = Counter(
        outcome(mistake, judged(judge, mistake.source, mistake.slug))
        for mistake in chosen(len(SLIPS), seed=4)
    )
    assert found["named"] >= (len(SLIPS) + 1) // 2
    assert found["other"] <= 0.1 * found["named"]
