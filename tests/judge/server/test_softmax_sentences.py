"""The verdicts on attention and online softmax name what the answer forgot."""

import pytest
from course_answers import wrong_program
from judging import judged

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("slug", "wrong", "words"),
    [
        (
            "flash_1d",
            "weighted_sum_not_brought_along",
            "the weighted sum is not brought to a new maximum",
        ),
        (
            "flash_1d",
            "sum_not_brought_along",
            "the sum of the weights is not brought to a new maximum",
        ),
        ("flash_1d", "first_block_of_keys_only", "only the first block of keys counts"),
        ("long_softmax", "sum_never_rescaled", "a new maximum leaves the sum as it was"),
        ("flash_fp16", "log2_e_forgotten", "2 to the power of the scores"),
        ("flash_fp16", "scale_forgotten", "have no factor `head_dim**-0.5`"),
    ],
)
def test_a_verdict_names_what_was_forgotten(judge, slug, wrong, words):
    finding = judged(judge, wrong_program(slug, wrong), slug, device="cpu").diagnosis[0]
    assert words in finding.message, finding.message
