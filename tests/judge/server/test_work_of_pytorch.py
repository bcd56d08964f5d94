"""What an exercise lets PyTorch do beside its kernel (`HOST_OPERATIONS`)."""

from dataclasses import replace
from typing import Any

import pytest

from tutor.base import paths
from tutor.course.reading.exercise import read_exercise
from tutor.judge.cases.reference import load_reference
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import CaseResult
from tutor.judge.server.finding_order import JudgedCases, work_of_pytorch

NO_CASES: Any = None  # the check asks the learner's function nothing


@pytest.mark.parametrize(
    ("allowed", "named"),
    [((), "`torch.sum`, `torch.mul` did"), (("sum",), "`torch.mul` did"), (("sum", "mul_"), "")],
)
def test_what_an_exercise_allows_is_not_named(allowed: tuple[str, ...], named: str) -> None:
    folder = paths.course_root() / "kernels" / "row_sum"
    reference = replace(load_reference(folder / "reference.py"), host_operations=frozenset(allowed))
    judged = JudgedCases(read_exercise(folder), reference, "")
    judged.results.append(CaseResult("a row", "f32[1,3]", True))
    facts = CaseFacts("a row", True, launches=1, host_operations=("sum", "mul_"))
    judged.facts.append(facts)
    found = work_of_pytorch(judged, NO_CASES)
    assert [f.code for f in found] == (["did-not-launch"] if named else [])
    assert all(f.message.startswith(named) for f in found)
    judged.facts.append(CaseFacts("another", True, launches=0))
    assert [f.code for f in work_of_pytorch(judged, NO_CASES)] == ["did-not-launch"]
