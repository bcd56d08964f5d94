"""The words that a program is written with, and the line where each stands first. Pure.

The words are those of `uses` and `avoids` in `exercise.toml` (docs/course-format.md): full names, with
imports and aliases resolved (`triton.language.exp2`), attributes (`.sort`), keyword arguments (`mask=`),
arguments of a function (`mask= of tl.load`, `argument 2 of f`), functions defined (`def forward`), texts
(`'early_config_prune'`), statements and operators.
"""

import ast
from collections.abc import Iterator

from tutor.base.python_trees import parse_python
from tutor.course.reading.twist_promises import KERNELS, OF, OPERATORS, STATEMENTS

# How course files write a module's name, and what it stands for.
_SHORT = {
    "F": "torch.nn.functional",
    "fx": "torch.fx",
    "nn": "torch.nn",
    "np": "numpy",
    "tl": "triton.language",
}
# Modules whose names are those of another one too.
_SAME = (
    ("triton.language.extra.cuda.libdevice.", "triton.language."),
    ("triton.language.extra.libdevice.", "triton.language."),
    ("triton.language.math.", "triton.language."),
    ("triton.language.standard.", "triton.language."),
    ("torch.fx.interpreter.", "torch.fx."),
    ("torch.special.", "torch."),
    ("torch._C._nn.", "torch.nn.functional."),
)
# Functions that do what another one does, and operators as functions.
_SYNONYMS = {
    "concat": "cat",
    "concatenate": "cat",
    "clip": "clamp",
    "swapaxes": "transpose",
    "swapdims": "transpose",
}
_AS_FUNCTIONS = {
    "and_": "&",
    "floordiv": "//",
    "lshift": "<<",
    "matmul": "@",
    "mod": "%",
    "or_": "|",
    "pow": "**",
    "rshift": ">>",
    "xor": "^",
}
_OPERATOR_NAMES = {
    **{f"operator.{name}": (word,) for name, word in _AS_FUNCTIONS.items()},
    **{f"operator.{name}": ("comparison",) for name in ("ge", "gt", "le", "lt")},
    "divmod": ("//", "%"),
    "torch.bitwise_and": ("&",),
    "torch.bitwise_or": ("|",),
    "torch.bitwise_xor": ("^",),
    "torch.floor_divide": ("//",),
    "torch.remainder": ("%",),
}
# Arguments that are given by their places as well, of functions and of methods.
_PLACES = {
    "triton.language.load": ("pointer", "mask", "other"),
    "triton.language.store": ("pointer", "value", "mask"),
    "triton.language.dot": ("input", "other", "acc", "input_precision", "allow_tf32"),
    ".eliminate_dead_code": ("is_impure_node",),
    "range": ("start", "stop", "step"),
}
_STATEMENTS = {node: word for word, nodes in STATEMENTS.items() for node in nodes}
_OPERATORS = {node: word for word, node in OPERATORS.items()}
Function = ast.FunctionDef | ast.AsyncFunctionDef
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def full_name(entry: str) -> str:
    """Return the name that an entry of `exercise.toml` stands for: `tl.exp2` is
    `triton.language.exp2`."""
    what, of, function = entry.partition(OF)
    if of and what.endswith("="):
        return f"{what}{OF}{full_name(function)}"
    head, dot, rest = entry.partition(".")
    return _settle(_SHORT[head] + dot + rest) if dot and head in _SHORT else entry


class ProgramWords:
    """The words of a program. Raises `SyntaxError` or `ValueError` for a text that is no Python."""

    def __init__(self, source: str) -> None:
        self._tree = parse_python(source)
        self._names = _find_aliases(self._tree)
        self._listed: dict[str, dict[str, int]] = {}

    def within(self, name: str) -> dict[str, int]:
        """Return each word and the first line in which it stands: of the functions and classes of that
        name, for "" of the whole program."""
        if name not in self._listed:
            self._listed[name] = self._list(name)
        return self._listed[name]

    def _list(self, name: str) -> dict[str, int]:
        words: dict[str, int] = {}
        for part in _find_parts(self._tree, name) if name else [self._tree]:
            for word, line in _list_all(part, self._names):
                words[word] = min(line, words.get(word, line))
        return words


