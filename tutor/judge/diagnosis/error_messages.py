"""From an error's text to what the learner did. Pure; the original text stays in `detail`."""

import re
from typing import Any

from tutor.judge.diagnosis.error_table import LAUNCHED, TABLE
from tutor.judge.model.verdict import Diagnosis


def known(kind: str, text: str, launched: bool = False) -> tuple[str, str] | None:
    """Code and sentence of the first row that knows an error of type `kind` with the message
    `text`; None where none does. `launched`: Triton raised it, or a kernel that Triton ran."""
    for row in (*LAUNCHED, *TABLE) if launched else TABLE:
        match = re.search(row.text, text) if re.fullmatch(row.type, kind) else None
        if match:
            return row.code, row.says.format(*(g or "" for g in match.groups()))
    return None


def translate(report: dict[str, Any], case: str = "", fallback: str = "crash") -> Diagnosis:
    """One sentence for an error as `learner_module.describe` reports it.

    `fallback` is the code for an error that no row knows.
    """
    kind, text = str(report.get("type", "")), str(report.get("message", ""))
    line = report.get("line")
    if told := known(kind, text, bool(report.get("launched"))):
        code, said = told
    else:
        first = text.strip().splitlines()[0][:300] if text.strip() else ""
        compiling = report.get("compiling") or kind == "InterpreterError"
        code = "compile-error" if compiling or fallback == "compile-error" else fallback
        said = f"Your code raised {kind}: {first}" if first else f"Your code raised {kind}."
        if not kind:  # a report that is a sentence already
            said = first
    where = f" (line {line})" if line else ""
    when = f" It happened in the case “{case}”." if case and kind else ""
    return Diagnosis(
        code, _ended(said, where) + when, line=line, detail=str(report.get("detail", ""))
    )


def graph_break(reason: str) -> str:
    """One clause for why a graph breaks, from Dynamo's reason; its first line where no row knows it."""
    told = known("Unsupported", reason)
    first = next((line.strip() for line in reason.splitlines() if line.strip()), "")
    return (told[1] if told else first or "an untraceable call").rstrip(".")


def _ended(sentence: str, where: str) -> str:
    sentence = sentence.rstrip()
    if sentence.endswith("."):
        return f"{sentence[:-1]}{where}."
    return f"{sentence}{where}."
