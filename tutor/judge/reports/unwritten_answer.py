"""The sentence on an answer of which nothing is written yet. Pure."""

import ast
import re
from collections.abc import Iterator

from tutor.base.python_trees import parse_python
from tutor.judge.model.verdict import CaseResult, Verdict

_TASK = re.compile(r"\s*# (?:Re)?[Ww]rite\b")  # the comment of a starter that says what to write
_INSIDE = re.compile(r"\s+# ")  # else its first comment within a function
_ADDS = re.compile(r"\batomic_\w+\(")  # to NaN, where the output was made with torch.empty
_EMPTY = re.compile(r"\[(?:\d+,)*0[,\]]")  # a shape without elements


def unwritten(source: str, starter: str, verdict: Verdict) -> str:
    """Return one sentence if `source` is the untouched starter or nothing is stored, else "".

    A starter that is right in every case is told what else the task asks for.
    """
    if not starter or verdict.passed:
        return ""
    missing = _missing(source, starter)
    untouched = is_starter(source, starter)
    if all(case.passed for case in verdict.cases):
        lacks = verdict.diagnosis[0].message if verdict.diagnosis else "what the task asks besides"
        right = "This is still the starter. It is right in every case; this is what it lacks: "
        return f"{right}{lacks}" if untouched and verdict.cases else ""
    if untouched:
        return f"This is still the starter{f', and {missing}' if missing else ''}."
    causes = verdict.diagnosis[:1]
    if (
        causes
        and causes[0].code == "output-not-written"
        and all(map(stores_nothing, verdict.cases))
        and (missing or not _ADDS.search(source))
    ):
        hint = f"{missing[0].upper()}{missing[1:]}." if missing else causes[0].message
        return f"Nothing was stored in any case. {hint}"
    return ""


def is_starter(source: str, starter: str) -> bool:
    """Compare two programs without their white space and comments."""
    if source.split() == starter.split():
        return True
    try:
        return ast.dump(parse_python(source)) == ast.dump(parse_python(starter))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a NUL, or too deep
        return False


def stores_nothing(case: CaseResult) -> bool:
    """Return True if the NaN that the judge put into the output is still there everywhere."""
    if case.passed or case.mismatch is None:
        return case.passed and _EMPTY.search(case.inputs) is not None
    wrong = case.mismatch
    return wrong.count == wrong.total and str(wrong.got) == "nan"


def missing_lines(source: str, starter: str) -> dict[int, str]:
    """Return the starter's comments on what to write that are still in `source`, by their lines."""
    rows = [row.strip() for row in source.splitlines()]
    return {rows.index(row) + 1: text for row, text in _tasks(starter) if row in rows}


def _missing(source: str, starter: str) -> str:
    """Quote the comments of `missing_lines`, with their lines."""
    missing = missing_lines(source, starter)
    if not missing:
        return ""
    says = "asks" if next(iter(missing.values())).endswith("?") else "says what is missing"
    first, *others = (f"line {line}{{}}: “{text.rstrip('.')}”" for line, text in missing.items())
    return " and ".join([first.format(f" {says}"), *(place.format("") for place in others)])


def _tasks(starter: str) -> Iterator[tuple[str, str]]:
    """Yield the first row of each comment that says what to write, and its whole text.

    Where none does, that is the first comment in a function, with its last sentence.
    """
    rows = starter.splitlines()
    starts = [i for i, row in enumerate(rows) if _TASK.match(row)]
    starts = starts or [i for i, row in enumerate(rows) if _INSIDE.match(row)][:1]
    for start in starts:
        end = start + 1
        while end < len(rows) and _INSIDE.match(rows[end]) and end not in starts:
            end += 1
        text = " ".join(row.strip().removeprefix("# ") for row in rows[start:end])
        if not _TASK.match(rows[start]):
            text = re.split(r"(?<=[.?!]) ", text)[-1]
        yield rows[start].strip(), text
