"""Rules that read the learner's source beside what went wrong: the text of a mask, an argument that
nothing reads. Each returns a `Diagnosis` or None, and only where a case
failed."""

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tutor.base.python_trees import is_deep, parse_python
from tutor.judge.diagnosis.evidence import CaseEvidence
from tutor.judge.model.verdict import Diagnosis

_AND_OR = (ast.BitAnd, ast.BitOr)
_ACCESS = re.compile(
    r"load|store|atomic_\w+"
)  # functions of `tl` whose first argument is an address
_HOOKS = ("__torch_dispatch__", "__torch_function__")
_HALF_TYPES = ("float16", "bfloat16", "half")  # as `tl.float16`
_HALF_METHODS = ("half", "bfloat16")


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


@functools.lru_cache(maxsize=4)  # each rule asks, and of each case
def _nodes(source: str) -> Sequence[ast.AST]:
    """Return all nodes of a program, the outer ones first; none of one that cannot be walked."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return () if is_deep(tree) else tuple(ast.walk(tree))


def find_half_casts(source: str) -> list[int]:
    """Return the lines that convert to a type of 16 bits or make something of one."""
    return sorted(
        {
            node.lineno
            for call in _nodes(source)
            if isinstance(call, ast.Call)
            for node in (call.func, *call.args, *(keyword.value for keyword in call.keywords))
            if isinstance(node, ast.Attribute)
            and (node.attr in _HALF_TYPES or (node is call.func and node.attr in _HALF_METHODS))
        }
    )


def find_loop(source: str, line: int) -> int | None:
    """Return the line at which the innermost loop around a line begins; None where there is none."""
    loops = (ast.For, ast.While)
    around = [
        node.lineno
        for node in _nodes(source)
        if isinstance(node, loops) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, default=None)


def find_steps(source: str, loop: int) -> dict[str, list[int]] | None:
    """Return what the condition of the `while` loop that begins in a line reads, each name with the
    lines of the loop that set it. None for another loop, and where the condition calls something."""
    for node in _nodes(source):
        if isinstance(node, ast.While) and node.lineno == loop:
            read = [n for n in ast.walk(node.test) if isinstance(n, ast.Name)]
            if not read or any(isinstance(n, ast.Call) for n in ast.walk(node.test)):
                return None
            sets = [n for row in node.body for n in ast.walk(row) if isinstance(n, ast.Name)]
            sets = [n for n in sets if isinstance(n.ctx, ast.Store)]
            return {r.id: sorted({n.lineno for n in sets if n.id == r.id}) for r in read}
    return None


def has_loop(source: str) -> bool:
    """Return True if the source has a loop of any form."""
    loops = (ast.For, ast.While, ast.comprehension)
    return any(isinstance(node, loops) for node in _nodes(source))


def _last_name(node: ast.expr) -> str:
    """Return `jit` of `triton.jit`, `@triton.jit(…)` and `jit`; "" of anything else."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def read_function(source: str, name: str) -> str:
    """Return the text of the tree of the function with that name; "" if it is not there."""
    functions = (n for n in _nodes(source) if isinstance(n, ast.FunctionDef) and n.name == name)
    return next(map(ast.dump, functions), "")


def find_definition(source: str, name: str) -> int | None:
    """Return the line of the only function with that name; None if there is none, or several."""
    lines = [n.lineno for n in _nodes(source) if isinstance(n, ast.FunctionDef) and n.name == name]
    return lines[0] if len(lines) == 1 else None


def is_class(source: str, name: str) -> bool:
    """Return True if the source defines a class with that name."""
    return any(isinstance(n, ast.ClassDef) and n.name == name for n in _nodes(source))


def find_uses_of_type(source: str, name: str) -> list[int]:
    """Return the lines that call a type or hand it to another function, as `map(Type, rows)`; not those
    that ask whether something is of it."""
    calls = [n for n in _nodes(source) if isinstance(n, ast.Call)]
    calls = [call for call in calls if _last_name(call.func) not in ("isinstance", "issubclass")]
    used = [n for call in calls for n in (call.func, *call.args[1:]) if _is_named(n, name)]
    return sorted({node.lineno for node in used})


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and _last_name(node) == name


def find_only_call(source: str, function: str, name: str) -> int | None:
    """Return the line of the only call of `name` in that function; None if there is none, or several."""
    lines = {
        call.lineno
        for node in _nodes(source)
        if isinstance(node, ast.FunctionDef) and node.name == function
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and _last_name(call.func) == name
    }
    return lines.pop() if len(lines) == 1 else None


