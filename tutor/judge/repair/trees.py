"""Programs as trees: read in one form, with their functions, launches and names."""

import ast
import copy
from collections.abc import Container, Iterable, Iterator
from typing import Any, TypeVar

from tutor.base.python_trees import parse_python

Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef

MAX_CHARACTERS = 60_000  # of a program that is read
MAX_NODES = 12_000

BODIES = ("body", "orelse", "finalbody")
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef)
ACCESSES = ("tl.load", "tl.store", "tl.atomic_add")
_REDUCTIONS = ("tl.sum", "tl.max", "tl.min", "tl.cumsum", "tl.argmax")
_SHAPED = ("tl.zeros", "tl.full", "torch.empty", "torch.zeros")
_READ_TYPES = ("custom_op", "triton_op", "infer_schema", "script")  # what takes a function's types
# Names that a program may read without defining them.
_KNOWN = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)
KNOWN = _KNOWN | {"tl", "torch", "triton"}


class Unreadable(Exception):
    """The text is no Python, or too long to be compared."""


def read_program(source: str) -> ast.Module:
    """Return the program's tree without docstrings and types, and with one form for what can be
    written in two: `axis` by position, shapes as tuples, a launch's arguments by name, a statement for
    each name that is set. A function keeps its types where PyTorch may read them as a schema.

    Raises `Unreadable`.
    """
    if len(source) > MAX_CHARACTERS:
        raise Unreadable("too long")
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(str(error)) from None
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise Unreadable("too long")
    given = _find_handed_over(nodes) if any(word in source for word in _READ_TYPES) else None
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.Module | ast.ClassDef):
            _drop_docstring(node)
        _split_assignments(node)
        if isinstance(node, ast.FunctionDef):
            if given is None or not (node.decorator_list or node.name in given):
                _drop_types(node)
        elif isinstance(node, ast.Call):
            _normalise_call(node)
    _name_arguments(tree)
    return tree


def _drop_docstring(node: ast.FunctionDef | ast.Module | ast.ClassDef) -> None:
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    if first and isinstance(value, ast.Constant) and isinstance(value.value, str):
        node.body = node.body[1:] or [ast.copy_location(ast.Pass(), first)]


