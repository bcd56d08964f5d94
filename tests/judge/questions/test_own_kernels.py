"""Which kernels of an X-ray are the learner's own."""

import pytest
from test_ladder_questions import TRITON, lowered

from tutor.judge.computed_questions import is_own


@pytest.mark.parametrize(
    ("source", "own"),
    [
        (f"import triton\n\n\n{TRITON}", True),
        ("import torch\n\n\ndef f(x):\n    return x.sin()\n", False),  # Inductor wrote it
        (TRITON.replace("at += 1", "at += 2"), False),
        ("def k(", False),
    ],
)
def test_a_kernel_is_the_learners_where_the_file_has_its_text(source: str, own: bool) -> None:
    assert is_own(lowered(), source) is own
