"""The verdict of a review that asked for a twist."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tutor.judge.model.verdict import Diagnosis, Verdict

CODE = "not-the-twist"


def hold_to_twist(verdict: Verdict, twist: int) -> Verdict:
    """Return a right program's verdict as one that is not passed where it was not written by the twist
    of this number (0: none was asked for); any other verdict as it is."""
    broken = next((f for f in verdict.twists if f.number == twist and not f.kept), None)
    if not verdict.passed or broken is None:
        return verdict
    finding = Diagnosis(CODE, broken.message, broken.line, proof="observed")
    return replace(verdict, passed=False, diagnosis=(finding,))


def find_missed_twist(kept: Mapping[str, Any]) -> str:
    """Return the sentence of a kept verdict (JSON) on a program that was right, but not written by the
    twist; "" of any other verdict."""
    causes = kept.get("diagnosis")
    first = causes[0] if isinstance(causes, list) and causes else None
    if not isinstance(first, Mapping) or first.get("code") != CODE:
        return ""
    return str(first.get("message", ""))
