"""A probe that runs a wrong case again with contiguous copies of its views."""

from dataclasses import replace

import torch

from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import make_inputs
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.processes.limits import tolerate_stop


def probe_copied_views(cases: Cases, facts: list[CaseFacts]) -> None:
    """Probe the smallest wrong case of `facts`, if all wrong ones have a view among their inputs, and
    note the answer there."""
    wrong = [i for i, case in enumerate(facts) if not case.passed]
    if any(facts[i].contiguous for i in wrong) or not any(c.passed and c.contiguous for c in facts):
        return
    index = min(wrong, key=lambda i: facts[i].numel)
    made = make_inputs(cases.reference.cases[index], cases.seed + index)
    copies = tuple(a.contiguous() if isinstance(a, torch.Tensor) else a for a in made)
    cases.begin_probe()
    with tolerate_stop():
        right = cases.case(index, copies)[1].passed
        facts[index] = replace(facts[index], copied_right=right)
