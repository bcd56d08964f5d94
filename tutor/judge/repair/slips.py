"""Slips that need no right answer: a comparison, an operator, the order of two operands, a bracket, an
argument that nobody reads, a mask that lacks a lane."""

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, islice, product
from typing import Any, NamedTuple

from tutor.judge.repair.edits import Edit, Program, delete_node, insert_node, replace_node
from tutor.judge.repair.likeness import compare_bags
from tutor.judge.repair.trees import (
    ACCESSES,
    BODIES,
    COMPOUND,
    Function,
    bound_name,
    callee,
    calls,
    expression,
    functions,
    is_constant,
    is_kernel,
    launches,
    loads,
    locals_of,
    statements,
    stores,
    with_fields,
)


class Slip(NamedTuple):
    """Edits that would undo a slip, and how unlikely it is: the least cost is tried first."""

    cost: float
    edits: list[Edit]


_LIKE_NAMES = 0.55
_MOST_ELEMENTS = 3  # of a list in which two are exchanged
_MOST_MASKS = 27  # ways in which several lanes are bounded at once

_CALLS = {
    "tl.max": "tl.sum",
    "tl.sum": "tl.max",
    "tl.min": "tl.max",
    "tl.maximum": "tl.minimum",
    "tl.minimum": "tl.maximum",
    "tl.exp": "tl.exp2",
    "tl.exp2": "tl.exp",
    "torch.empty_like": "torch.zeros_like",
    "torch.empty": "torch.zeros",
    "tl.store": "tl.atomic_add",
    "any": "all",
    "all": "any",
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_NEW_AXES = ("(:, None)", "(None, :)", ":, None", "None, :")  # by Python's version
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)
_REDUCTIONS = ("tl.sum", "tl.max", "tl.min")
_FILLS = ("0.0", 'float("-inf")', 'float("inf")', "1.0")
_METHODS = ("item", "detach", "contiguous", "double", "float", "half")
_KEPT = ("tl.load", "tl.store", "range", "tl.arange", "print")  # not replaced by an argument


def find_slips(program: Program) -> Iterator[Slip]:
    """Yield every generic slip that the program may hold, with the edits that undo it."""
    for function in functions(program.tree).values():
        yield from _masks(function)
        yield from _InFunction(program, function).find()
    for call in launches(program.tree):
        yield from _strides(call)


