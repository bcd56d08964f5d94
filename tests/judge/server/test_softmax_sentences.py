"""The verdicts on attention and online softmax name what the answer forgot."""

import pytest
from course_answers import wrong_program
from judging import judged

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("slug", "wrong", "words"),
    [
        ("flash_1d", "weighted_sum_not_brought_along", "and the weighted sum does not"),
        ("flash_1d", "sum_not_brought_along", "and the sum of the weights does not"),
        ("flash_1d", "first_block_of_keys_only", "first 64 keys alone"),
        ("long_softmax", "sum_never_rescaled", "a new maximum leaves it as it was"),
        ("flash_fp16", "log2_e_forgotten", "2 to the power of the scores"),
        ("flash_fp16", "scale_forgotten", "`head_dim**-0.5` is missing"),
    ],
)
def test_a_verdict_names_what_was_forgotten(judge, slug, wrong, words):
    finding = judged(judge, wrong_program(slug, wrong), slug, device="cpu").diagnosis[0]
    assert words in finding.message, finding.message