def _find_parts(tree: ast.Module, name: str) -> list[ast.AST]:
    """Return what has this name: functions and classes, or a lambda, and with them the functions of
    the file that they call; for `KERNELS` all functions under `@triton.jit`."""
    defined = [node for node in ast.walk(tree) if isinstance(node, Function | ast.ClassDef)]
    if name == KERNELS:
        return [node for node in defined if isinstance(node, Function) and _is_jit(node)]
    parts: list[ast.AST] = [node for node in defined if node.name == name]
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=known)], value=ast.Lambda() as function):
                parts += [function] * (known == name)
    functions = dict(_functions(tree))
    for part in parts:  # the list grows during the loop
        parts += [functions[n] for n in _list_called(part) if functions.get(n, part) not in parts]
    return parts


def _list_all(part: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, int]]:
    nodes = list(ast.walk(part))
    yield from _words(nodes, names)
    yield from _methods(nodes, names)
    yield from _shapes(nodes)
    yield from _nests(part)
    yield from _calls(part)


def _words(nodes: list[ast.AST], names: dict[str, str]) -> Iterator[tuple[str, int]]:
    inner = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    types = {id(node) for annotation in _annotations(nodes) for node in ast.walk(annotation)}
    for node in nodes:
        if id(node) in types:
            continue
        line = getattr(node, "lineno", 0)
        if word := _STATEMENTS.get(type(node)):
            yield word, line
        match node:
            case ast.Call():
                yield from _call(node, names)
            case ast.Attribute():
                yield f".{node.attr}", line
                yield f".{_SYNONYMS.get(node.attr, node.attr)}", line
                # Of `a.b.c` each beginning is a name as well: `tl.math` of `tl.math.exp2`.
                full = _resolve(node, names)
                yield full, line
                yield from ((word, line) for word in _OPERATOR_NAMES.get(full, ()))
            case ast.Name(ctx=ast.Load()):
                full = _settle(names.get(node.id, node.id))
                yield full, line
                yield from ((word, line) for word in _OPERATOR_NAMES.get(full, ()))
                if id(node) not in inner and "." in full:
                    yield f".{full.rpartition('.')[2]}", line
            case ast.keyword(arg=str(name)):
                yield f"{name}=", node.value.lineno
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield f"def {node.name}", line
                yield from _arguments(node)
            case ast.Constant(value=str(text)):
                yield f"'{text}'", line
            case ast.BinOp():
                yield from _operator(node.op, line)
            case ast.AugAssign():
                yield from _operator(node.op, line)


