"""Probes that run a wrong case again in the interpreter: with neutral values in every masked lane, or
with its programs in the order of their ids."""

from dataclasses import replace

from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.processes.limits import tolerate_stop

_MIN_ELEMENTS = 8  # of an output; fewer can be right by chance
_MOST_OTHERS = 3  # further wrong cases in which a value has to be right as well
_VALUES = (float("-inf"), 0.0, float("inf"), 1.0)  # neutral for max, sum, min, product


def probe_masked_lanes(cases: Cases, facts: list[CaseFacts]) -> None:
    """Probe one wrong case of `facts` and note the answer there.

    It is the smallest case that chance cannot make right, else the first.
    """
    masked = [
        i
        for i, case in enumerate(facts)
        if not case.passed and case.pattern and (case.seen.undefined or case.seen.padded)
    ]
    if not masked:
        return
    telling = [i for i in masked if facts[i].numel >= _MIN_ELEMENTS and not facts[i].constant]
    index = min(telling, key=lambda i: facts[i].numel, default=masked[0])
    # In one case a value may be neutral by chance: 0 for the minimum of negative numbers.
    others = sorted(set(masked) - {index}, key=lambda i: facts[i].numel)[:_MOST_OTHERS]
    cases.begin_probe()
    with tolerate_stop():
        right = []
        for value in _VALUES:
            if cases.case(index, padding=value)[1].passed:
                right.append(value)
                if all(cases.case(i, padding=value)[1].passed for i in others):
                    facts[index] = replace(facts[index], neutral=value)
                    return
        if right:
            facts[index] = replace(facts[index], neutral=right[0])


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
