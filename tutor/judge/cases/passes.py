"""A rewritten program, as a worker tells it, held to what the exercise asks of its pass. Pure."""

from __future__ import annotations

import ast
import math
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch

from tutor.base.python_trees import parse_python
from tutor.judge.cases.result_difference import differing
from tutor.judge.comparison.compare import first_mismatch
from tutor.judge.model.verdict import Mismatch
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.worker_messages.questions import PassRules
from tutor.judge.processes.worker_messages.records import OutputTensor
from tutor.judge.processes.worker_messages.rewrite_report import (
    MOST_ELEMENTS,
    Operation,
    RewriteFault,
    RewriteReport,
)
from tutor.judge.spec import Rewrite

Demand: TypeAlias = Callable[[str, Sequence[Operation], Sequence[Operation]], Any]
UNREADABLE = "unreadable"  # the reason where the case's own program cannot be run
RETURNED = "returned"  # that where the pass returned something else

_NOTES = {  # what the row of a case says
    "differs": "",
    "broken": "not in order",
    "stops": "stops",
    "stale": "runs its old code",
    "loose": "a value of nobody",
    "renamed": "other names",
    "longer": "longer than before",
    "long": "not short enough",
    "short": "too short",
    "again": "not at rest",
    RETURNED: "returned something else",
    UNREADABLE: "cannot be run",
}


def make_rules(rewrite: Rewrite, subject: str) -> PassRules:
    """Return what a worker has to know of the exercise."""
    return PassRules(
        subject,
        rewrite.returns,
        rewrite.rtol,
        rewrite.idempotent,
        rewrite.only_read,
        rewrite.shapes,
    )


def count_calls(operations: Sequence[Operation]) -> int:
    """Count the operations that compute: no constants, inputs and results."""
    return sum(each.times for each in operations if each.kind.startswith("call"))


def find_fault(
    rewrite: Rewrite,
    args: tuple[Any, ...],
    report: RewriteReport,
    *,
    most: Callable[..., Any] | None = None,
    least: Callable[..., Any] | None = None,
    cost: Callable[[Sequence[Operation]], int] | None = None,
    check: Demand | None = None,
) -> RewriteFault | None:
    """Return what is wrong with the rewritten program of a case's arguments: what the worker saw, then
    what the exercise demands of its operations, their number, and a second run of the pass."""
    if report.fault:
        return report.fault
    if check and (found := check(args[0], report.before, report.after)):
        code, said = ("wrong-graph", found) if isinstance(found, str) else found
        return RewriteFault("demand", code, said)
    cost = cost or count_calls
    fault = _count(rewrite, args, report, most, cost)
    if fault is None and least is not None:
        fault = _find_lack(rewrite, args, report, least, cost)
    return fault or _find_unrest(report)


def _count(
    rewrite: Rewrite,
    args: tuple[Any, ...],
    report: RewriteReport,
    most: Callable[..., Any] | None,
    cost: Callable[[Sequence[Operation]], int],
) -> RewriteFault | None:
    have, was = cost(report.after), cost(report.before)
    if most is None:
        if have <= was:
            return None
        said = f"{_amount(have, rewrite.unit)} left, and before there were {was}."
        return RewriteFault("longer", "wrong-graph", said)
    may = most(*args)
    if have <= (enough := _total(may)):
        return None
    said = f"{_amount(have, rewrite.unit)} left, {enough} would do."
    if isinstance(may, Counter) and (spare := next(iter(_count_names(report) - may), "")):
        said += f" `{spare}` need not stay."
    return RewriteFault("long", "wrong-graph", said)


def _find_lack(
    rewrite: Rewrite,
    args: tuple[Any, ...],
    report: RewriteReport,
    least: Callable[..., Any],
    cost: Callable[[Sequence[Operation]], int],
) -> RewriteFault | None:
    must = least(*args)
    if (have := cost(report.after)) >= (needed := _total(must)):
        return None
    said = f"{_amount(have, rewrite.unit)} left, and {needed} have to stay."
    if isinstance(must, Counter) and (gone := next(iter(must - _count_names(report)), "")):
        said += f" `{gone}` " + (
            "runs too seldom." if _count_names(report)[gone] else "is missing."
        )
    return RewriteFault("short", "wrong-graph", said)


def _total(bound: Any) -> int:
    return bound.total() if isinstance(bound, Counter) else int(bound)


def _count_names(report: RewriteReport) -> Counter[str]:
    names = Counter[str]()
    for each in report.after:
        names[each.name] += each.times
    return names


def _amount(count: int, unit: str) -> str:
    return f"1 {unit.removesuffix('s')} is" if count == 1 else f"{count} {unit} are"


def _find_unrest(report: RewriteReport) -> RewriteFault | None:
    if not report.again:
        return None
    said = f"a second run of the pass still changes something, first `{report.again}`."
    return RewriteFault("again", "wrong-graph", said)


def note_of(fault: RewriteFault) -> str:
    """Return a few words for the row of a case."""
    return _NOTES.get(fault.reason, "not as asked")


def find_mismatch(got: torch.Tensor, want: torch.Tensor, rtol: float) -> Mismatch | None:
    """Return the first element of a result that differs from before the pass."""
    return first_mismatch(got, want, differing(want, got, rtol))


def read_tensor(described: OutputTensor, fd: int) -> torch.Tensor:
    """Return the elements in a file that a worker has sent; none of what it should not have sent."""
    count = math.prod(described.shape)
    dtype = shared_tensors.DTYPES.get(described.dtype)
    if dtype is None or not 0 < count <= MOST_ELEMENTS:
        return torch.empty(0)
    data = shared_tensors.read_file(fd, count * dtype.itemsize)
    return torch.empty(0) if data is None else data.view(dtype).reshape(described.shape)


def show_program(text: str) -> tuple[str, ...]:
    """Return the lines of a program that matter: of Python the body of the function, of MLIR without
    the module around it."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    heads = [at for at, line in enumerate(lines) if re.match(r"\s*def (forward|main)\(", line)]
    if heads:
        lines = lines[heads[0] + 1 :]
    elif lines and re.match(r"\s*(builtin\.)?module\b.*\{$", lines[0]) and lines[-1].strip() == "}":
        lines = lines[1:-1]
    return tuple(textwrap.dedent("\n".join(lines)).splitlines())


def name_inputs(text: str, count: int) -> tuple[str, ...]:
    """Return the names of a program's inputs as its text has them, or "input 1", "input 2", …"""
    names = tuple(_find_names(text))
    return names if len(names) == count else tuple(f"input {number + 1}" for number in range(count))


def _find_names(text: str) -> list[str]:
    if head := re.search(r"^\s*def (?:forward|main)\(", text, re.MULTILINE):
        tree = parse_python(text)
        named = head[0].split()[1].rstrip("(")
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        arguments = next(node for node in nodes if node.name == named).args.args
        return [each.arg for each in arguments if each.arg != "self"]
    if head := re.search(r"func\.func @\w+\((.*?)\) (?:->|\{)", text):
        return re.findall(r"(%\w+)\s*:", head[1])
    head = re.search(r"\(([^()]*)\)\s*=>", text)  # of ONNX: `float[2,3] x, float y`
    return re.findall(r"(\w+)\s*(?=,\s*\w+\W|$)", re.sub(r"\[.*?\]", "", head[1])) if head else []