class _InFunction:
    def __init__(self, program: Program, function: Function) -> None:
        self._program, self._function = program, function
        self._names = locals_of(function)
        read = loads(function.body)
        unread = [a.arg for a in function.args.args if a.arg not in read and not is_constant(a)]
        self._unread_parameters = set(unread)
        self._idle = unread + sorted(stores(function.body) - read)
        # By the text of the left side, and loops by their end.
        self._comparisons: dict[str, list[ast.Compare]] = {}
        self._divisions: dict[str, list[ast.BinOp]] = {}
        self._loops: dict[str, list[ast.For]] = {}
        self._set_to: list[tuple[str, ast.expr]] = []
        # Names with the line in which each is set first; parameters before all.
        self._first_set: dict[str, int] = {a.arg: 0 for a in function.args.args}
        for node in ast.walk(function):
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Compare(left=left):
                self._comparisons.setdefault(ast.dump(left), []).append(node)
            case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod()):
                self._divisions.setdefault(ast.dump(left), []).append(node)
            case ast.For(target=ast.Name(), iter=ast.Call(args=args)) if _is_range(node.iter):
                for end in args[-1:] if len(args) == 1 else args[1:2]:
                    if isinstance(end, ast.Name):
                        self._loops.setdefault(end.id, []).append(node)
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AugAssign(target=target, value=value)
            ):
                self._set_to.append((ast.unparse(target), value))
        if name := bound_name(node):
            line: int = getattr(node, "lineno", 0)
            self._first_set[name] = min(line, self._first_set.get(name, line))

    def find(self) -> Iterator[Slip]:
        finders: dict[type[ast.AST], Callable[..., Iterator[Slip]]] = {
            ast.Compare: self._comparison,
            ast.Constant: _constant,
            ast.UnaryOp: lambda node: iter([_replace(2.0, node, node.operand)]),
            ast.BinOp: self._division,
            ast.BoolOp: _condition,
            ast.Call: self._call,
            ast.Assign: _assignment,
            ast.AugAssign: self._step,
            ast.Name: self._name,
            ast.Subscript: _subscript,
            ast.Tuple: _order,
            ast.List: _order,
        }
        for node in ast.walk(self._function):
            if find := finders.get(type(node)):
                yield from find(node)
            yield from self._unread(node)
            yield from self._statements(node)

    def _unread(self, node: ast.AST) -> Iterator[Slip]:
        """Yield what brings in an argument that nobody reads."""
        if not isinstance(node, ast.BinOp | ast.Call) or not isinstance(
            self._program.parent(node), ast.Assign | ast.AugAssign | ast.BinOp | ast.Call
        ):
            return
        for name in self._idle:
            for operator in (ast.Mult(), ast.Add(), ast.Sub(), ast.Div()):
                yield _replace(1.5, node, ast.BinOp(node, operator, ast.Name(name, ast.Load())))

    def _name(self, node: ast.Name) -> Iterator[Slip]:
        if not isinstance(node.ctx, ast.Load) or node.id not in self._names:
            return
        if loop := self._loops.get(node.id):
            yield from self._left(node, loop)
        letters = Counter(node.id)
        for name in self._names:
            if name != node.id:
                alike = compare_bags(letters, Counter(name)) > _LIKE_NAMES
                cost = 1.2 if name in self._unread_parameters else 1.9 if alike else 2.7
                yield _replace(cost, node, ast.Name(name, ast.Load()))

    def _left(self, node: ast.Name, loops: list[ast.For]) -> Iterator[Slip]:
        """Yield what is left of a loop's end, for the end itself inside the loop."""
        for loop in (above for above in self._program.above(node) if above in loops):
            assert isinstance(loop, ast.For)
            assert isinstance(loop.target, ast.Name)
            done = ast.Name(loop.target.id, ast.Load())
            if node not in ast.walk(loop.iter):
                yield _replace(1.0, node, ast.BinOp(node, ast.Sub(), done))

    def _step(self, node: ast.AugAssign) -> Iterator[Slip]:
        """Yield a step made of what the first value is made of."""
        bare = ast.Assign([node.target], node.value, lineno=node.lineno)
        yield _replace(1.8, node, bare)
        target = ast.unparse(node.target)
        own = loads([node.value])
        known = loads(
            value for name, value in self._set_to if name == target and value is not node.value
        )
        for name in sorted((known & set(self._names)) - own - {target}):
            for old in (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)):
                if old not in self._names:
                    continue
                yield Slip(0.9, [_rename(node, old, name)])

    def _division(self, node: ast.BinOp) -> Iterator[Slip]:
        """Yield the divisor by which another statement takes the remainder of the same number, and the
        other way round."""
        yield from _operation(node)
        if isinstance(node.op, ast.FloorDiv) and self._counts_steps(node):
            rounded = ast.Call(expression("triton.cdiv"), [node.left, node.right], [])
            yield _replace(0.7, node, rounded)
        for other in self._divisions.get(ast.dump(node.left), ()):
            if type(other.op) is not type(node.op) and ast.dump(other.right) != ast.dump(
                node.right
            ):
                yield _replace(1.1, node.right, other.right)

    def _counts_steps(self, node: ast.BinOp) -> bool:
        """Return True for what tells the steps of a loop, the programs of a grid, or a number outside a
        kernel: one too few leaves a rest out."""
        above = self._program.parent(node)
        while isinstance(above, ast.Call) and callee(above) in ("max", "min"):
            above = self._program.parent(above)
        if isinstance(above, ast.Call):
            return _is_range(above)
        grid = isinstance(above, ast.Tuple)
        return grid or (isinstance(above, ast.Assign) and not is_kernel(self._function))

    def _comparison(self, node: ast.Compare) -> Iterator[Slip]:
        yield from _comparison(node)
        for other in self._comparisons.get(ast.dump(node.left), ()):
            if ast.dump(other) != ast.dump(node):  # the same thing is compared otherwise elsewhere
                yield _replace(1.0, node, other)

    def _call(self, call: ast.Call) -> Iterator[Slip]:
        name = callee(call)
        if name in _CALLS:
            yield _replace(1.7, call.func, expression(_CALLS[name]))
        yield from _arguments(call, name)
        yield from _keywords(call)
        if name in ("tl.load", "tl.store") and call.args:
            yield from self._access(call, name)

    def _access(self, call: ast.Call, name: str) -> Iterator[Slip]:
        """Yield a mask for an access that has none, the mask of a tile that is turned, and a fill for a
        load that has a mask alone."""
        given = {keyword.arg for keyword in call.keywords}
        for part in (keyword.value for keyword in call.keywords if keyword.arg == "mask"):
            turned = _Turned().visit(copy.deepcopy(part))
            if ast.dump(turned) != ast.dump(part):
                yield _replace(1.3, part, turned)
        if "mask" not in given:
            for number, mask in enumerate(self._known_masks(loads([call.args[0]]))):
                yield Slip(1.2 + 0.02 * number, [_with_mask(call, mask)])
        elif name == "tl.load" and "other" not in given:
            for fill in _FILLS[:2]:
                more = [*call.keywords, ast.keyword("other", expression(fill))]
                yield _replace(1.3, call, with_fields(call, keywords=more))

    def _known_masks(self, address: set[str]) -> list[str]:
        """Return masks that other accesses have, and those that bound a lane of the address."""
        function = self._function
        named = [
            node.targets[0].id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and any(isinstance(part, ast.Compare) for part in ast.walk(node.value))
        ]
        lanes = [name for name in _arange_names(function) if name in address]
        pointers = _pointers(function)
        bounds = [a.arg for a in function.args.args if not is_constant(a) and a.arg not in pointers]
        made = [f"{lane} < {bound}" for lane in lanes for bound in bounds]
        others = [
            ast.unparse(keyword.value)
            for call in calls(function, "tl.load", "tl.store")
            for keyword in call.keywords
            if keyword.arg == "mask"
        ]
        return list(dict.fromkeys([*named, *made, *others]))

    def _statements(self, owner: ast.AST) -> Iterator[Slip]:
        """Yield statements left out, later by one, moved out of a loop, and without their condition."""
        for field in BODIES:
            body = getattr(owner, field, None)
            if not isinstance(body, list):
                continue
            for index, statement in enumerate(body):
                if isinstance(statement, ast.FunctionDef) or not isinstance(statement, ast.stmt):
                    continue
                gone = delete_node(statement)
                yield Slip(2.5, [gone])
                if isinstance(statement, ast.If) and _guards_one(statement):
                    yield Slip(2.5, [replace_node(statement, statement.body[0])])
                if isinstance(statement, ast.If) and _is_elif(statement.orelse):
                    branch = statement.orelse[0]
                    after = insert_node(owner, field, index + 1, branch)
                    # Both are one word of the branch's line. A number in a branch is likelier.
                    yield Slip(2.1, [delete_node(branch), replace(after, line=branch.lineno)])
                if isinstance(statement, COMPOUND):
                    continue
                if index + 1 < len(body):
                    moved = insert_node(owner, field, index + 2, statement)
                    likely = self._may_come_later(statement, body[index + 1])
                    yield Slip(0.75 if likely else 2.2, [gone, moved])
                elif isinstance(owner, ast.For) and index:
                    yield from self._after_loop(owner, gone, statement)

    def _may_come_later(self, statement: ast.stmt, behind: ast.stmt) -> bool:
        """Return True if the order of two statements counts, and the second one finds all that it
        reads without the first."""
        mine, at = stores([statement]) & (loads([behind]) | stores([behind])), statement.lineno
        return bool(mine) and all(self._first_set.get(n, at) < at for n in mine)

    def _after_loop(self, loop: ast.For, gone: Edit, statement: ast.stmt) -> Iterator[Slip]:
        outer = self._program.parent(loop)
        around = getattr(outer, "body", [])
        if outer is not None and loop in around:
            index = around.index(loop) + 1
            yield Slip(2.6, [gone, insert_node(outer, "body", index, statement)])


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and callee(node).split(".")[-1] in ("range", "static_range")