def _find_handed_over(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that calls are given as arguments."""
    calls_of = (node for node in nodes if isinstance(node, ast.Call))
    return loads(argument for call in calls_of for argument in (*call.args, *call.keywords))


def _drop_types(function: ast.FunctionDef) -> None:
    function.returns = None
    for node in ast.walk(function.args):
        if isinstance(node, ast.arg) and not is_constant(node):
            node.annotation = None


def _split_assignments(node: ast.AST) -> None:
    """Write `a, b = x, y` as two statements, so that a change of one name is a change of one."""
    for field in BODIES:
        body = getattr(node, field, None)
        if isinstance(body, list):
            setattr(node, field, [part for statement in body for part in _split(statement)])


def _split(statement: ast.stmt) -> list[ast.stmt]:
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if len(set(names)) != len(targets) or len(targets) != len(values):
                return [statement]
            # No value may read a name that is set before it.
            if any(loads(values[place:]) & {name} for place, name in enumerate(names, 1)):
                return [statement]
            return [
                ast.copy_location(ast.Assign([target], value), value)
                for target, value in zip(targets, values, strict=True)
            ]
    return [statement]


def _normalise_call(call: ast.Call) -> None:
    name = callee(call)
    named = [keyword.arg for keyword in call.keywords[:1]] == ["axis"]
    if name in _REDUCTIONS and len(call.args) == 1 and named:
        call.args.append(call.keywords.pop(0).value)
    if name in _SHAPED and call.args and isinstance(call.args[0], ast.List):
        shape = ast.Tuple(call.args[0].elts, ast.Load())
        call.args[0] = ast.copy_location(shape, call.args[0])
    if name in ("tl.zeros", "tl.full"):
        for keyword in [k for k in call.keywords if k.arg == "dtype"]:
            call.keywords.remove(keyword)
            call.args.append(keyword.value)


def _name_arguments(tree: ast.Module) -> None:
    """Write `kernel[grid](x, *x.stride(), n)` as `kernel[grid](x=x, a=x.stride(0), b=x.stride(1),
    n=n)`, so that arguments are compared by their role."""
    defined = functions(tree)
    configured, tables = _find_configured(tree), _tables(tree)
    for call in launches(tree):
        function = defined.get(name_kernel(call))
        given = _spread(call, function, configured, tables) if function else None
        if function and given is not None and len(given) <= len(function.args.args):
            names = [argument.arg for argument in function.args.args]
            named = [
                ast.copy_location(ast.keyword(name, value), value)
                for name, value in zip(names, given, strict=False)
            ]
            call.keywords = named + call.keywords
            call.args = []


def _find_configured(tree: ast.Module) -> set[str]:
    """Return the parameters that an autotuner's configurations and heuristics set, not a launch."""
    return {
        key.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and called_name(call) in ("Config", "heuristics")
        for given in ast.walk(call)
        if isinstance(given, ast.Dict)
        for key in given.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _tables(tree: ast.Module) -> dict[str, set[str]]:
    """Return the keys of each dict that a name is given, as `blocks` of `**blocks`; not of one that is
    set twice."""
    tables: dict[str, set[str]] = {}
    names = [
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys)):
                words = [key.value for key in keys if isinstance(key, ast.Constant)]
                if names.count(name) == 1 and len(words) == len(keys):
                    tables[name] = {str(word) for word in words}
    return tables


def _spread(
    call: ast.Call, function: Function, configured: set[str], tables: dict[str, set[str]]
) -> list[ast.expr] | None:
    """Return the positional arguments of a launch one by one; None if their number is unknown."""
    names = [argument.arg for argument in function.args.args]
    starred = sum(isinstance(value, ast.Starred) for value in call.args)
    if not starred:
        return list(call.args)
    given = {keyword.arg for keyword in call.keywords} | configured
    for keyword in call.keywords:
        if keyword.arg is None:  # **blocks
            table = keyword.value.id if isinstance(keyword.value, ast.Name) else ""
            if table not in tables:
                return None
            given |= tables[table]
    optional = names[len(names) - len(function.args.defaults) :]
    free = sum(name not in given and name not in optional for name in names)
    count, rest = divmod(free - (len(call.args) - starred), starred)
    if rest or count <= 0:
        return None
    out: list[ast.expr] = []
    for value in call.args:
        if not isinstance(value, ast.Starred):
            out.append(value)
            continue
        text = ast.unparse(value.value)
        if text.endswith(".stride()"):
            texts = [f"{text[:-2]}({i})" for i in range(count)]
        elif text.endswith(".shape"):
            texts = [f"{text}[{i}]" for i in range(count)]
        else:
            return None
        out += [place_at(expression(text), value) for text in texts]
    return out


# --- parts of a tree ------------------------------------------------------------------------------


def functions(tree: ast.AST) -> dict[str, Function]:
    """Return the functions of a tree by name, nested ones too."""
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def is_kernel(function: Function) -> bool:
    """Return True for a function with `jit` among its decorators."""
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)


def is_constant(parameter: ast.arg) -> bool:
    """Return True for a kernel's parameter whose value is known when it is compiled."""
    return parameter.annotation is not None and "constexpr" in ast.unparse(parameter.annotation)


def launches(tree: ast.AST, name: str = "") -> list[ast.Call]:
    """Return the calls `kernel[grid](…)`; with a name those of that kernel."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and isinstance(node.func.value, ast.Name)
        and name in ("", node.func.value.id)
    ]


def name_kernel(call: ast.Call) -> str:
    """Return the kernel's name of a call from `launches`."""
    value = call.func.value if isinstance(call.func, ast.Subscript) else None
    return value.id if isinstance(value, ast.Name) else ""


