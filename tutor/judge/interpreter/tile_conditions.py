"""Conditions on tiles in Triton's interpreter with the meaning that the compiler gives them.

The interpreter runs a kernel as Python, and Python converts a tile to one Boolean: `a and b` is then
`b`, `min(a, b)` is one of the two tiles, and an `if` on a tile takes its first branch. The compiler
combines `and`, `or`, `not`, `min` and `max` lane by lane and refuses a condition of several lanes
(`CodeGenerator.visit_BoolOp`, `visit_UnaryOp`, `visit_If`, `visit_IfExp` and `builtin_namespace` in
triton/compiler/code_generator.py, 3.6.0 and 3.7.1). Kernels are rewritten
accordingly before they run.

Private names of Triton: `ASTTransformer` and `FunctionRewriter.ast_transformer`, which rewrite each
kernel. The rewritten kernel finds all names of `triton.runtime.interpreter`.
"""

import ast
import builtins
from collections.abc import Callable
from functools import reduce
from types import SimpleNamespace
from typing import Any

import triton.language as tl
import triton.runtime.interpreter as private

from tutor.base.python_trees import parse_python

_NAME = "_as_compiled"  # under which a rewritten kernel finds the functions below
_METHODS: dict[type[ast.boolop], str] = {ast.And: "logical_and", ast.Or: "logical_or"}
_REDUCTIONS = {"min": "minimum", "max": "maximum"}


def patch_tile_conditions() -> None:
    """Have kernels rewritten. Call once before a kernel runs."""
    functions = (combine, negate, require_scalar, minimum, maximum)
    setattr(
        private, _NAME, SimpleNamespace(**{function.__name__: function for function in functions})
    )
    private.FunctionRewriter.ast_transformer = _ConditionRewriter()


# --- functions that rewritten kernels call ---------------------------------------------------


def combine(method: str, *values: Callable[[], Any]) -> Any:
    """Evaluate `a and b and …` or `a or b or …`: `method` of a tile, `values` return the operands."""
    tiles: list[Any] = []
    value: Any = None
    for operand in values:
        value = operand()
        if _is_tile(value):
            tiles.append(value)
        elif bool(value) == (method == "logical_or"):
            return value  # no later operand matters
    return reduce(lambda a, b: getattr(a, method)(b), tiles) if tiles else value


def negate(value: Any) -> Any:
    """`not value`: element by element where it is a tile."""
    return value.__not__() if _is_tile(value) else not value


def require_scalar(condition: Any) -> Any:
    """Return the condition of an `if` or `while`. Raise `ValueError` if it has several lanes."""
    if _is_tile(condition) and condition.handle.data.size > 1:
        raise ValueError("Boolean value of Tensor with more than one value is ambiguous")
    return condition


def minimum(*values: Any) -> Any:
    """`min(*values)`: element by element where a value is a tile."""
    tiles = any(map(_is_tile, values))
    return reduce(tl.minimum, values) if tiles else builtins.min(*values)


def maximum(*values: Any) -> Any:
    """`max(*values)`: element by element where a value is a tile."""
    tiles = any(map(_is_tile, values))
    return reduce(tl.maximum, values) if tiles else builtins.max(*values)


def _is_tile(value: Any) -> bool:
    return isinstance(value, tl.tensor)


# --- rewriting ----------------------------------------------------------------------------------------


class _ConditionRewriter(private.ASTTransformer):  # type: ignore[misc]  # untyped
    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Take the quotes off an annotation: rewritten kernels are compiled with Triton's own
        `from __future__ import annotations`, which would quote it twice."""
        if isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str):
            node.annotation = parse_python(node.annotation.value, "eval").body
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        return super().visit_Assign(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        later = [ast.Lambda(nothing, value) for value in node.values]
        return _call(node, "combine", ast.Constant(_METHODS[type(node.op)]), *later)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _call(node, "negate", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _REDUCTIONS and not node.keywords:
            return _call(node, _REDUCTIONS[node.func.id], *node.args)
        return node

    def _condition(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = _call(node.test, "require_scalar", node.test)
        return node

    visit_If = visit_While = visit_IfExp = _condition


def _call(place: ast.expr, name: str, *values: ast.expr) -> ast.expr:
    function = ast.Attribute(ast.Name(_NAME, ast.Load()), name, ast.Load())
    return ast.copy_location(ast.Call(function, list(values), []), place)