def _rename(row: ast.AugAssign, old: str, new: str) -> Edit:
    """Return the edit that puts one name in the place of another in what a statement adds."""
    value = copy.deepcopy(row.value)
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
    return replace_node(row.value, value)


def _guards_one(statement: ast.If) -> bool:
    return len(statement.body) == 1 and not statement.orelse


def _is_elif(branch: list[ast.stmt]) -> bool:
    return len(branch) == 1 and isinstance(branch[0], ast.If)


def _order(node: ast.Tuple | ast.List) -> Iterator[Slip]:
    """Yield the elements of a short list with two of them exchanged."""
    if not isinstance(node.ctx, ast.Load) or not 1 < len(node.elts) <= _MOST_ELEMENTS:
        return
    for one, other in combinations(range(len(node.elts)), 2):
        elements = list(node.elts)
        elements[one], elements[other] = elements[other], elements[one]
        yield _replace(2.1, node, with_fields(node, elts=elements))


class _Turned(ast.NodeTransformer):
    """Exchanges the axes of an expression of two: `a[:, None]` becomes `a[None, :]`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple) and ast.unparse(node.slice) in _NEW_AXES:
            node.slice.elts.reverse()
        return node


def _subscript(node: ast.Subscript) -> Iterator[Slip]:
    """Yield the other end of a list, and the list without a slice's bounds."""
    if not isinstance(node.ctx, ast.Load):
        return
    at = ast.unparse(node.slice)
    if at in ("0", "-1"):
        yield _replace(1.9, node.slice, expression("-1" if at == "0" else "0"))
    if isinstance(node.slice, ast.Slice) and not isinstance(node.value, ast.Call):
        yield _replace(2.2, node, node.value)


