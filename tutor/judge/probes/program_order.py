"""A probe that runs a wrong case with its programs in the order of their ids."""

from dataclasses import replace

from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.processes.limits import tolerate_stop


def probe_program_order(cases: Cases, facts: list[CaseFacts]) -> None:
    """Probe the first wrong case of `facts` with a plain access that meets an atomic one.

    Note the answer there. Each order changes sums a little, right ones too. So the places of the wrong
    elements are compared and not their values.
    """
    for index, case in enumerate(facts):
        if case.passed or not case.pattern or not case.seen.clashes:
            continue
        cases.begin_probe()
        with tolerate_stop():
            _, again = cases.case(index, order=None)
            facts[index] = replace(
                case, order_counts=again.passed or _is_wrong_elsewhere(case, again)
            )
        return


def _is_wrong_elsewhere(one: CaseFacts, other: CaseFacts) -> bool:
    a, b = one.pattern, other.pattern
    return a is not None and b is not None and (a.first, a.wrong) != (b.first, b.wrong)