def callee(call: ast.Call) -> str:
    """Return what is called: `tl.load`, or "" where it has no short name."""
    return ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""


def called_name(call: ast.Call) -> str:
    """Return the name of the function that a call calls, or of the method; "" for none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Yield the calls of functions with these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and callee(node) in names:
            yield node


def statements(function: ast.AST) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Yield each statement of a function without its body, and the statement itself."""
    for field in BODIES:
        for statement in getattr(function, field, None) or ():
            if isinstance(statement, COMPOUND):
                bodies: dict[str, Any] = {b: [] for b in BODIES if hasattr(statement, b)}
                yield with_fields(statement, **bodies), statement
                yield from statements(statement)
            else:
                yield statement, statement


def text_of(node: ast.AST) -> str:
    """Return the text of a node; of a compound statement its head alone."""
    if isinstance(node, COMPOUND):
        changes: dict[str, Any] = {"body": [ast.Pass()]}
        changes |= {field: [] for field in ("orelse", "finalbody") if hasattr(node, field)}
        node = with_fields(node, **changes)
    return ast.unparse(node)


def statement_texts(tree: ast.AST) -> set[str]:
    """Return the texts of all statements in the functions of a tree."""
    defined = functions(tree).values()
    return {text_of(statement) for each in defined for _, statement in statements(each)}


def loads(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that are read in nodes."""
    return {
        node.id
        for outer in nodes
        for node in ast.walk(outer)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def stores(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that are bound in nodes, by a pattern or an `except` too."""
    return {name for outer in nodes for node in ast.walk(outer) if (name := bound_name(node))}


def bound_name(node: ast.AST) -> str:
    """Return the name that a node binds itself: an assignment's target, a pattern's capture, an
    `except`'s error; "" for none."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            return name
    return ""


def locals_of(function: Function) -> list[str]:
    """Return parameters and bound names of a function in their order."""
    names = [argument.arg for argument in function.args.args + function.args.kwonlyargs]
    bound = [bound_name(node) for node in ast.walk(function)]
    return list(dict.fromkeys([*names, *(name for name in bound if name)]))


def top_level_statements(tree: ast.Module) -> list[ast.stmt]:
    """Return the statements of a module that hold no others."""
    return [statement for statement in tree.body if not isinstance(statement, COMPOUND)]


def top_level_names(tree: ast.Module) -> set[str]:
    """Return the names that every function of a module may read."""
    plain = top_level_statements(tree)
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for statement in tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
    }
    defined = {s.name for s in tree.body if isinstance(s, ast.FunctionDef | ast.ClassDef)}
    return stores(plain) | imported | defined | KNOWN


# --- making nodes ---------------------------------------------------------------------------------


def with_fields(node: Node, **changes: Any) -> Node:
    """Return a shallow copy of a node with other fields."""
    copied = copy.copy(node)
    for field, value in changes.items():
        setattr(copied, field, value)
    return copied


def expression(text: str) -> ast.expr:
    """Return the tree of an expression."""
    return parse_python(text, mode="eval").body


def place_at(node: Node, where: ast.AST) -> Node:
    """Give a node and all below it the place of another node."""
    for below in ast.walk(node):
        ast.copy_location(below, where)
    return node


def line_of(node: ast.AST) -> int:
    """Return the line of a node, or of the first one below it that has a line; 0 for none."""
    return next((below.lineno for below in ast.walk(node) if hasattr(below, "lineno")), 0)


def count_nodes(node: ast.AST, without: Container[int] = ()) -> int:
    """Return how many nodes a tree has; those whose ids are in `without` do not count, nor do
    contexts."""
    return sum(
        id(below) not in without
        for below in ast.walk(node)
        if not isinstance(below, ast.expr_context)
    )