def _replace(cost: float, node: ast.AST, new: ast.AST) -> Slip:
    return Slip(cost, [replace_node(node, new)])


def _comparison(node: ast.Compare) -> Iterator[Slip]:
    if len(node.ops) != 1:
        return
    for operator in _COMPARISONS.get(type(node.ops[0]), ()):
        yield _replace(1.4, node, with_fields(node, ops=[operator()]))
    bound = node.comparators[0]
    for step in (ast.Add(), ast.Sub()):
        yield _replace(2.2, bound, ast.BinOp(bound, step, ast.Constant(1)))


def _constant(node: ast.Constant) -> Iterator[Slip]:
    value: Any = node.value
    if type(value) is bool:
        yield _replace(1.8, node, ast.Constant(not value))
    if type(value) not in (int, float):
        return
    for other in dict.fromkeys((value + 1, value - 1, 0, 1, value * 2)):
        if other != value:
            yield _replace(2.0, node, ast.Constant(other))
    yield _replace(2.4, node, expression('float("-inf")'))


def _operation(node: ast.BinOp) -> Iterator[Slip]:
    left, right, op = node.left, node.right, node.op
    for operator in _OPERATORS.get(type(op), ()):
        yield _replace(2.0, node, with_fields(node, op=operator()))
    if isinstance(op, _ORDERED):
        yield _replace(1.8, node, with_fields(node, left=right, right=left))
    for inside, outside, flipped in ((left, right, False), (right, left, True)):
        if isinstance(inside, ast.Call) and len(inside.args) == 1 and not inside.keywords:
            argument = inside.args[0]  # the bracket ends too early
            joined = (
                ast.BinOp(outside, op, argument) if flipped else ast.BinOp(argument, op, outside)
            )
            yield _replace(1.7, node, with_fields(inside, args=[joined]))
    if isinstance(left, ast.BinOp) and type(left.op) is not type(op):
        grouped = ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right))
        yield _replace(1.7, node, grouped)
    if isinstance(right, ast.BinOp) and type(right.op) is not type(op):
        grouped = ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right)
        yield _replace(1.7, node, grouped)
    if isinstance(op, ast.FloorDiv):
        rounded = ast.Call(expression("triton.cdiv"), [left, right], [])
        yield _replace(1.6, node, rounded)
    yield _replace(2.3, node, left)
    yield _replace(2.3, node, right)


