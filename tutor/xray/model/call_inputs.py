"""The inputs of a call that a cell has made: found in its code, asked of its session. Pure."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from tutor.base.python_trees import parse_python
from tutor.xray.model.input_specs import DTYPES

_NAMES = {torch_name: ours for ours, (torch_name, _, _) in DTYPES.items()}
_MOST = 5  # calls that are tried
# A tensor's dtype and shape, or the literal of another value.
_ASK = (
    "(lambda v: [str(v.dtype), list(v.shape)] if hasattr(v, 'dtype') and hasattr(v, 'shape') "
    "else repr(v))({})"
)

_INFINITE = {"inf": "1e999", "-inf": "-1e999"}  # as literals: what a mask pads with

Call = tuple[tuple[str, str], ...]  # of each argument: its keyword or "", and its expression


def find_calls(cells: Sequence[str], name: str) -> list[Call]:
    """The calls of `name`, also through `torch.compile`, in these cells; those of the first cell come
    first, and the last call of a cell before the others."""
    recent: list[Call] = []
    trees = [tree for code in cells if (tree := _parse(code))]
    names = {name, *(alias for tree in trees for alias in _find_compiled_names(tree, name))}
    for tree in trees:
        of_cell = [
            _call(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _name_of_callee(node) in names
        ]
        recent += [call for call in reversed(of_cell) if call]
    return recent[:_MOST]


def list_expressions(call: Call) -> tuple[str, ...]:
    """The expressions that a session evaluates for the arguments of a call."""
    return tuple(_ASK.format(expression) for _, expression in call)


def read_specs(call: Call, values: Sequence[Any]) -> tuple[str, ...]:
    """The inputs as `tutor xray --input` takes them; none if one of them cannot be written so."""
    texts = []
    for (keyword, _), value in zip(call, values, strict=True):
        spec = _spec(value)
        if not spec:
            return ()
        texts.append(f"{keyword}={spec}" if keyword else spec)
    return tuple(texts)


def _spec(value: Any) -> str:
    if isinstance(value, list):
        dtype = _NAMES.get(str(value[0]).removeprefix("torch."), "")
        return f"{dtype}[{','.join(map(str, value[1]))}]" if dtype else ""
    text = _INFINITE.get(str(value), str(value))
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return text


def _parse(code: str) -> ast.Module | None:
    try:
        return parse_python(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _find_compiled_names(tree: ast.Module, name: str) -> Iterator[str]:
    """The names that stand for `torch.compile(name)`."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        given = [part.id for part in node.value.args if isinstance(part, ast.Name)]
        if name in given and ast.unparse(node.value.func) == "torch.compile":
            yield from (part.id for part in node.targets if isinstance(part, ast.Name))


def _name_of_callee(node: ast.Call) -> str:
    """The called name: `f` of `f(x)`, and of the launch `f[grid](x)`."""
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return function.id if isinstance(function, ast.Name) else ""


def _call(node: ast.Call) -> Call:
    """The arguments; none where their number depends on values."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        return ()
    return (
        *(("", ast.unparse(argument)) for argument in node.args),
        *((keyword.arg or "", ast.unparse(keyword.value)) for keyword in node.keywords),
    )
