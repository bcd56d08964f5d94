"""Order the likely causes of wrong output. Pure: evidence in, diagnoses out.

The rules themselves are in `observed_rules` and `fitted_rules`. The first finding is the verdict's
cause; the others are listed below it. Where no rule applies, the wrong elements are described.
"""

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    Rule,
    WrongCase,
    at_least_half_wrong,
    known_mistake,
    near_miss,
    place_text,
    wrong_patterns,
)
from tutor.judge.diagnosis.fitted_rules import FITTED
from tutor.judge.diagnosis.observed_rules import OBSERVED
from tutor.judge.model.verdict import Diagnosis

MAX_FINDINGS = 4
_MOST_ELEMENTS = 0.9  # a few elements can be right by chance
_MIN_ELEMENTS = 16  # smaller outputs show no pattern


def diagnose(evidence: CaseEvidence) -> tuple[Diagnosis, ...]:
    """Return the likely causes, likeliest first; at least one if a case failed."""
    # The fitted rules are about kernels: sizes, strides, precision. A function returns counts. What its
    # exercise knows holds for it too.
    fitting = (near_miss,) if evidence.kind == "function" else FITTED
    findings = _apply(OBSERVED, evidence) or _apply(fitting, evidence)
    if not findings and evidence.failed:
        findings = [describe_wrong_values(evidence)]
    return tuple(findings[:MAX_FINDINGS])


def is_proven(evidence: CaseEvidence) -> bool:
    """Return True if an observed rule applies: the code is wrong whatever its numbers look like."""
    return bool(_apply(OBSERVED, evidence))


def _apply(rules: tuple[Rule, ...], evidence: CaseEvidence) -> list[Diagnosis]:
    findings: list[Diagnosis] = []
    for rule in rules:
        finding = rule(evidence)
        if finding and all(finding.code != f.code for f in findings):
            findings.append(finding)
    return findings


def describe_wrong_values(e: CaseEvidence) -> Diagnosis:
    """Name the wrong elements and a hint for them."""
    wrong = wrong_patterns(e)
    if not wrong:
        return Diagnosis("wrong-values", "The output is not what the task asks for.")
    if known := _known_mistake(wrong):
        return known
    ordinary = [(c, p) for c, p in wrong if c.ordinary] or wrong
    # Outputs with few elements, or with equal ones, show no pattern.
    large = [(c, p) for c, p in ordinary if p.comparable and p.total >= _MIN_ELEMENTS] or ordinary
    case, pattern = _clearest(wrong, large)
    if all(p.zeros for _, p in large):
        message = f"The output holds nothing but zeros ({place_text(case, pattern)}). {e.sources}"
        return Diagnosis("wrong-values", message.rstrip())
    if (
        all(p.near and isinstance(p.got, float) for _, p in ordinary)
        and at_least_half_wrong(ordinary, e.cases)
        and not e.sources
    ):
        return Diagnosis(
            "wrong-values",
            f"Nearly right, but further off than rounding leaves it ({place_text(case, pattern)}): a "
            "small term, an eps or a correction, is missing or stands in another place than the task "
            "has it.",
        )
    some = pattern.wrong < pattern.total
    share = f"{pattern.wrong} of {pattern.total}" if some else "All"
    which = f": {pattern.where}" if some and pattern.where else ""
    message = f"{share} elements are wrong{which} ({place_text(case, pattern)})."
    return Diagnosis("wrong-values", f"{message} {e.sources or _hint(pattern, e.kind)}")


def _known_mistake(wrong: list[WrongCase]) -> Diagnosis | None:
    """Return the mistake that the exercise's `explain_wrong` names most often, with its first case."""
    sentence = known_mistake([case for case, _ in wrong])
    if not sentence:
        return None
    case, pattern = next((c, p) for c, p in wrong if c.mistake == sentence)
    return Diagnosis("wrong-values", f"{sentence} In the {place_text(case, pattern)}.")


def _clearest(wrong: list[WrongCase], large: list[WrongCase]) -> WrongCase:
    """Choose the case to show: one whose elements' origin is known, else one with a pattern."""
    known = next(((c, p) for c, p in wrong if c.sources), None)
    return known or next(((c, p) for c, p in large if p.where), large[0])


def _hint(pattern: Pattern, kind: str) -> str:
    if pattern.wrong >= _MOST_ELEMENTS * pattern.total:
        return "Work out by hand what your code computes there: the formula, and the elements it reads."
    if kind == "kernel" and pattern.tail_from and 2 * pattern.wrong <= pattern.total:
        return "These are the last ones: look at the last block, at its mask and at what its lanes hold."
    if pattern.wrong == 1:
        return "It is the only one: what has it, or its inputs, that no other has?"
    if pattern.where and kind != "kernel":
        return "Look at what your code does for these and not for the others."
    if pattern.where:
        return "Which programs, and which lanes of theirs, compute these and not the others?"
    return (
        "Where they stand follows no rule: compare the inputs of a wrong element with those of a right "
        "one, their signs and their sizes."
    )
