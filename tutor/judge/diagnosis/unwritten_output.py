"""Rules for outputs of which elements were never stored."""

import re
from collections import Counter

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    CaseFacts,
    WrongCase,
    elements_text,
    known_mistake,
    place_text,
    wrong_patterns,
)
from tutor.judge.model.verdict import Diagnosis, KernelTraffic


def fixed_size(e: CaseEvidence) -> Diagnosis | None:
    """Find outputs whose written part ends at the same element whatever the size."""
    tails = [(c, p) for c, p in wrong_patterns(e) if p.tail_from and p.unwritten == p.wrong]
    starts = {p.tail_from for _, p in tails}
    if len({c.numel for c, _ in tails}) > 1 and len(starts) == 1:
        start = starts.pop()
        holes = any(p.unwritten and not p.tail_from for _, p in wrong_patterns(e))
        further = any(c.passed and c.numel > (start or 0) for c in e.cases)
        if holes or further:  # elements after `start` are written
            return None
        return Diagnosis(
            "hard-coded-size",
            f"Nothing of the output is stored from element {start} on, whatever its size "
            f"({tails[-1][0].numel} in “{tails[-1][0].name}”): the grid or a bound is a fixed number.",
        )
    return None


def missing_stores(e: CaseEvidence) -> Diagnosis | None:
    """Each wrong element holds the NaN that the judge put into new memory: nothing was stored
    there."""
    ordinary_wrong = any(not c.special for c in e.failed)
    known = [
        (c, p)
        for c, p in wrong_patterns(e)
        # If inputs are special, the NaN may come from them.
        if p.unwritten
        and p.unwritten == p.wrong
        and not (c.special and ordinary_wrong)
        and not _is_computed(e, c)
    ]
    if not known:
        return None
    case, pattern = _clearest_gap(known)
    if pattern.unwritten == pattern.total and _adds_only(e, case.traffic):
        return Diagnosis(
            "output-not-written",
            f"The output is the NaN that the judge puts into new memory (case “{case.name}”). Your "
            "kernel adds to what is there, and no store came before. `torch.empty` promises no value: "
            "begin with `torch.zeros`.",
        )
    if pattern.unwritten == pattern.total and _launches(case.traffic) > 1:
        return Diagnosis(
            "output-not-written",
            f"The output is the NaN that the judge puts into new memory (case “{case.name}”). Nothing "
            "was stored there, or a kernel read a place that nothing had been stored to. "
            "Which launch fills what the next one reads?",
        )
    last = pattern.tail_from == pattern.total - 1
    part = (
        f"{elements_text(pattern.tail_from, pattern.total - 1).capitalize()} of the output"
        if pattern.tail_from
        else "The output"
        if pattern.unwritten == pattern.total
        else f"Element {pattern.first} of the output"
        if pattern.unwritten == 1
        else f"{pattern.unwritten} of {pattern.total} elements of the output"
        f"{f', {pattern.where},' if pattern.where else ''}"
    )
    were = "was" if last or pattern.unwritten in (1, pattern.total) else "were"
    nothing = pattern.unwritten == pattern.total and _store_hint(e, case.traffic)
    look = nothing or _gap_text(e, case, pattern)
    if len(known) > 1 and all(_gap_kind(p) == "last" for _, p in known if p.total > 1):
        look = f"It is the last element alone in each of the {len(known)} wrong cases."
    return Diagnosis(
        "output-not-written",
        f"{part} {were} never stored (case “{case.name}”): the NaN that the "
        f"judge put there is still in place. {look}",
    )


def computed_nan(e: CaseEvidence) -> Diagnosis | None:
    """Find NaN that the kernel stored: a calculated one may have the bits of unwritten memory."""
    known = []
    for case, pattern in wrong_patterns(e):
        left = 0 if _is_computed(e, case) else pattern.unwritten  # perhaps never stored
        if not case.special and pattern.nan > left and 2 * (pattern.nan - left) >= pattern.wrong:
            known.append((case, pattern))
    if e.kind != "kernel" or not known or 2 * len(known) < len(wrong_patterns(e)):
        return None
    case, pattern = next((pair for pair in known if pair[1].total > 1), known[0])
    some = "" if pattern.nan == pattern.total else f" in {pattern.nan} of {pattern.total} elements"
    mistake = known_mistake(known)
    cause = mistake[0] if mistake else "Which lanes hold inf, or divide by 0?"
    return Diagnosis(
        "unstable-numerics" if any(c.passed for c in e.cases) else "wrong-values",
        f"Your kernel computes NaN and stores it{some} ({place_text(case, pattern)}). {cause}",
    )


def _is_computed(e: CaseEvidence, case: CaseFacts) -> bool:
    """Return True if one launch stored every element of the output, and not by additions to it."""
    every = case.seen.unstored == 0 and _launches(case.traffic) == 1
    return every and not _adds_only(e, case.traffic)


def _adds_only(e: CaseEvidence, traffic: KernelTraffic | None) -> bool:
    """Return True if the kernels changed memory by atomic additions and by no store."""
    adds = re.search(r"\batomic_add\(", e.source) and not re.search(r"\btl\.store\(", e.source)
    return bool(traffic and traffic.stored and adds)


def _launches(traffic: KernelTraffic | None) -> int:
    """Return the number of launches that stored, or 0."""
    return traffic.launches if traffic and traffic.stored else 0


def _gap_text(e: CaseEvidence, case: CaseFacts, pattern: Pattern) -> str:
    """Say what else was counted where a part of the output was stored, and ask."""
    if e.kind != "kernel":
        return "What fills the rest of the tensor that you return?"
    stored = pattern.total - pattern.unwritten
    if case.traffic and case.traffic.programs == 1:
        return f"One program accessed memory, and it stored {stored} of {pattern.total} elements."
    ran = f"{case.traffic.programs} programs accessed memory. " if case.traffic else ""
    return f"{ran}Which of them is to store {'it' if pattern.unwritten == 1 else 'these'}?"


def _clearest_gap(known: list[WrongCase]) -> WrongCase:
    """Choose the case that shows best which elements are left out.

    That is one with a periodic pattern, else one of the commonest kind. An output of one element
    belongs to every kind.
    """
    periodic = [(c, p) for c, p in known if p.repeats]
    larger = periodic or [(c, p) for c, p in known if p.total > 1] or known
    kinds = Counter(_gap_kind(p) for _, p in larger)
    return max(larger, key=lambda pair: kinds[_gap_kind(pair[1])])


def _gap_kind(pattern: Pattern) -> str:
    if pattern.unwritten == pattern.total:
        return "all"
    return "last" if pattern.tail_from == pattern.total - 1 else "some"


def _store_hint(e: CaseEvidence, traffic: KernelTraffic | None) -> str:
    """Explain why no element of the output was stored; "" if the accesses were not counted."""
    if traffic is None:
        return ""
    if not traffic.programs:
        return "The grid is empty: no program ran."
    if traffic.stored:
        return (
            "What your kernels stored went into another tensor than the one that you return: look at "
            "the pointer that `tl.store` is given."
        )
    if not re.search(r"\b(store|atomic_\w+)\b", e.source):
        return (
            "The kernel has no `tl.store`: what it computes is gone when it ends, and what it returns "
            "goes nowhere."
        )
    return (
        "Your kernels stored nothing at all: is `tl.store` reached, and its mask true for any lane?"
    )