def _call(node: ast.Call, names: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the arguments that a call gives by their places, and all by name with the function."""
    name = _resolve(node.func, names)
    for keyword in node.keywords:
        yield f"{keyword.arg}={OF}{name}", keyword.value.lineno
    attribute = f".{node.func.attr}" if isinstance(node.func, ast.Attribute) else ""
    for place, given in zip(
        _PLACES.get(name) or _PLACES.get(attribute, ()), node.args, strict=False
    ):
        if isinstance(given, ast.Starred):
            return
        yield f"{place}=", given.lineno
        yield f"{place}={OF}{name}", given.lineno


def _arguments(function: Function) -> Iterator[tuple[str, int]]:
    """Yield the arguments of a function that it reads, by their places from 1."""
    given = [*function.args.posonlyargs, *function.args.args]
    places = {each.arg: place for place, each in enumerate(given, 1)}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in places:
                yield f"argument {places[name]}{OF}{function.name}", node.lineno


def _methods(nodes: list[ast.AST], names: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the function of `tl` for each method of a block that a kernel calls: `x.exp2()` is
    `tl.exp2(x)`."""
    kernels = [n for n in nodes if isinstance(n, Function) and _is_jit(n)]
    for node in (node for kernel in kernels for node in ast.walk(kernel)):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                if not _resolve(value, names).startswith(("triton", "torch")):
                    yield f"triton.language.{name}", node.lineno


def _annotations(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Yield what only says of which type something is."""
    for node in nodes:
        if isinstance(node, Function) and node.returns:
            yield node.returns
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield node.annotation


def _operator(operator: ast.operator, line: int) -> Iterator[tuple[str, int]]:
    if word := _OPERATORS.get(type(operator)):
        yield word, line


def _resolve(node: ast.AST, names: dict[str, str]) -> str:
    """Return the full name of `a.b.c`; "" of anything but names joined by dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return _settle(".".join([names.get(node.id, node.id), *reversed(parts)]))


def _settle(name: str) -> str:
    """Return the shortest name of what several modules have."""
    for module, same in _SAME:
        if name.startswith(module):
            name = same + name.removeprefix(module)
    return name


def _find_aliases(tree: ast.AST) -> dict[str, str]:
    """Return what imported names, and names that are another word for one of them, stand for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    names[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Name) and isinstance(value, ast.Name | ast.Attribute):
                full = _resolve(value, names)
                known = value.id if isinstance(value, ast.Name) else full.split(".")[0]
                if known in names or full.startswith(("torch.", "triton.", "numpy.")):
                    names.setdefault(target.id, full)
    return names


def _shapes(nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield those words of `SHAPES` that one node shows."""
    for node in nodes:
        if isinstance(node, _Comprehension):
            yield "comprehension", node.lineno
        elif isinstance(node, ast.Subscript) and _has_none(node.slice):
            yield "[None]", node.lineno
        elif isinstance(node, ast.Compare) and any(isinstance(op, _ORDERS) for op in node.ops):
            yield "comparison", node.lineno


def _has_none(index: ast.AST) -> bool:
    """Return True for an index that is or has `None`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(each, ast.Constant) and each.value is None for each in parts)


def _nests(part: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield "nest" at each loop in a loop, where a comprehension counts as one for each of its `for`."""
    waiting = [(part, 0)]
    while waiting:
        node, around = waiting.pop()
        loops, first = 0, None  # `first`: what it runs over, which is computed once, before it
        below = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.For | ast.While):
            loops, first = 1, getattr(node, "iter", None)
        elif isinstance(node, _Comprehension):
            loops, first = len(node.generators), node.generators[0].iter
            below += ast.iter_child_nodes(node.generators[0])
            below.remove(node.generators[0])
        if loops and loops + around > 1:
            yield "nest", getattr(node, "lineno", 0)
        waiting += [(each, around if each is first else around + loops) for each in below]


def _calls(part: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield "recursion" at each function that calls itself, by way of others too, and "helper" at each
    `@triton.jit` function that another one calls."""
    functions = dict(_functions(part))
    calls = {
        name: _list_called(function) & functions.keys() for name, function in functions.items()
    }
    for name, function in functions.items():
        reached, waiting = set[str](), list(calls[name])
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                waiting += calls[at]
        if name in reached:
            yield "recursion", function.lineno
        if _is_jit(function):
            for other in calls[name]:
                if other != name and _is_jit(functions[other]):
                    yield "helper", functions[other].lineno


def _functions(part: ast.AST) -> Iterator[tuple[str, Function]]:
    """Yield each function with its name, and each method with its name after a dot."""
    methods = set()
    for node in ast.walk(part):
        if isinstance(node, ast.ClassDef):
            methods |= {id(below) for below in node.body}
        elif isinstance(node, Function):
            yield ("." * (id(node) in methods) + node.name), node


def _list_called(part: ast.AST) -> set[str]:
    """Return the names of functions and methods that are called in a part, as `_functions` does. A
    method may be called by way of its class."""
    called = set()
    for node in ast.walk(part):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                called.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
                if owner in ("self", "cls") or owner[:1].isupper():
                    called.add(f".{name}")
    return called


def _is_jit(function: Function) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)
