"""Would a wrong case come right with a neutral value in every masked lane?"""

from dataclasses import replace

from tutor.judge.cases import Cases
from tutor.judge.diagnose import CaseFacts
from tutor.judge.pool import Limits, Stopped

PROBE_SECONDS = 3.0
_VALUES = (float("-inf"), 0.0, float("inf"), 1.0)  # neutral for max, sum, min, product


def probe(cases: Cases, facts: list[CaseFacts]) -> None:
    """Ask it of the first wrong case of `facts`, in which the answer is noted."""
    for index, each in enumerate(facts):
        masked = each.seen.get("undefined") or each.seen.get("padded")
        if each.passed or not each.pattern or not masked:
            continue
        cases.worker.begin(Limits(PROBE_SECONDS, cases.limits().memory_bytes))
        try:
            seen = set()
            for value in _VALUES:
                result, again = cases.case(index, padding=value)
                if again.passed:
                    facts[index] = replace(each, neutral=value)
                    return
                seen.add(str(result.mismatch))
            facts[index] = replace(each, padding_counts=len(seen) > 1)
        except Stopped as stop:  # a probe may fail; the verdict stands without it
            if stop.code == "cancelled":
                raise
        return
