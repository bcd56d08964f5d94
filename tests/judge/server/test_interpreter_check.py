"""What counts of a case that a GPU judged and the interpreter watched."""

from dataclasses import replace

import pytest

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.case_groups import describe_groups
from tutor.judge.diagnosis.evidence import CaseEvidence, CaseFacts
from tutor.judge.processes.worker_messages.kernel_report import (
    AccessConflict,
    KernelReport,
    MaskedLanes,
    OutOfBoundsAccess,
)
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.judge.server.interpreter_check import join_results

MASKED = KernelReport(padded=(MaskedLanes(9, 7),))
OUTSIDE = OutOfBoundsAccess("load", True, 9, 1, 8, (0, 0, 0), (5,), (8,))
RACE = AccessConflict("out", 4, (1, 0, 0), "stores", 9, (0, 0, 0), "stores", 7)
RIGHT = CaseFacts("a", passed=True, numel=4, largest=1.0)
PATTERN = Pattern(
    total=4,
    wrong=1,
    first=0,
    unwritten=0,
    tail_from=None,
    overflowed=False,
    only_special=False,
    near=False,
    half_like=False,
    permuted=False,
    affine=None,
    zeros=False,
)
WRONG = replace(RIGHT, passed=False, pattern=PATTERN)
RAISED = replace(WRONG, raised=LearnerError("", "RuntimeError"))


@pytest.mark.parametrize(
    "interpreted",
    [
        replace(WRONG, seen=KernelReport(out_of_bounds=(OUTSIDE,))),
        replace(WRONG, seen=KernelReport(races=(RACE,))),
        replace(WRONG, neutral=0.0),
        replace(WRONG, order_counts=True),
    ],
    ids=["out of bounds", "a race", "a neutral value", "another order"],
)
@pytest.mark.parametrize("gpu", [RIGHT, WRONG, RAISED], ids=["right", "wrong", "raised"])
def test_what_is_proven_is_wrong(gpu, interpreted):
    assert join_results(gpu, interpreted) is interpreted


def test_numbers_that_merely_differ_count_where_the_gpu_s_are_wrong_too():
    assert join_results(RIGHT, WRONG) is RIGHT
    other = replace(WRONG, numel=5)
    assert join_results(WRONG, other) is other
    assert join_results(RAISED, other) is RAISED


def test_the_masked_lanes_of_right_cases_count_on_a_gpu_too():
    """Most cases with such lanes are right: the mask is not what is wrong."""
    wrong = [replace(WRONG, seen=MASKED)] * 2
    right = join_results(RIGHT, replace(RIGHT, seen=MASKED))
    full = [join_results(RIGHT, RIGHT)] * 2
    assert describe_groups(CaseEvidence("kernel", "f", "", (*wrong, *full))) != ""
    assert describe_groups(CaseEvidence("kernel", "f", "", (*wrong, *full, right))) == ""
