"""A learner's kernel with a smaller block, so that a few elements fill several blocks. Pure."""

import ast
import re
from collections.abc import Collection

from tutor.base.python_trees import parse_python

_LEAST = 16  # a constant below it is no block that hides what goes wrong
SMALL = 4
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")  # of a launch


def shrink_blocks(source: str) -> tuple[str, str]:
    """Return the text with blocks of `SMALL` elements, and the change in words; ("", "") if there is no
    block to make smaller.

    A block is a power of two from 16 on that a constant's name stands for (`BLOCK = 1024`) or that a
    launch hands over by name (`BLOCK=1024`). The same number elsewhere (`rows // 1024`) goes with it. A
    multiple of a block (`n // 1024` beside `COLS=128`) may be made of it and of others: as it is it
    would make a right program wrong on a few elements, so nothing is changed.
    """
    try:
        tree = parse_python(source)
    except SyntaxError:
        return "", ""
    named, others = _find_constants(tree)
    blocks = [(name, number) for name, number in named if _is_block(number.value)]
    sizes = {number.value for _, number in blocks}
    if not blocks or _has_multiple(others, sizes):
        return "", ""
    places = [number for _, number in blocks]
    places += [number for number in others if type(number.value) is int and number.value in sizes]
    rows = source.split("\n")
    for number in sorted(places, key=lambda at: (at.lineno, at.col_offset), reverse=True):
        row = rows[number.lineno - 1].encode()  # ast counts columns in bytes
        before, rest = row[: number.col_offset].decode(), row[number.col_offset :].decode()
        rows[number.lineno - 1] = before + re.sub(r"^\w+", str(SMALL), rest)
    words = (f"{name} = {SMALL} for {number.value!r}" for name, number in blocks)
    return "\n".join(rows), ", ".join(dict.fromkeys(words))


def _find_constants(tree: ast.Module) -> tuple[list[tuple[str, ast.Constant]], list[ast.Constant]]:
    """Return the constants that have a name, and the others. Options of a launch are in neither."""
    named: list[tuple[str, ast.Constant]] = []
    others: dict[int, ast.Constant] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Constant():
                others.setdefault(id(node), node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as number):
                named.append((name, number))
            case ast.Assign(targets=[ast.Tuple(names)], value=ast.Tuple(values)):
                named += [
                    (name.id, value)
                    for name, value in zip(names, values, strict=False)
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant)
                ]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant() as number):
                named.append((name, number))
            case ast.Call(func=ast.Subscript()):
                named += [
                    (keyword.arg, keyword.value)
                    for keyword in node.keywords
                    if keyword.arg and isinstance(keyword.value, ast.Constant)
                ]
    known = {id(number) for _, number in named}
    unnamed = [number for number in others.values() if id(number) not in known]
    return [(name, number) for name, number in named if name not in _OPTIONS], unnamed


def _has_multiple(numbers: list[ast.Constant], sizes: Collection[object]) -> bool:
    blocks = [size for size in sizes if isinstance(size, int)]
    plain = [number.value for number in numbers if isinstance(number.value, int)]
    return any(n > size and n % size == 0 for n in plain for size in blocks if n not in sizes)


def _is_block(size: object) -> bool:
    return type(size) is int and size >= _LEAST and size & (size - 1) == 0
