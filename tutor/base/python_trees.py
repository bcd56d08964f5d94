"""Parse Python, one thread at a time.

CPython counts the depth of a tree that it builds in a place that all threads share
(python/cpython#106905). A garbage collection in the middle can let another thread build a tree too, and
then one of them raises `SystemError`. It can go when no supported Python does.
"""

import ast
import os
from threading import RLock
from typing import Literal, cast, overload

_DEEPEST = 150  # levels; `ast.dump` and the like call themselves up to four times for each
_one = RLock()


def _renew() -> None:
    """In a forked process the thread that holds the lock may be missing."""
    global _one
    _one = RLock()


os.register_at_fork(after_in_child=_renew)


@overload
def parse_python(
    source: str, mode: Literal["exec"] = "exec", *, filename: str = ...
) -> ast.Module: ...
@overload
def parse_python(source: str, mode: Literal["eval"], *, filename: str = ...) -> ast.Expression: ...
@overload
def parse_python(
    source: str, mode: Literal["exec", "eval"], *, filename: str = ...
) -> ast.Module | ast.Expression: ...


def parse_python(
    source: str, mode: Literal["exec", "eval"] = "exec", *, filename: str = "<unknown>"
) -> ast.Module | ast.Expression:
    """As `ast.parse`, with its errors."""
    with _one:
        return cast("ast.Module | ast.Expression", ast.parse(source, filename, mode))


def is_deep(tree: ast.AST) -> bool:
    """Return True if a walk by recursion may not reach the innermost parts: 150 `elif` are enough."""
    level = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True
