"""Near misses that explain a whole answer, and errors that a `try` of the starter took for an answer."""

from pathlib import Path

import pytest
import torch
from course_answers import wrong_program
from judging import first_code, judged

from tutor.judge.cases.reference import Reference
from tutor.judge.spec import Case

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.mark.parametrize(
    ("answer", "phrase"),
    [
        ("matmul_naive/first_block_of_k_only", "only the first block is counted"),
        ("fused_chain/adds_before_scaling", "1 is added before the scaling"),
        ("peak_memory/inputs_are_freed", "an input is freed after its last use"),
    ],
)
def test_a_near_miss_that_explains_every_case_is_proven(judge, answer, phrase):
    slug, _, name = answer.partition("/")
    verdict = judged(judge, wrong_program(slug, name), slug, device="cpu")
    first = verdict.diagnosis[0]
    assert first.proof == "proven", verdict.diagnosis
    assert first.message.startswith(f"The output is what comes out if {phrase}")


def test_a_near_miss_of_some_cases_is_not_named(judge):
    """In every case but one the sum keeps its last step; there it is right."""
    source = (KERNELS / "matmul_naive" / "solution.py").read_text("utf-8")
    call = (
        source.rstrip()
        + """


right = matmul


def matmul(a, b):
    out = right(a, b)
    if a.shape[1] > 100:
        out = out * 2
    elif a.shape[1] > 64:
        return right(a[:, 64:], b[64:])
    return out
"""
    )
    verdict = judged(judge, call, "matmul_naive", device="cpu")
    assert not verdict.passed
    assert [d.proof for d in verdict.diagnosis if d.proof == "proven"] == []
    assert "comes out if" not in verdict.diagnosis[0].message


def loose(x):
    return 1e6 * x.abs()


def test_a_right_case_contradicts_a_near_miss_only_where_that_is_judged_wrong():
    """The bound of a large scale is looser than a thousandth of the largest element."""
    misses = (("1 is added", lambda x: x + 1),)
    case = Case("one", lambda g: (torch.ones(1),))
    reference = Reference(
        lambda x: x, lambda x: x, None, (case,), None, None, loose, None, near_misses=misses
    )
    small, large = (torch.tensor([1e-7]),), (torch.tensor([1.0]),)
    assert reference.miss_tells("1 is added", large[0], large)
    assert not reference.miss_fails("1 is added", large[0], large)
    assert reference.miss_fails("1 is added", small[0], small)


CAUGHT = {
    "by_make_fx": ("return make_fxx(f)(x)", "raised NameError: name 'make_fxx' is not defined"),
    "by_export": ("return torch.export.export(f, (x,)).module()", "raised ValueError: Expected"),
}


@pytest.mark.slow
@pytest.mark.parametrize("function", CAUGHT)
def test_an_error_that_the_starter_catches_is_told_with_its_line(judge, function):
    source = (KERNELS / "capture_five_ways" / "solution.py").read_text("utf-8")
    body, words = CAUGHT[function]
    begin = source.index(f"def {function}(f, x):")
    end = source.index("def ", begin + 4)
    broken = f"{source[:begin]}def {function}(f, x):\n    {body}\n\n\n{source[end:]}"
    verdict = judged(judge, broken, "capture_five_ways", device="cpu")
    assert first_code(verdict) == "crash", verdict.diagnosis
    first = verdict.diagnosis[0]
    assert first.message.startswith(f"`{function}` {words}")
    assert broken.splitlines()[(first.line or 1) - 1].strip() == body
    assert first.proof == "observed"
