"""A learner's kernel with a smaller block, so that a few elements fill several blocks. Pure."""

import ast
import re
from collections.abc import Iterator

_LEAST = 16  # a constant below it is no block that hides what goes wrong
SMALL = 4


def shrink_blocks(source: str) -> tuple[str, str]:
    """Return the text with blocks of `SMALL` elements, and the change in words; ("", "") if there is no
    block to make smaller.

    A block is a power of two from 16 on that a constant's name stands for (`BLOCK = 1024`) or that a
    launch hands over by name (`BLOCK=1024`).
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "", ""
    blocks = {place: of for place, of in _constants(tree) if _is_block(*of)}
    if not blocks:
        return "", ""
    rows = source.split("\n")
    for line, column in sorted(blocks, reverse=True):
        row = rows[line - 1].encode()  # ast counts columns in bytes
        begun, rest = row[:column].decode(), row[column:].decode()
        rows[line - 1] = begun + re.sub(r"^\w+", str(SMALL), rest)
    words = ", ".join(
        dict.fromkeys(f"{name} = {SMALL} for {size}" for name, size in blocks.values())
    )
    return "\n".join(rows), words


def _constants(tree: ast.Module) -> Iterator[tuple[tuple[int, int], tuple[str, object]]]:
    """Yield the place (line, column) of each constant that has a name, its name and its value."""
    for node in ast.walk(tree):
        named: list[tuple[str | None, ast.expr | None]] = []
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                named = [(name, value)]
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                named = [(name, value)]
            case ast.Call(func=ast.Subscript()):
                named = [(keyword.arg, keyword.value) for keyword in node.keywords]
        for called, given in named:
            if called and isinstance(given, ast.Constant):
                yield (given.lineno, given.col_offset), (called, given.value)


def _is_block(name: str, size: object) -> bool:
    if type(size) is not int or name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        return False
    return size >= _LEAST and size & (size - 1) == 0
