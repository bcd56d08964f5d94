"""Would a wrong case come right with a neutral value in every masked lane?"""

from dataclasses import replace

from tutor.judge.cases.case_runner import Cases
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.processes.limits import tolerated

_TELLING = 8  # elements of an output
_VALUES = (float("-inf"), 0.0, float("inf"), 1.0)  # neutral for max, sum, min, product


def probe(cases: Cases, facts: list[CaseFacts]) -> None:
    """Ask it of one wrong case of `facts`, in which the answer is noted: of the smallest that more than
    chance can make right, else of the first."""
    masked = [
        i for i, each in enumerate(facts)
        if not each.passed and each.pattern
        and (each.seen.get("undefined") or each.seen.get("padded"))
    ]  # fmt: skip
    if not masked:
        return
    telling = [i for i in masked if facts[i].numel >= _TELLING and not facts[i].constant]
    index = min(telling, key=lambda i: facts[i].numel, default=masked[0])
    cases.begin_probe()
    with tolerated():
        seen = set()
        for value in _VALUES:
            result, again = cases.case(index, padding=value)
            if again.passed:
                facts[index] = replace(facts[index], neutral=value)
                return
            seen.add(str(result.mismatch))
        facts[index] = replace(facts[index], padding_counts=len(seen) > 1)
