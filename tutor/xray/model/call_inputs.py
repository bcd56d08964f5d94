"""The inputs of a call that a cell has made: found in its code, asked of its session. Pure."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from tutor.base.python_trees import parse
from tutor.xray.model.input_specs import DTYPES

_NAMES = {torch_name: ours for ours, (torch_name, _, _) in DTYPES.items()}
_MOST = 5  # calls that are tried
# A tensor's dtype and shape, or the literal of another value.
_ASK = (
    "(lambda v: [str(v.dtype), list(v.shape)] if hasattr(v, 'dtype') and hasattr(v, 'shape') "
    "else repr(v))({})"
)

Call = tuple[tuple[str, str], ...]  # of each argument: its keyword or "", and its expression


def calls(cells: Sequence[str], name: str) -> list[Call]:
    """The calls of `name`, also through `torch.compile`, in these cells; those of the first cell come
    first, and the last call of a cell before the others."""
    found: list[Call] = []
    trees = [tree for code in cells if (tree := _parsed(code))]
    names = {name, *(alias for tree in trees for alias in _compiled(tree, name))}
    for tree in trees:
        of_cell = [
            _call(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _called(node) in names
        ]
        found += [each for each in reversed(of_cell) if each]
    return found[:_MOST]


def questions(call: Call) -> tuple[str, ...]:
    """The expressions that a session evaluates for the arguments of a call."""
    return tuple(_ASK.format(expression) for _, expression in call)


def specs(call: Call, values: Sequence[Any]) -> tuple[str, ...]:
    """The inputs as `tutor xray --input` takes them; none if one of them cannot be written so."""
    found = []
    for (keyword, _), value in zip(call, values, strict=True):
        spec = _spec(value)
        if not spec:
            return ()
        found.append(f"{keyword}={spec}" if keyword else spec)
    return tuple(found)


def _spec(value: Any) -> str:
    if isinstance(value, list):
        dtype = _NAMES.get(str(value[0]).removeprefix("torch."), "")
        return f"{dtype}[{','.join(map(str, value[1]))}]" if dtype else ""
    try:
        ast.literal_eval(str(value))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return str(value)


def _parsed(code: str) -> ast.Module | None:
    try:
        return parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _compiled(tree: ast.Module, name: str) -> Iterator[str]:
    """The names that stand for `torch.compile(name)`."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        given = [each.id for each in node.value.args if isinstance(each, ast.Name)]
        if name in given and ast.unparse(node.value.func) == "torch.compile":
            yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def _called(node: ast.Call) -> str:
    """The called name: `f` of `f(x)`, and of the launch `f[grid](x)`."""
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return function.id if isinstance(function, ast.Name) else ""


def _call(node: ast.Call) -> Call:
    """The arguments; none where their number depends on values."""
    if any(isinstance(each, ast.Starred) for each in node.args) or any(
        each.arg is None for each in node.keywords
    ):
        return ()
    return (
        *(("", ast.unparse(each)) for each in node.args),
        *((each.arg or "", ast.unparse(each.value)) for each in node.keywords),
    )
