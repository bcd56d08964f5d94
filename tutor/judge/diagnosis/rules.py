"""Order what is known of wrong output. Pure: evidence in, diagnoses out.

What is proven stands first, then what was observed (`observed_rules`, `fitted_rules`). Where nothing is,
the wrong elements are described, and no cause is named.
"""

from collections.abc import Sequence

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.case_groups import describe_groups
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    CaseFacts,
    Rule,
    WrongCase,
    known_mistake,
    near_miss,
    observed,
    place_text,
    smallest,
    wrong_patterns,
)
from tutor.judge.diagnosis.fitted_rules import FITTED
from tutor.judge.diagnosis.observed_rules import OBSERVED
from tutor.judge.model.verdict import Diagnosis

MAX_FINDINGS = 4
_MIN_SIZES = 2  # in which the same elements are wrong; in one it may be chance


def diagnose(evidence: CaseEvidence) -> tuple[Diagnosis, ...]:
    """Return what is proven, then what was observed; at least one finding if a case failed."""
    proven = near_miss(evidence)
    # The fitted rules are about kernels: strides, precision, masked lanes. A function returns counts.
    fitting = FITTED if evidence.kind in ("kernel", "compiled") else ()
    seen = _apply(OBSERVED, evidence) or ([] if proven else _apply(fitting, evidence))
    findings = ([proven] if proven else []) + seen
    if not findings and evidence.failed:
        findings = [describe_wrong_values(evidence)]
    return tuple(findings[:MAX_FINDINGS])


def is_observed(evidence: CaseEvidence) -> bool:
    """Return True if an observed rule applies: the code is wrong whatever its numbers look like."""
    return bool(_apply(OBSERVED, evidence))


def _apply(rules: tuple[Rule, ...], evidence: CaseEvidence) -> list[Diagnosis]:
    findings: list[Diagnosis] = []
    for rule in rules:
        finding = rule(evidence)
        if finding and all(finding.code != f.code for f in findings):
            findings.append(observed(finding))
    return findings


def describe_wrong_values(e: CaseEvidence) -> Diagnosis:
    """Say what is wrong and what is right, and ask: no cause is named.

    The sentence that the exercise's `explain_wrong` has for most of the cases stands first: it was
    seen, in the case that it names.
    """
    wrong = wrong_patterns(e)
    if not wrong:
        return Diagnosis("wrong-values", "The output is not what the task asks for.")
    if known := known_mistake(wrong):
        return observed(Diagnosis("wrong-values", f"{known[0]} In the {place_text(*known[1])}."))
    case, pattern = smallest(wrong)
    groups, common = describe_groups(e), _describe_all(wrong)
    said = f"{_share(pattern, common)} (smallest wrong {place_text(case, pattern)})."
    right = groups or _name_a_right_case(e.cases)
    finding = Diagnosis(
        "wrong-values",
        " ".join(filter(None, [said, common, right, "What does the task ask for there?"])),
    )
    return observed(finding) if groups or common else finding


def _share(pattern: Pattern, common: str) -> str:
    """Say how many elements of a case are wrong, and which, unless `common` says it of all cases."""
    if pattern.wrong == pattern.total:
        return "All elements are wrong" if pattern.total > 1 else "The result is wrong"
    where = f": {pattern.where}" if pattern.where and pattern.where not in common else ""
    verb = "is" if pattern.wrong == 1 else "are"
    return f"{pattern.wrong} of {pattern.total} elements {verb} wrong{where}"


def _describe_all(wrong: Sequence[WrongCase]) -> str:
    """Say what the outputs of all wrong cases have in common; "" if nothing is seen."""
    telling = [(c, p) for c, p in wrong if c.ordinary and p.comparable]
    if not telling:
        return ""
    case = telling[-1][0].name
    if all(p.zeros for _, p in telling):
        return "The output holds nothing but zeros."
    if all(p.permuted for _, p in telling):
        return "The right numbers stand in other places."
    places = {p.where for _, p in telling if p.wrong > 1}
    some = "" not in places and all(p.wrong < p.total for _, p in telling)
    if some and len(places) == 1 and len({p.total for _, p in telling}) >= _MIN_SIZES:
        return f"The same is wrong in all {len(telling)} cases, up to “{case}”: {places.pop()}."
    return ""


def _name_a_right_case(cases: Sequence[CaseFacts]) -> str:
    """Name the largest case that is right; "" if none is."""
    right = [case for case in cases if case.passed]
    if not right:
        return ""
    name = max(right, key=lambda case: (case.numel, case.extent)).name
    return f"Right in {len(right)} of {len(cases)} cases, as in “{name}”."
