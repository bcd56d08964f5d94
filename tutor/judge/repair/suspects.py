"""The lines on the way to accesses that were seen to go wrong: what sets their addresses and masks, in
the kernel and where it is launched. A change there is likelier to be the cause."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping

from tutor.judge.repair.edits import Edit
from tutor.judge.repair.trees import (
    ACCESSES,
    Function,
    calls,
    functions,
    launches,
    loads,
    locals_of,
    stores,
)

_MOST_STEPS = 4  # from an access to what sets a part of it
_LESS = (0.8, 0.8, 0.6, 0.4, 0.3)  # cost of a change so many steps away

Steps = dict[int, int]  # by a line


def find_suspects(tree: ast.Module, accesses: Collection[int]) -> Steps:
    """Return the lines on the way to the accesses in these lines, each with the number of steps from
    one of them: 0 for the access, 1 for what sets a name in its address or mask."""
    steps: Steps = {}
    for name, function in functions(tree).items():
        for statement in _settings(function):
            covered = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            if any(line in covered for line in accesses):
                reached = _walk_back(function, _names_of(statement), steps)
                _note(steps, statement, 0)
                for call in launches(tree, name):
                    _walk_launch(tree, function, call, reached, steps)
    return steps


def less_cost(steps: Mapping[int, int], edits: Iterable[Edit]) -> float:
    """Return by how much edits are likelier than others: the least of one on the way to an access."""
    return min((_LESS[steps[e.line]] if e.line in steps else 0.0 for e in edits), default=0.0)


def _settings(function: Function) -> Iterator[ast.stmt]:
    """Yield the statements of a function that hold no others."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return):
            yield node


def _names_of(statement: ast.stmt) -> set[str]:
    found = list(calls(statement, *ACCESSES))
    parts = [part for call in found for part in _place_of(call)]
    return loads(parts or [statement])


def _place_of(call: ast.Call) -> list[ast.expr]:
    """Return the address of an access, and its mask."""
    masks = [keyword.value for keyword in call.keywords if keyword.arg == "mask"]
    return [*call.args[:1], *masks]


def _walk_back(function: Function, names: set[str], steps: Steps) -> dict[str, int]:
    """Note what sets these names in a function, and what sets the names in that. Returns how many steps
    away each name is."""
    rows = [*_settings(function), *(n for n in ast.walk(function) if isinstance(n, ast.For))]
    reached = dict.fromkeys(names, 1)
    waiting = set(names)
    for step in range(1, _MOST_STEPS):
        more: set[str] = set()
        for row in rows:
            sets, reads = (row.target, row.iter) if isinstance(row, ast.For) else (row, row)
            if stores([sets]) & waiting:
                _note(steps, row, step)
                more |= loads([reads])
        waiting = more - set(reached)
        reached |= dict.fromkeys(waiting, step + 1)
    return reached


def _walk_launch(
    tree: ast.Module, function: Function, call: ast.Call, reached: dict[str, int], steps: Steps
) -> None:
    """Note what a launch hands over for the parameters that were reached, its grid, and what sets
    these."""
    assert isinstance(call.func, ast.Subscript)
    handed = {k.arg: k.value for k in call.keywords if k.arg in reached}
    for name, value in handed.items():
        _note(steps, value, min(reached[name or ""], _MOST_STEPS))
    for part in (call.func.slice, *call.args):  # arguments whose parameters are not known
        _note(steps, part, 2)
    names = loads([*handed.values(), call.func.slice])
    for host in functions(tree).values():
        if host is not function and any(node is call for node in ast.walk(host)):
            for row in _settings(host):
                if stores([row]) & names & set(locals_of(host)):
                    _note(steps, row, 3)


def _note(steps: Steps, node: ast.AST, step: int) -> None:
    first = getattr(node, "lineno", 0)
    last = first if isinstance(node, ast.For) else getattr(node, "end_lineno", None) or first
    for line in range(first, last + 1):
        steps[line] = min(step, steps.get(line, step))
