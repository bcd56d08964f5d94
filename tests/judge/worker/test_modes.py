"""Workers that interpret kernels and have PyTorch's compiler imported."""

import pytest
from judging import cell, judged

from tutor.base import paths

IMPORTED = """
import os, sys
print("torch._dynamo" in sys.modules, os.environ.get("TRITON_INTERPRET"))
"""

# Adds with a kernel, and fails if PyTorch's compiler had to be imported for it.
SUBMISSION = """
import sys
ready = "torch._dynamo" in sys.modules
import torch._dynamo
{solution}
if not ready:
    raise RuntimeError("the compiler was not there")
"""


@pytest.mark.parametrize(("mode", "imported"), [("interpret", "False 1"), ("both", "True 1")])
def test_what_a_cell_finds_imported(judge, mode: str, imported: str) -> None:
    text, done = cell(judge, mode, IMPORTED, mode=mode, seconds=60)
    assert done.ok, done.error
    assert text.strip() == imported
    judge.end_session(mode)


@pytest.mark.slow
def test_a_kernel_whose_text_names_the_compiler_finds_it(judge) -> None:
    solution = (paths.course_root() / "kernels" / "vector_add" / "solution.py").read_text("utf-8")
    verdict = judged(judge, SUBMISSION.format(solution=solution), "vector_add", device="cpu")
    assert verdict.passed, verdict.diagnosis


def test_a_learner_finds_counts_of_their_own_compilations_only(judge) -> None:
    counted = "from torch._dynamo.utils import counters\nprint(sum(map(len, counters.values())))"
    text, done = cell(judge, "counts", counted, mode="both", seconds=60)
    assert done.ok, done.error
    assert text.strip() == "0"
    judge.end_session("counts")
