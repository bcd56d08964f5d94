"""Does a wrong case give another output where its programs run in the order of their ids?"""

from dataclasses import replace

from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.processes.limits import tolerated


def probe(cases: Cases, facts: list[CaseFacts]) -> None:
    """Ask it of the first wrong case of `facts` in which a plain access meets an atomic one; the answer
    is noted there.

    Sums come out a little different in each order, right ones too. So what counts is which elements
    are wrong, not what they hold.
    """
    for index, each in enumerate(facts):
        if each.passed or not each.pattern or not each.seen.get("clashes"):
            continue
        cases.begin_probe()
        with tolerated():
            _, again = cases.case(index, order=None)
            facts[index] = replace(each, order_counts=again.passed or _elsewhere(each, again))
        return


def _elsewhere(one: CaseFacts, other: CaseFacts) -> bool:
    a, b = one.pattern, other.pattern
    return a is not None and b is not None and (a.first, a.wrong) != (b.first, b.wrong)
