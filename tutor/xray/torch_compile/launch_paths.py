"""The launches of one call of a wrapper that Inductor wrote. Pure.

Branches of `torch.cond` are functions of their own, and a call takes one of them. Each function's
launches stand in the order in which Inductor wrote them; those of a loop are counted once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tutor.base.python_trees import parse_python


@dataclass(frozen=True)
class _Branches:
    ways: tuple[tuple[str | _Branches, ...], ...]


@dataclass(frozen=True)
class Launches:
    """The launches of a wrapper with branches, one after the other as they are written."""

    steps: tuple[str | _Branches, ...]

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernel of each launch, those of every branch included."""
        return tuple(_names(self.steps))

    def find_heaviest(self, weights: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of the launches of the call whose `weights`, one a launch, add up to the
        most; of equal ones the call with the most launches."""
        return tuple(_heaviest(self.steps, weights, 0)[0])


def read_launches(text: str) -> Launches | None:
    """Return the launches of the wrapper `text`; None if it has no branches, or is not understood."""
    if "# subgraph: " not in text:
        return None
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    if "call" not in functions:
        return None
    steps = tuple(_steps(functions["call"].body, functions, ("call",)))
    return Launches(steps)


def _steps(
    statements: Iterable[ast.stmt], functions: dict[str, ast.FunctionDef], inside: tuple[str, ...]
) -> Iterator[str | _Branches]:
    for statement in statements:
        if isinstance(statement, ast.If):
            ways = tuple(
                tuple(_steps(part, functions, inside))
                for part in (statement.body, statement.orelse)
            )
            if any(ways):
                yield _Branches(ways)
        elif isinstance(statement, ast.With | ast.While | ast.For | ast.Try):
            yield from _steps(statement.body, functions, inside)
        elif not isinstance(statement, ast.FunctionDef):
            yield from _of_calls(statement, functions, inside)


def _of_calls(
    statement: ast.stmt, functions: dict[str, ast.FunctionDef], inside: tuple[str, ...]
) -> Iterator[str | _Branches]:
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if (
            isinstance(called, ast.Attribute)
            and called.attr == "run"
            and isinstance(called.value, ast.Name)
        ):
            yield called.value.id
        elif isinstance(called, ast.Name) and called.id in functions and called.id not in inside:
            body = functions[called.id].body
            yield from _steps(body, functions, (*inside, called.id))


def _names(steps: Sequence[str | _Branches]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, _Branches):
            for way in step.ways:
                yield from _names(way)
        else:
            yield step


def _heaviest(
    steps: Sequence[str | _Branches], weights: Sequence[int], first: int
) -> tuple[list[int], int]:
    """Return the launches taken, numbered from `first`, and the number after all of them."""
    taken: list[int] = []
    for step in steps:
        if not isinstance(step, _Branches):
            taken.append(first)
            first += 1
            continue
        ways = []
        for way in step.ways:
            found, first = _heaviest(way, weights, first)
            ways.append(found)
        _, _, heaviest = max((sum(weights[n] for n in way), len(way), way) for way in ways)
        taken += heaviest
    return taken, first
