"""Describe wrong output to which no rule applies: which elements are wrong, and what to look at."""

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    WrongCase,
    at_least_half_wrong,
    known_mistake,
    place_text,
    wrong_patterns,
)
from tutor.judge.model.verdict import Diagnosis

_MOST_ELEMENTS = 0.9  # a few elements can be right by chance
_MIN_ELEMENTS = 16  # smaller outputs show no pattern


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