def find_given_lines(source: str, starter: str) -> frozenset[int]:
    """Return the lines of the functions of the starter that stand in the source unchanged."""
    given = {ast.dump(n) for n in _top_level(starter) if isinstance(n, ast.FunctionDef)}
    same = [
        n for n in _top_level(source) if isinstance(n, ast.FunctionDef) and ast.dump(n) in given
    ]
    return frozenset(n for f in same for n in range(f.lineno, (f.end_lineno or f.lineno) + 1))


def _top_level(source: str) -> list[ast.stmt]:
    return next((node.body for node in _nodes(source) if isinstance(node, ast.Module)), [])


def _lines_that_set(function: ast.FunctionDef, name: str) -> list[int]:
    sets = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)
    return sorted({n.lineno for n in sets if isinstance(n.ctx, ast.Store)})


def _accesses(nodes: Iterable[ast.AST], line: int | None) -> list[ast.Call]:
    """Return the loads, stores and atomics among nodes that `line` is a line of."""
    return [
        call
        for call in nodes
        if isinstance(call, ast.Call)
        and call.lineno <= (line or 0) <= (call.end_lineno or 0)
        and _ACCESS.fullmatch(_last_name(call.func))
    ]


def _addresses(function: ast.FunctionDef, line: int) -> list[ast.expr]:
    """Return the addresses of the accesses in `line`."""
    return [call.args[0] for call in _accesses(ast.walk(function), line) if call.args]


def find_pointer_base(source: str, line: int | None, tensors: Collection[str]) -> str:
    """Return the tensor argument from which the address of the access in `line` is made.

    "" where the source names none of `tensors` on the way to that address, or several of them.
    """
    for function in _nodes(source) if line else ():
        last = getattr(function, "end_lineno", 0) or 0
        if isinstance(function, ast.FunctionDef) and function.lineno <= (line or 0) <= last:
            found = _tensors_reached(function, line or 0, tensors)
            return found.pop() if len(found) == 1 else ""
    return ""


def _tensors_reached(function: ast.FunctionDef, line: int, tensors: Collection[str]) -> set[str]:
    """Return the tensor arguments that the address of the access in `line` is computed from."""
    reached = _values_reached(function, line)
    return {name for value in reached for name in _names_outside_loads(value)} & set(tensors)


def _values_reached(function: ast.FunctionDef, line: int) -> list[ast.expr]:
    """Return the address of the access in `line`, and what is set to the names on the way to it."""
    bound: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value:
            targets = [node.target]
        for name in (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
            bound.setdefault(name, []).append(node.value)  # type: ignore[attr-defined]
    waiting, reached = _addresses(function, line), list[ast.expr]()
    seen: set[str] = set()
    while waiting:
        reached.append(waiting.pop())
        names = set(_names_outside_loads(reached[-1])) - seen
        seen |= names
        waiting += [value for name in names for value in bound.get(name, ())]
    return reached


def find_block_widths(
    source: str, line: int | None, kernel: str
) -> tuple[list[str], int | None] | None:
    """Return the parameters of a kernel that make the blocks of the access in `line`, and the one line
    that sets them: that of the launch, or of the name that is handed over.

    Of several parameters, those that are a number or a size of a tensor are not the ones. The line is
    None where more than one is left. None if nothing is handed over by name.
    """
    nodes = list(_nodes(source)) if line else []
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == kernel]
    if len(functions) != 1:
        return None
    (function,) = functions
    parameters = {argument.arg for argument in function.args.args}
    reached = _values_reached(function, line or 0)
    ranges = [call for v in reached for call in ast.walk(v) if _is_call(call, "arange")]
    used = {n.id for call in ranges for n in ast.walk(call) if isinstance(n, ast.Name)}
    handed = {
        keyword.arg: keyword.value
        for call in nodes
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript)
        if _last_name(call.func.value) == kernel
        for keyword in call.keywords
        if keyword.arg in used & parameters
    }
    if set(handed) != used & parameters or not handed:
        return None
    # Another function's names, as a lane `dim` in the kernel, are others.
    defined = [n for n in nodes if isinstance(n, ast.FunctionDef)]
    other = [f for f in defined if not any(n in handed.values() for n in ast.walk(f))]
    inside = {id(n) for f in other for n in ast.walk(f)}
    nodes = [n for n in nodes if id(n) not in inside]
    wide = {name: value for name, value in handed.items() if not _is_given_size(value, nodes)}
    handed = wide if len(handed) > 1 and wide else handed
    names = [argument.arg for argument in function.args.args if argument.arg in handed]
    lines = {at for value in handed.values() for at in _setting_lines(value, nodes)}
    return names, lines.pop() if len(lines) == 1 else None


def _setting_lines(value: ast.expr, nodes: list[ast.AST]) -> set[int]:
    """Return the lines that set a name; the line of another value."""
    name = value.id if isinstance(value, ast.Name) else ""
    return {n.lineno for n in _settings_of(name, nodes)} or {value.lineno}