def _condition(node: ast.BoolOp) -> Iterator[Slip]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield _replace(1.6, node, with_fields(node, op=other))
    for value in node.values:
        rest = [v for v in node.values if v is not value]
        yield _replace(1.8, node, with_fields(node, values=rest) if len(rest) > 1 else rest[0])


def _assignment(node: ast.Assign) -> Iterator[Slip]:
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Name):
        return
    for operator in (ast.Add(), ast.Mult()):
        added = ast.AugAssign(ast.Name(target.id, ast.Store()), operator, node.value)
        yield _replace(1.5, node, added)


def _arguments(call: ast.Call, name: str) -> Iterator[Slip]:
    args = call.args
    plain = not any(isinstance(argument, ast.Starred) for argument in args)
    if len(args) == 1 and isinstance(args[0], ast.BinOp) and not call.keywords:
        inner = args[0]  # the bracket ends too late
        outside = ast.BinOp(with_fields(call, args=[inner.left]), inner.op, inner.right)
        yield _replace(1.9, call, outside)
    axis = args[1] if name in _REDUCTIONS and len(args) == 2 else None
    if isinstance(axis, ast.Constant) and axis.value in (0, 1):
        yield _replace(1.2, axis, ast.Constant(1 if axis.value == 0 else 0))
    if name == "tl.program_id" and args and isinstance(args[0], ast.Constant):
        for number in (0, 1, 2):
            if number != args[0].value:
                yield _replace(1.6, args[0], ast.Constant(number))
    if args and plain and name not in _KEPT:
        yield _replace(0.6 if name in ("reversed", "sorted") else 2.3, call, args[0])
    if len(args) == 2 and plain:
        yield _replace(2.2, call, with_fields(call, args=args[::-1]))
    if isinstance(call.func, ast.Attribute) and not args and call.func.attr in _METHODS:
        yield _replace(2.4, call, call.func.value)


def _keywords(call: ast.Call) -> Iterator[Slip]:
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg == "axis" and isinstance(value, ast.Constant):
            axis = 1 - value.value if value.value in (0, 1) else 0
            yield _replace(1.2, value, ast.Constant(axis))
        if keyword.arg == "other":
            for fill in _FILLS:
                if ast.dump(expression(fill)) == ast.dump(value):
                    continue
                yield _replace(1.5, value, expression(fill))
        rest = [k for k in call.keywords if k is not keyword]
        yield _replace(2.6, call, with_fields(call, keywords=rest))


# --- strides --------------------------------------------------------------------------------------


def _strides(call: ast.Call) -> Iterator[Slip]:
    """Yield the strides of a tensor whose own are not handed over to a launch, where those of another
    one are handed over twice."""
    handed = [k.value.id for k in call.keywords if isinstance(k.value, ast.Name)]
    runs: list[tuple[str, list[ast.expr]]] = []
    for keyword in call.keywords:
        owner = _stride_of(keyword.value)
        if owner and runs and runs[-1][0] == owner and not _again(runs[-1][1], keyword.value):
            runs[-1][1].append(keyword.value)
        elif owner:
            runs.append((owner, [keyword.value]))
    owners = {owner for owner, _ in runs}
    lacking = [name for name in handed if name not in owners]
    for place, (owner, values) in enumerate(runs):
        if owner not in {earlier for earlier, _ in runs[:place]}:
            continue
        for name in lacking:
            yield Slip(0.6, [replace_node(v, _stride(v, name)) for v in values])


