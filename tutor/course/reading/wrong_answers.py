"""Reader of an exercise's wrong answers: edits of its solution in `wrong.toml`, programs in `wrong/`.

An edit replaces a text that stands exactly once in `solution.py`. Edits of one answer do not overlap.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from importlib import metadata
from itertools import pairwise
from pathlib import Path

from tutor.course.model import WrongAnswer
from tutor.course.reading.faults import CourseFault, Fault, format_value, read_course_file
from tutor.course.reading.toml_table import Table, read_table

_NAME = r"[a-z][a-z0-9_]*"
_CODE = r"[a-z]+(-[a-z]+)*"
_RELEASE = r"(torch|triton) (\d+)\.(\d+)"
_FIRST_LINE = re.compile(
    rf"# expect: (?P<codes>{_CODE}(?: or {_CODE})*)(?:, until (?P<until>{_RELEASE}))?\s*"
)
_RIGHT_UNTIL = re.compile(rf"# until: ({_RELEASE})\s*")


def read_wrong_answers(folder: Path) -> tuple[WrongAnswer, ...]:
    """The wrong answers of the exercise in `folder`, by name.

    Raises `CourseFault` with every mistake of `wrong.toml` and of the files in `wrong/`.
    """
    faults: list[Fault] = []
    answers: dict[str, WrongAnswer] = {}
    for path in sorted((folder / "wrong").glob("*.py")):
        try:
            answers[path.stem] = _program(path)
        except CourseFault as fault:
            faults += fault.faults
    try:
        for answer in _read_edits(folder):
            if other := answers.get(answer.name):
                place = f"{format_value(answer.name)} again (first in {other.path.name})"
                faults.append(Fault(answer.path, answer.line, "name", "a name used once", place))
            answers[answer.name] = answer
    except CourseFault as fault:
        faults += fault.faults
    if faults:
        raise CourseFault(faults)
    return tuple(answers[name] for name in sorted(answers))


def read_until(right: str) -> tuple[str, int, int] | None:
    """Return the release from which on the text of a right answer cannot run; None without one."""
    match = _RIGHT_UNTIL.fullmatch(right.partition("\n")[0])
    return _release(match[1]) if match else None


def is_outdated(until: tuple[str, int, int] | None) -> bool:
    """Return True if the installed release of the package is this one or a later one."""
    if until is None:
        return False
    package, *since = until
    parts = metadata.version(package).split(".")
    return (int(parts[0]), int(parts[1])) >= tuple(since)


def wrong_answer(folder: Path, name: str) -> WrongAnswer:
    """One wrong answer of the exercise in `folder`. Raises `CourseFault`, also where it has none."""
    answers = {answer.name: answer for answer in read_wrong_answers(folder)}
    if name not in answers:
        names = ", ".join(answers) or "no wrong answers"
        place = folder / "wrong.toml"
        raise CourseFault([Fault(place, 1, "name", f"one of {names}", format_value(name))])
    return answers[name]


def without_hints(code: str, starter: str) -> str:
    """`code` without the comments that `starter` lacks; lines that hold nothing else go too.

    A wrong answer has the comments of the solution, which say how to do it right.
    """
    lines = code.split("\n")
    gone: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT and token.string not in starter:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
            if not lines[row - 1]:
                gone.add(row - 1)
    return "\n".join(line for row, line in enumerate(lines) if row not in gone)


def _program(path: Path) -> WrongAnswer:
    """A wrong answer that is a file. Its first line names the expected code, or several, and is left
    out."""
    first, _, code = read_course_file(path).partition("\n")
    match = _FIRST_LINE.fullmatch(first)
    if not match:
        raise CourseFault(
            [
                Fault(
                    path,
                    1,
                    "expect",
                    "`# expect: CODE` on line 1, perhaps with `, until torch 2.14`",
                    format_value(first),
                )
            ]
        )
    expect, *or_else = match["codes"].split(" or ")
    until = _release(match["until"] or "")
    return WrongAnswer(path.stem, expect, code, path, 2, until, or_else=tuple(or_else))


def _release(text: str) -> tuple[str, int, int] | None:
    """`triton 3.8` as ("triton", 3, 8)."""
    match = re.fullmatch(_RELEASE, text)
    return (match[1], int(match[2]), int(match[3])) if match else None


def _read_edits(folder: Path) -> Iterator[WrongAnswer]:
    path = folder / "wrong.toml"
    if not path.is_file():
        return
    file = read_table(path)
    solution = read_course_file(folder / "solution.py")
    for row in file.tables("wrong", least=1):
        name = row.matching("name", _NAME, "lower-case words joined by underscores")
        expect, *or_else = _codes(row)
        until = ""
        if "until" in row:
            until = row.matching("until", _RELEASE, "torch or triton and a release: triton 3.8")
        says = row.text("says", default="")
        edits = row.tables("edit", least=1) if "edit" in row else [row]
        spans = sorted(
            (*span, edit.line("replace")) for edit in edits if (span := _span(edit, solution))
        )
        if edits != [row]:
            for edit in edits:
                edit.finish("an edit")
        for (_, end, _, _), (start, _, _, line) in pairwise(spans):
            if start < end:
                place = "a place that another edit changes too"
                file.faults.append(Fault(path, line, "replace", "a place of its own", place))
        row.finish("a wrong answer with edits" if edits != [row] else "a wrong answer")
        code = _apply_edits(solution, [(start, end, new) for start, end, new, _ in spans])
        yield WrongAnswer(
            name, expect, code, path, row.line("name"), _release(until), says, tuple(or_else)
        )
    file.finish("a file of wrong answers")
    file.raise_faults()


def _codes(row: Table) -> tuple[str, ...]:
    """The expected code; where it is a list, that of the interpreter first."""
    code = "a code of a diagnosis, such as missing-mask"
    if not isinstance(row.value("expect"), list):
        return (row.matching("expect", _CODE, code),)
    codes = row.texts("expect", least=2)
    if faulty := [each for each in codes if not re.fullmatch(_CODE, each)]:
        row.fault("expect", code, format_value(faulty[0]))
    return codes or ("",)


def _span(edit: Table, solution: str) -> tuple[int, int, str] | None:
    """Start and end of the text that an edit replaces, and the new text; None for a faulty edit."""
    old, new = edit.value("replace"), edit.value("with")
    if not isinstance(old, str) or not old:
        edit.fault("replace", "a text of solution.py", format_value(old))
    elif (count := solution.count(old)) != 1:
        times = "no such text" if not count else f"{format_value(old)} {count} times"
        edit.fault("replace", "a text that stands once in solution.py", times)
    elif not isinstance(new, str) or new == old:
        same = "the same text" if new == old else format_value(new)
        edit.fault("with", "another text in its place", same)
    else:
        start = solution.index(old)
        return start, start + len(old), new
    return None


def _apply_edits(text: str, spans: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, new in spans:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])
