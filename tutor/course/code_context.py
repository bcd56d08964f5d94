"""The lines of earlier cells that code uses: enough to read it outside its lesson."""

import ast
import re

from tutor.base.python_trees import parse_python

_MOST_LINES = 30
_CODE_WORDS = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z_]\w*")


def context_of(code: str, prompt: str, earlier: str) -> str:
    """Return the statements of `earlier` that define what `code` and the code words of `prompt` use,
    in their order. Imports are left out; "" if there are more than `_MOST_LINES` lines, or none."""
    wanted = {name for words in _CODE_WORDS.findall(prompt) for name in _NAME.findall(words)}
    for node in reversed(_parse_statements(code)):
        wanted = wanted - _find_bound_names(node) | _find_read_names(node)
    lines = earlier.split("\n")
    kept: list[str] = []
    for node in reversed(_parse_statements(earlier)):
        if not _find_bound_names(node) & wanted:
            continue
        wanted = wanted - _find_bound_names(node) | _find_read_names(node)
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        kept[:0] = lines[first - 1 : node.end_lineno]
    return "\n".join(kept) if len(kept) <= _MOST_LINES else ""


def _parse_statements(code: str) -> list[ast.stmt]:
    try:
        return parse_python(code).body
    except SyntaxError:  # a cell that shows a mistake
        return []


def _find_read_names(node: ast.stmt) -> set[str]:
    """The names that a statement reads; a function's own names are left out."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    own: set[str] = set()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        own |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return {name.id for name in names if isinstance(name.ctx, ast.Load)} - own


def _find_bound_names(node: ast.stmt) -> set[str]:
    """The names that a statement of a module binds; none for an import."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, ast.Store)}
