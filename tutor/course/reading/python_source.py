"""Parses the Python that course files hold. Nothing of it runs while it is read."""

import ast
import re
from typing import Literal

from tutor.base.python_trees import parse_python

# Names whose use loads PyTorch's compiler: seconds of processor time in a process without it.
_COMPILER = re.compile(
    r"\btorch\.(compile|export|_dynamo|_inductor)\b"
    r"|\b(make_fx|aot_\w+|TorchDispatchMode|FakeTensorMode|opcheck|custom_op|functorch)\b"
)


def names_compiler(code: str) -> bool:
    """Return True if `code` names something that loads PyTorch's compiler."""
    return _COMPILER.search(code) is not None


def mode_of(code: str) -> str:
    """Return the mode of the process that runs a quiz question's code, as in `Cell.mode`."""
    if not names_compiler(code):
        return "interpret"
    return "both" if "triton" in code else "compile"


def syntax_error(code: str, mode: Literal["exec", "eval"] = "exec") -> tuple[int, str] | None:
    """(line, reason) where `code` is not Python; lines count from 1."""
    try:
        parse_python(code, mode=mode)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except ValueError as error:
        return 1, str(error)
    except (RecursionError, MemoryError):
        return 1, "nested too deep"
    return None


def names_bound(code: str) -> set[str]:
    """The names that the top level of `code` binds, its `if` and `try` blocks included."""
    return {name for node in parse_python(code).body for name in _find_bound_names(node)}


def is_signature(entry: str) -> bool:
    """Return True if `entry` is the head of a function, such as `add(x, y)`, and nothing more."""
    code = f"def {entry}: pass"
    if syntax_error(code):
        return False
    body = parse_python(code).body
    return len(body) == 1 and isinstance(body[0], ast.FunctionDef) and len(body[0].body) == 1


def _find_bound_names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