def _stride_of(value: ast.expr) -> str:
    """Return the tensor of `x.stride(0)`; "" of anything else."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="stride"), args=[_]):
            return name
    return ""


def _again(values: list[ast.expr], value: ast.expr) -> bool:
    return any(ast.dump(value) == ast.dump(known) for known in values)


def _stride(value: ast.expr, name: str) -> ast.expr:
    assert isinstance(value, ast.Call)
    return ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "stride", ast.Load()), value.args, [])


# --- masks ----------------------------------------------------------------------------------------


class _Lack(NamedTuple):
    """An access whose mask does not mention a lane of its address; `lane` as it is written there."""

    call: ast.Call
    lane: str


def _masks(function: Function) -> Iterator[Slip]:
    """Yield bounds for lanes that masks lack: at one access, and at all that lack them."""
    lacks = _find_lacks(function)
    known = {
        ast.unparse(c.left).split("[")[0]: ast.unparse(c.comparators[0])
        for c in ast.walk(function)
        if isinstance(c, ast.Compare) and isinstance(c.ops[0], ast.Lt)
    }
    pointers = _pointers(function)
    bounds = [
        a.arg
        for a in function.args.args
        if not is_constant(a) and a.arg not in pointers and "stride" not in a.arg
    ]
    choices = {name: [known[name]] if name in known else bounds for name in lacks}
    for name, sites in lacks.items():
        for bound in choices[name]:
            for site in sites:
                yield Slip(1.2, _add_bounds([(site, bound)]))
            if len(sites) > 1:
                yield Slip(1.25, _add_bounds([(site, bound) for site in sites]))
    if len(lacks) > 1:
        for picked in islice(product(*choices.values()), _MOST_MASKS):
            if len(set(picked)) == len(picked):
                pairs = zip(picked, lacks.values(), strict=True)
                yield Slip(1.3, _add_bounds([(s, bound) for bound, sites in pairs for s in sites]))


def _find_lacks(function: Function) -> dict[str, list[_Lack]]:
    """Return by the name of a lane the accesses whose mask does not bound it."""
    lanes = set(_arange_names(function))
    values: dict[str, ast.expr] = {}
    for statement, _ in statements(function):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name, value = statement.targets[0].id, statement.value
            values[name] = value
            made = ast.Compare | ast.Call | ast.Subscript
            plain = not any(isinstance(x, made) for x in ast.walk(value))
            if plain and loads([value]) & lanes:  # what is made of lanes is one
                lanes.add(name)
    lacks: dict[str, list[_Lack]] = {}
    for call in calls(function, *ACCESSES):
        if not call.args:
            continue
        bounded: set[str] = set()
        for keyword in call.keywords:
            if keyword.arg == "mask":
                read = loads([keyword.value])
                bounded = read | loads([values[name] for name in read if name in values])
        seen: set[str] = set()
        for part in _address_parts(call.args[0], values, lanes):
            inner = part.value if isinstance(part, ast.Subscript) else part
            if not isinstance(inner, ast.Name) or inner.id not in lanes - bounded - seen:
                continue
            seen.add(inner.id)
            lacks.setdefault(inner.id, []).append(_Lack(call, ast.unparse(part)))
    return lacks


def _address_parts(
    address: ast.expr, values: dict[str, ast.expr], lanes: set[str]
) -> Iterator[ast.AST]:
    """Yield the parts of an address, and of what its names stand for, but for lanes: `rows[:, None]`
    before the `rows` in it."""
    for part in ast.walk(address):
        yield part
        if isinstance(part, ast.Name) and part.id in values and part.id not in lanes:
            yield from ast.walk(values[part.id])


def _add_bounds(sites: list[tuple[_Lack, str]]) -> list[Edit]:
    """Return the edits that add these bounds to the masks of their accesses."""
    by_call: dict[int, tuple[ast.Call, list[str]]] = {}
    for lack, bound in sites:
        by_call.setdefault(id(lack.call), (lack.call, []))[1].append(f"({lack.lane} < {bound})")
    return [_with_mask(call, " & ".join(parts)) for call, parts in by_call.values()]


def _with_mask(call: ast.Call, condition: str) -> Edit:
    """Return the edit that adds a condition to the mask of an access."""
    for keyword in call.keywords:
        if keyword.arg == "mask":
            joined = ast.BinOp(keyword.value, ast.BitAnd(), expression(condition))
            return replace_node(keyword.value, joined)
    more = [ast.keyword("mask", expression(condition))]
    if callee(call) == "tl.load":
        more.append(ast.keyword("other", expression("0.0")))
    return replace_node(call, with_fields(call, keywords=[*call.keywords, *more]))


def _arange_names(function: Function) -> list[str]:
    """Return the names of blocks of lanes."""
    return [
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and "tl.arange" in ast.unparse(node.value)
    ]


def _pointers(function: Function) -> set[str]:
    """Return the names at the beginning of addresses."""
    return {
        ast.unparse(call.args[0]).split(" ")[0] for call in calls(function, *ACCESSES) if call.args
    }
