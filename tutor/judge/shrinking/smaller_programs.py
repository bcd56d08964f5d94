"""Smaller texts of a program that a pass rewrites: without lines, or with a part for the whole. Pure.

What is yielded need not be a program: whoever tries it finds out. A line `name = …` that goes leaves the
uses of its name to something that the line read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from tutor.base.python_trees import parse_python

_DEFINITION = re.compile(r"^\s*(%?[A-Za-z_]\w*)(?:\s*:.*?)?\s+=\s+(.+)$")
_EFFECT = re.compile(r"^\s+[\w.%\"]+\s*\(.*\)\s*(?::.*)?$")  # a line that is a call alone
_NAME = re.compile(r"(?<![\w.%\"'])(self\.\w+|%?[A-Za-z_]\w*)(?!\w|\s*[(<]|=)")
_NO_VALUES = frozenset(("torch", "F", "R", "I", "T", "self", "True", "False", "None"))
_BODY = re.compile(r"^\s*def (?:forward|main)\(")


def shrink_program(text: str) -> Iterator[str]:
    """Yield smaller programs, those that lack the most lines first."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if _BODY.match(line)), -1) + 1
    loose = [at for at, line in enumerate(lines) if _DEFINITION.match(line) or _EFFECT.match(line)]
    loose = [at for at in loose if at >= first]
    size = len(loose) // 2
    while size > 1:
        for start in range(len(loose) - size, -1, -size):
            yield _without(lines, loose[start : start + size], 0)
        size //= 2
    for at in reversed(loose):
        for choice in range(_count_choices(lines, at)):
            yield _without(lines, [at], choice)
    yield from _shrink_expressions(text)


def size_of(text: str) -> int:
    """Return the size of a program, however it is laid out: its characters but blanks and brackets."""
    return len(re.sub(r"[\s()]", "", text))


def _count_choices(lines: list[str], at: int) -> int:
    """Count what may take the place of the name that a line defines; 1 for a line that defines none."""
    return max(1, len(_operands(lines[at])))


def _operands(line: str) -> list[str]:
    """Return the names that a definition reads, in order, each once."""
    match = _DEFINITION.match(line)
    names = _NAME.findall(match[2].split(" : ")[0]) if match else []
    if any(name.startswith("%") for name in names):  # of MLIR: the others name operations
        names = [name for name in names if name.startswith("%")]
    return [name for name in dict.fromkeys(names) if name not in _NO_VALUES]


def _without(lines: list[str], gone: list[int], choice: int) -> str:
    """Return the text without some lines, each name that one defines replaced by an operand."""
    kept = list(lines)
    for at in sorted(gone, reverse=True):  # later ones first: an operand may go as well
        match = _DEFINITION.match(kept[at])
        operands = _operands(kept[at])
        del kept[at]
        if match and operands:
            name = re.compile(rf"(?<![\w.%]){re.escape(match[1])}(?!\w)")
            other = operands[min(choice, len(operands) - 1)]
            kept[at:] = [name.sub(other, line) for line in kept[at:]]
    return "\n".join(kept) + "\n"


def _shrink_expressions(text: str) -> Iterator[str]:
    """Yield Python texts in which a part of an expression stands for the whole of it."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return
    for parent, field, at in _places(tree):
        value = getattr(parent, field)
        whole = value if at is None else value[at]
        for part in _parts(whole):
            _put(parent, field, at, part)
            yield ast.unparse(tree) + "\n"
            _put(parent, field, at, whole)


def _places(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Return where expressions stand in the bodies of functions: node, field, and place in a list."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    bodies = chain.from_iterable(
        function.body for function in functions if function.name != "__init__"
    )
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in chain.from_iterable(map(ast.walk, bodies)):
        for field, value in ast.iter_fields(node):
            if field in ("targets", "target", "annotation", "func", "decorator_list", "items"):
                continue
            if isinstance(value, ast.expr):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [
                    (node, field, at) for at, each in enumerate(value) if isinstance(each, ast.expr)
                ]
    return found


def _parts(whole: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression that may be values themselves, no numbers."""
    match whole:
        case ast.BinOp():
            parts = [whole.left, whole.right]
        case ast.UnaryOp():
            parts = [whole.operand]
        case ast.Subscript():
            parts = [whole.value]
        case ast.Tuple():
            shorter: list[ast.expr] = [
                ast.Tuple([*whole.elts[:at], *whole.elts[at + 1 :]], ast.Load())
                for at in range(len(whole.elts))
                if len(whole.elts) > 2
            ]
            parts = [*whole.elts, *shorter]
        case ast.Call():
            own = whole.func.value if isinstance(whole.func, ast.Attribute) else None
            named = isinstance(own, ast.Name) and own.id in _NO_VALUES
            method = own is not None and not named and not _is_dotted(own)
            parts = [*([own] if method and own is not None else []), *whole.args]
        case _:
            parts = []
    return [part for part in parts if not isinstance(part, ast.Constant)]


def _is_dotted(value: ast.expr) -> bool:
    """Return True for a module of a module, as `R.nn`."""
    root = value
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in _NO_VALUES - {"self"}


def _put(parent: ast.AST, field: str, at: int | None, value: ast.expr) -> None:
    if at is None:
        setattr(parent, field, value)
    else:
        getattr(parent, field)[at] = value
