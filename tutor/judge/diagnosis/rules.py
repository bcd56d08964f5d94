"""Order the likely causes of wrong output. Pure: evidence in, diagnoses out.

The rules themselves are in `observed_rules` and `fitted_rules`. The first finding is the verdict's
cause; the others are listed below it.
"""

from tutor.judge.diagnosis.evidence import CaseEvidence, Rule, near_miss
from tutor.judge.diagnosis.fallback import describe_wrong_values
from tutor.judge.diagnosis.fitted_rules import FITTED
from tutor.judge.diagnosis.observed_rules import OBSERVED
from tutor.judge.model.verdict import Diagnosis

MAX_FINDINGS = 4


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
