"""The near miss that explains a wrong answer as a whole.

It gives the output of every wrong case that can tell it from the truth, and it would have made no case
wrong that is right. Less than that may be chance. The learner's code is not called.
"""

from collections import Counter

from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import make_inputs
from tutor.judge.diagnosis.evidence import CaseFacts

_MOST_ELEMENTS = 20_000  # of an output that is compared


def find_near_miss(cases: Cases, facts: list[CaseFacts]) -> str:
    """Return the phrase of a near miss that explains every wrong case; "" if none does."""
    if any(not case.passed and case.pattern is None for case in facts):
        return ""  # an error, or an output of another shape
    named = Counter(phrase for case in facts for phrase in case.misses or ())
    return next((phrase for phrase, _ in named.most_common() if _holds(cases, facts, phrase)), "")


def _holds(cases: Cases, facts: list[CaseFacts], phrase: str) -> bool:
    others = (
        index
        for index, case in enumerate(facts)
        if case.passed or (case.misses is not None and phrase not in case.misses)
    )
    return not any(_tells(cases, index, phrase, facts[index].passed) for index in others)


def _tells(cases: Cases, index: int, phrase: str, passed: bool) -> bool:
    """Return True if case `index` contradicts the near miss.

    A right case does where the near miss would be judged wrong. A wrong one, whose output is another,
    does where the near miss gives another output than the truth. None does whose output is too large.
    """
    reference = cases.reference
    args = make_inputs(reference.cases[index], cases.seed + index)
    want = reference.want(args)
    if want.numel() > _MOST_ELEMENTS:
        return False
    return (reference.miss_fails if passed else reference.miss_tells)(phrase, want, args)