def _settings_of(name: str, nodes: list[ast.AST]) -> list[ast.Name]:
    named = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    return [n for n in named if isinstance(n.ctx, ast.Store)]


def _is_given_size(value: ast.expr, nodes: list[ast.AST]) -> bool:
    """Return True for a number, a part of a shape, and a name that is set to nothing else."""
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.Subscript):
        value = value.value
    if isinstance(value, ast.Attribute):
        return value.attr == "shape"
    if isinstance(value, ast.Call):
        return _last_name(value.func) == "size"
    if not isinstance(value, ast.Name):
        return False
    found = [
        _value_for(row.targets[0], row.value, value.id)
        for row in nodes
        if isinstance(row, ast.Assign)
        if any(n.id == value.id for n in ast.walk(row.targets[0]) if isinstance(n, ast.Name))
    ]
    same = [v for v in found if not isinstance(v, ast.Name) and _is_given_size(v, nodes)]
    return bool(found) and len(same) == len(found) == len(_settings_of(value.id, nodes))


def _value_for(target: ast.expr, value: ast.expr, name: str) -> ast.expr:
    """Return what `a, b = x, y` sets one name to; the whole value where it is no tuple."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=False):
            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(one)):
                return _value_for(one, part, name)
    return value


def find_launch_settings(source: str, line: int | None) -> int | None:
    """Return the line of the launch that begins there if it gives warps or stages a number, or all that
    it hands over by name. None where other lines set them."""
    for call in _nodes(source):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Subscript):
            continue
        if call.lineno == line and call.keywords:
            numbers = [k.arg for k in call.keywords if isinstance(k.value, ast.Constant)]
            all_here = len(numbers) == len(call.keywords)
            return line if all_here or {"num_warps", "num_stages"} & set(numbers) else None
    return None


def is_in_helper(source: str, line: int | None) -> bool:
    """Return True for a line of a kernel's helper: a function with `jit` that no launch names and that
    another one calls. What it is given is made there."""
    nodes = list(_nodes(source)) if line else []
    for function in nodes:
        last = getattr(function, "end_lineno", 0) or 0
        if isinstance(function, ast.FunctionDef) and function.lineno <= (line or 0) <= last:
            if "jit" not in map(_last_name, function.decorator_list):
                return False
            called = [n.func for n in nodes if isinstance(n, ast.Call)]
            launched = [f.value for f in called if isinstance(f, ast.Subscript)]
            name = function.name
            return name in map(_last_name, called) and name not in map(_last_name, launched)
    return False


def is_placed_elsewhere(source: str, line: int | None, kind: str = "") -> bool:
    """Return True if other lines of the kernel set what tells the place of each access in `line`: its
    address is a name or adds names, or its mask is a name. `kind` is as in `find_origins`."""
    functions = [f for f in _functions(source) if line in _lines_of(f)]
    accesses = [call for f in functions for call in _accesses_of_kind(f, line, kind)]
    return bool(accesses) and all(_is_access_placed(functions[0], call) for call in accesses)


def _is_access_placed(function: ast.FunctionDef, access: ast.Call) -> bool:
    masked = any(k.arg == "mask" and isinstance(k.value, ast.Name) for k in access.keywords)
    plain = (ast.Name, ast.BinOp, ast.Add, ast.expr_context)
    added = all(isinstance(node, plain) for node in ast.walk(access.args[0]))
    return masked or (added and bool(_parts_set_elsewhere(function, access.args[:1], access)))


@dataclass(frozen=True)
class Origins:
    """Return the other lines that make the addresses and masks of the accesses in a line.

    `address` and `mask` have the names in them, each with the lines that set it. `further` are the lines
    on the way to these, those of a function that is called there too; `launch` is that of the kernel,
    None if there are several.
    """

    address: dict[str, list[int]]
    mask: dict[str, list[int]]
    further: list[int]
    launch: int | None
    accesses: int


def find_origins(source: str, line: int | None, kind: str) -> Origins | None:
    """Return what makes the accesses in a line; None if there are none. `kind` is "load", "store" (an
    atomic one too), or "" for any."""
    for function in _functions(source):
        if line in _lines_of(function) and (found := _accesses_of_kind(function, line, kind)):
            address, mask = dict[str, list[int]](), dict[str, list[int]]()
            for call in found:
                masks = [k.value for k in call.keywords if k.arg == "mask"]
                address |= _parts_set_elsewhere(function, call.args[:1], call)
                mask |= _parts_set_elsewhere(function, masks, call)
            mask = {name: lines for name, lines in mask.items() if name not in address}
            near = {line, *(n for lines in (*address.values(), *mask.values()) for n in lines)}
            further = _lines_behind(source, function, {*address, *mask}) - near
            calls = [n for n in _nodes(source) if isinstance(n, ast.Call)]
            launches = {n.lineno for n in calls if _is_launch(n, function.name)}
            launch = launches.pop() if len(launches) == 1 else None
            return Origins(address, mask, sorted(further), launch, len(found))
    return None


def _functions(source: str) -> list[ast.FunctionDef]:
    return [node for node in _nodes(source) if isinstance(node, ast.FunctionDef)]


def _lines_of(node: ast.stmt | ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _accesses_of_kind(function: ast.FunctionDef, line: int | None, kind: str) -> list[ast.Call]:
    """Return the accesses in a line that have an address and are loads, stores or either."""
    found = [call for call in _accesses(ast.walk(function), line) if call.args]
    return [c for c in found if not kind or (_last_name(c.func) == "load") == (kind == "load")]


def _parts_set_elsewhere(
    function: ast.FunctionDef, parts: Iterable[ast.expr], access: ast.Call
) -> dict[str, list[int]]:
    """Return the names in parts of an access that lines other than its own set, each with these."""
    names = dict.fromkeys(name for part in parts for name in _names_outside_loads(part))
    found = {name: _lines_that_set(function, name) for name in names}
    own = set(_lines_of(access))
    return {name: lines for name, lines in found.items() if lines and own.isdisjoint(lines)}


def _lines_behind(source: str, function: ast.FunctionDef, names: set[str]) -> set[int]:
    """Return the lines of a function that set these names, or what sets them, and those of the other
    functions that these call."""
    lines: set[int] = set()
    waiting, seen = set(names), set[str]()
    while waiting:
        seen |= waiting
        rows = [row for row in _settings(function) if waiting & set(_names_set(row))]
        lines |= {line for row in rows for line in _setting_range(row)}
        waiting = {n for row in rows for n in _names_outside_loads(_value_of(row))} - seen
    called = [f for f in _functions(source) if f.name in seen and f is not function]
    return lines | {
        n for f in called for row in _settings(f, ast.Return) for n in _setting_range(row)
    }


def _settings(function: ast.FunctionDef, *more: type[ast.stmt]) -> Iterator[ast.stmt]:
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, *more)
    nodes = (node for node in ast.walk(function) if isinstance(node, ast.stmt))
    return (node for node in nodes if isinstance(node, kinds))


def _names_set(row: ast.stmt) -> Iterator[str]:
    targets = row.targets if isinstance(row, ast.Assign) else [row.target]  # type: ignore[attr-defined]
    return (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))


def _value_of(row: ast.stmt) -> ast.AST:
    return row.iter if isinstance(row, ast.For) else row


def _setting_range(row: ast.stmt) -> range:
    return range(row.lineno, row.lineno + 1) if isinstance(row, ast.For) else _lines_of(row)


def has_fixed_grid(source: str) -> bool:
    """Return True if no configuration changes the grid of some launch: it is a tuple, or a function
    that does not read what it is given."""
    nodes = list(_nodes(source))
    calls = [n.func for n in nodes if isinstance(n, ast.Call)]
    grids = [f.slice for f in calls if isinstance(f, ast.Subscript)]
    rows = [n for n in nodes if isinstance(n, ast.Assign) and _is_fixed_grid(n.value)]
    fixed = {name for row in rows for name in _names_set(row)}
    fixed |= {f.name for f in _functions(source) if _is_fixed_grid(f)}
    return any(_is_fixed_grid(g) or (isinstance(g, ast.Name) and g.id in fixed) for g in grids)


def _is_fixed_grid(node: ast.AST) -> bool:
    if isinstance(node, ast.Lambda | ast.FunctionDef):
        given = {argument.arg for argument in node.args.args}
        return given.isdisjoint(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return isinstance(node, ast.Tuple)


def _is_launch(node: ast.Call, kernel: str) -> bool:
    """Return True for `kernel[grid](…)`."""
    return isinstance(node.func, ast.Subscript) and _last_name(node.func.value) == kernel


def find_mask_line(source: str, line: int | None) -> int | None:
    """Return the line of the mask of the one access that begins in `line` and goes on in others; None
    where the mask stands in that line too, or there is none."""
    found = [
        keyword.value.lineno
        for call in _accesses(_nodes(source), line)
        for keyword in call.keywords
        if call.lineno == line and keyword.arg == "mask"
    ]
    return found[0] if len(found) == 1 and found[0] != line else None


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) == name


def _names_outside_loads(node: ast.AST) -> Iterator[str]:
    """Yield the names in an expression, without those of a load: what it loads is an index."""
    if isinstance(node, ast.Call) and _ACCESS.fullmatch(_last_name(node.func)):
        return
    if isinstance(node, ast.Name):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _names_outside_loads(child)
