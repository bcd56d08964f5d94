"""Rules that read the learner's source beside what went wrong: the text of a mask, the place of an
accumulator, an argument that nothing reads. Each returns a `Diagnosis` or None, and only where a case
failed."""

import ast
from collections.abc import Iterator

from tutor.judge.diagnosis.evidence import CaseEvidence
from tutor.judge.model.verdict import Diagnosis

_AND_OR = (ast.BitAnd, ast.BitOr)
_HOOKS = ("__torch_dispatch__", "__torch_function__")


def precedence(e: CaseEvidence) -> Diagnosis | None:
    """Find `a < n & b < m`: Python takes `n & b` first."""
    if e.kind != "kernel" or not e.failed:
        return None
    for node in _nodes(e.source):
        if isinstance(node, ast.Compare) and (taken := _find_unbracketed_operator(node)):
            sign = "&" if isinstance(taken.op, ast.BitAnd) else "|"
            return Diagnosis(
                "missing-mask",
                f"In line {node.lineno} Python takes `{ast.unparse(taken)[:80]}` before it "
                f"compares: `{sign}` binds tighter than `<`. So this is not the condition that you "
                f"mean. Put each comparison in parentheses, as in `(a < n) {sign} (b < m)`.",
                line=node.lineno,
            )
    return None


def _find_unbracketed_operator(node: ast.Compare) -> ast.BinOp | None:
    """Return the `&` or `|` that a comparison has for an operand, where it joins half conditions."""
    sides = [node.left, *node.comparators]
    joined = [s for s in sides if isinstance(s, ast.BinOp) and isinstance(s.op, _AND_OR)]
    for side in joined:
        if len(node.ops) > 1 or any(isinstance(n, ast.Compare) for n in (side.left, side.right)):
            return side
    return None


def reset_in_loop(e: CaseEvidence) -> Diagnosis | None:
    """Find an accumulator that the loop which adds to it sets back at every step."""
    if e.kind != "kernel" or not _wrong_numbers(e):
        return None
    for loop in _nodes(e.source):
        if isinstance(loop, ast.For | ast.While) and (reset := _reset(loop)):
            name, line = reset
            return Diagnosis(
                "wrong-values",
                f"Line {line} sets `{name}` back in every step of the loop, so what earlier steps added "
                "is lost and only the last step counts. Set it once, before the loop.",
                line=line,
            )
    return None


def dropped_keywords(e: CaseEvidence) -> Diagnosis | None:
    """Find a `__torch_dispatch__` or `__torch_function__` that raised and never reads its `kwargs`."""
    lines = {case.raised.line: case.name for case in e.failed if case.raised and case.raised.line}
    for node in _nodes(e.source) if lines else ():
        if not (isinstance(node, ast.FunctionDef) and node.name in _HOOKS and node.args.args):
            continue
        name = node.args.kwarg.arg if node.args.kwarg else node.args.args[-1].arg
        read = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
        line = next((n for n in lines if node.lineno < n <= (node.end_lineno or 0)), None)
        if line and not read:
            return Diagnosis(
                "wrong-values",
                f"Nothing reads `{name}`, so what the operator was given by keyword, such as `dtype=` "
                f"or `dim=`, is lost in line {line} (case “{lines[line]}”). Pass it on too: "
                f"`**({name} or {{}})`.",
                line=line,
            )
    return None


def _wrong_numbers(e: CaseEvidence) -> bool:
    """Return True if a case failed by its numbers and not by an error."""
    return any(case.pattern for case in e.failed)


def _reset(loop: ast.For | ast.While) -> tuple[str, int] | None:
    """Return the name that the body first sets to a constant and then adds to, once, and its line."""
    for at, first in enumerate(loop.body):
        if not (isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Name)):
            continue
        name = first.targets[0].id
        added = [s for s in loop.body[at + 1 :] if _adds_to(s, name)]
        if len(added) == 1 and _is_constant(first.value):
            return name, first.lineno
    return None


def _adds_to(statement: ast.stmt, name: str) -> bool:
    """Return True for `name += …` and `name = … name …`."""
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Name) and statement.target.id == name
    if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
        return False
    reads = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
    return statement.targets[0].id == name and name in reads


def _is_constant(value: ast.expr) -> bool:
    """Return True for a number, `-number`, `float("-inf")`, `tl.zeros(…)` and `tl.full(…)`."""
    if isinstance(value, ast.UnaryOp):
        return _is_constant(value.operand)
    if isinstance(value, ast.Call):
        function = value.func
        called = function.attr if isinstance(function, ast.Attribute) else ""
        return called in ("zeros", "full") or (
            isinstance(function, ast.Name) and function.id == "float"
        )
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def _nodes(source: str) -> Iterator[ast.AST]:
    try:
        return ast.walk(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return iter(())


def find_capped_grid(source: str) -> tuple[int, int] | None:
    """Return the line of a launch whose grid never passes a number, and the number, where no kernel of
    the file has a loop that could make up for it; else None.

    Its programs leave the rest out once a size is large, which no case is.
    """
    nodes = list(_nodes(source))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    kernels = {f.name: f for f in functions if "jit" in map(_last_name, f.decorator_list)}
    loops = (ast.For, ast.While)
    if any(isinstance(node, loops) for kernel in kernels.values() for node in ast.walk(kernel)):
        return None
    values = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Subscript) and _last_name(node.value) in kernels:
            grid = values.get(node.slice.id) if isinstance(node.slice, ast.Name) else node.slice
            if grid is not None and (most := _cap(grid, values)):
                return node.lineno, most
    return None


def _cap(grid: ast.expr, values: dict[str, ast.expr]) -> int:
    """Return the number in a `min(…, number)` of a grid, or 0. A name stands for what it is set to."""
    for call in ast.walk(grid):
        if isinstance(call, ast.Name) and isinstance(value := values.get(call.id), ast.Call):
            call = value
        if isinstance(call, ast.Call) and _last_name(call.func) == "min":
            known = [values.get(a.id, a) if isinstance(a, ast.Name) else a for a in call.args]
            numbers = [constant.value for constant in known if isinstance(constant, ast.Constant)]
            if most := [number for number in numbers if isinstance(number, int) and number > 1]:
                return min(most)
    return 0


def _last_name(node: ast.expr) -> str:
    """Return `jit` of `triton.jit`, `@triton.jit(…)` and `jit`; "" of anything else."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
