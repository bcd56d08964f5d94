"""What statements set, and what becomes of it where a change sets it anew.

A target is a text: `x`, `a[0].b`; `x += 1` sets and reads `x`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from tutor.judge.repair.edits import Edit, Program
from tutor.judge.repair.trees import Function, loads


def find_overridden(edit: Edit) -> ast.stmt | None:
    """Return the last statement that set what a new statement sets again, unless what it set is read
    before the new one: a change of it would then do something else."""
    new = edit.new
    if edit.target is not None or not isinstance(new, ast.Assign):
        return None
    wanted = find_targets(new)
    rows: list[ast.stmt] = getattr(edit.owner, edit.field)[: edit.index]
    for place, row in reversed(list(enumerate(rows))):
        if same := wanted & _set_in(row):
            read = loads(rows[place + 1 :]) & set(map(_first_name, same))
            return None if read or same & _find_added(row) else row
    return None


def discards_work(program: Program, edit: Edit) -> bool:
    """Return True for a new statement that sets, without reading it, what several statements before
    it have worked out, or filled: it does their work anew, and says nothing of where they fail."""
    new = edit.new
    function = _function_around(program, edit.owner)
    if edit.target is not None or not isinstance(new, ast.Assign) or function is None:
        return False
    wanted = find_targets(new)
    if loads([new.value]) & set(map(_first_name, wanted)):
        return False
    before = [row for row in _settings(function) if row.lineno < edit.line]
    at_end = edit.index >= len(getattr(edit.owner, edit.field))
    before += [row for row in _settings(function) if at_end and row.lineno == edit.line]
    worked = Counter(name for row in before for name in _set_by(row))
    worked.update(name for name, line in _list_filled(function) if line < edit.line)
    return any(worked[name] > 1 for name in wanted)


def _list_filled(function: Function) -> Iterator[tuple[str, int]]:
    """Yield names that a statement fills, as `x.append(1)` or `x[0] = 1` do, with its line."""
    for node in ast.walk(function):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                yield name, node.lineno
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                yield name, node.lineno


def find_other_setting(program: Program, edit: Edit) -> tuple[str, list[int]] | None:
    """Return a target that a changed statement sets beside its own, and the lines of the statements
    that set it: what is wrong is there."""
    old, new = edit.target, edit.new
    function = _function_around(program, old)
    if not isinstance(old, ast.Assign) or not isinstance(new, ast.Assign) or function is None:
        return None
    for target in sorted(find_targets(new) - find_targets(old)):
        rows = [row for row in _settings(function) if row is not old and target in _set_by(row)]
        if rows:
            return target, sorted({row.lineno for row in rows})
    return None


def find_definition(program: Program, name: ast.AST | None) -> ast.Assign | None:
    """Return the one statement that sets a local name; None if several set it, or it with others."""
    function = _function_around(program, name)
    if not isinstance(name, ast.Name) or function is None:
        return None
    stores = [node for node in ast.walk(function) if _is_stored(node, name.id)]
    rows = [row for row in _settings(function) if name.id in _set_by(row)]
    row = rows[0] if len(rows) == 1 == len(stores) else None
    if (
        not isinstance(row, ast.Assign)
        or find_targets(row) != {name.id}
        or row.lineno >= name.lineno
    ):
        return None
    return row


def find_module_constant(program: Program, name: ast.AST | None) -> ast.Assign | None:
    """Return the one statement of the module that sets a name to a number, where no function sets it."""
    if not isinstance(name, ast.Name):
        return None
    stores = [node for node in ast.walk(program.tree) if _is_stored(node, name.id)]
    rows = [row for row in program.tree.body if isinstance(row, ast.Assign)]
    rows = [row for row in rows if isinstance(row.value, ast.Constant)]
    row = next((row for row in rows if find_targets(row) == {name.id}), None)
    return row if len(stores) == 1 else None


def find_worked_out(program: Program, old: ast.expr, new: ast.AST) -> set[str]:
    """Return the names that the function of `old` sets, which `old` reads and `new` neither reads nor
    works out as the function does."""
    function = _function_around(program, old)
    if function is None:
        return set()
    rows = list(_settings(function))
    read = {node.id: node for node in ast.walk(old) if _is_read(node)}
    dropped = set(read) - loads([new])
    inside = {ast.dump(node) for node in ast.walk(new)}
    known = {
        name
        for name in dropped
        if (row := find_definition(program, read[name])) and ast.dump(row.value) in inside
    }
    loops = [node.target for node in ast.walk(function) if isinstance(node, ast.For)]
    set_here = {text for row in rows for text in _set_by(row)}
    set_here |= {node.id for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Name)}
    return (dropped - known) & set_here


def find_targets(statement: ast.Assign) -> set[str]:
    """Return the targets of an assignment, of a tuple those of its parts."""
    return set(list_targets(statement))


def list_targets(statement: ast.Assign) -> list[str]:
    """Return the targets of an assignment from left to right."""
    return [text for target in statement.targets for text in _texts(target)]


def _texts(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [text for part in target.elts for text in _texts(part)]
    return [ast.unparse(target)]


def _settings(function: Function) -> Iterator[ast.Assign | ast.AugAssign]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign):
            yield node


def _set_by(row: ast.Assign | ast.AugAssign) -> set[str]:
    return find_targets(row) if isinstance(row, ast.Assign) else {ast.unparse(row.target)}


def _set_in(statement: ast.stmt) -> set[str]:
    """Return what a statement sets, in it and below it."""
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Assign | ast.AugAssign)]
    return {text for node in nodes for text in _set_by(node)}


def _find_added(statement: ast.stmt) -> set[str]:
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.AugAssign)]
    return {ast.unparse(node.target) for node in nodes}


def _is_stored(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _first_name(text: str) -> str:
    """Return `a` of the target `a[0].b`."""
    return re.split(r"\W", text, maxsplit=1)[0]


def _function_around(program: Program, node: ast.AST | None) -> Function | None:
    around: Sequence[ast.AST] = [] if node is None else [node, *program.above(node)]
    return next((above for above in around if isinstance(above, ast.FunctionDef)), None)
