"""A computed question about a learner's program, and the place that shows its answer."""

import ast
from dataclasses import dataclass

from tutor.base.python_trees import parse_python
from tutor.course.model import AskedQuestion
from tutor.judge.model.access_map import Place


@dataclass(frozen=True)
class AccessPlace:
    """A program of a launch in the access map of a case; `step` is one of its accesses, from 0."""

    case: str
    launch: int
    program: Place
    step: int | None = None


@dataclass(frozen=True)
class StagePlace:
    """A stage of the ladder by its key, and a line in it, from 1."""

    stage: str
    line: int | None = None


@dataclass(frozen=True)
class ProgramQuestion:
    """`kind` names what is asked for, such as "masked"."""

    kind: str
    question: AskedQuestion
    place: AccessPlace | StagePlace


@dataclass(frozen=True)
class Drawn:
    """At most one question of each kind. `disagreed` counts those that were not asked because the two
    records of the program answer them differently."""

    questions: tuple[ProgramQuestion, ...]
    disagreed: int = 0


def code_of_kernel(source: str, kernel: str) -> tuple[str, int]:
    """Return the text of the kernel's function with its decorators, and the number of its first line;
    "" and 0 if the file has no such function."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError):
        return "", 0
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            lines = source.split("\n")[first - 1 : node.end_lineno]
            return "\n".join(lines), first
    return "", 0


def lines_of_statement(code: str, line: int) -> range:
    """Return the lines of the statement that has a line, of one with a body those above the body."""
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError):
        return range(line, line + 1)
    found = range(line, line + 1)
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        if node.lineno <= line <= last:
            found = range(node.lineno, last + 1)
    return found


def is_used_between(code: str, start: int, end: int) -> bool:
    """Return True if a line between two others names what the statement at `start` sets."""
    try:
        names = [node for node in ast.walk(parse_python(code)) if isinstance(node, ast.Name)]
    except (SyntaxError, ValueError, RecursionError):
        return False
    inside = lines_of_statement(code, start)
    set_there = {n.id for n in names if isinstance(n.ctx, ast.Store) and n.lineno in inside}
    return any(n.id in set_there for n in names if inside[-1] < n.lineno < end)


def without_comments(code: str) -> str:
    """Return the code without lines that hold nothing but a comment: it is to fit on a page."""
    lines = code.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))
