"""A proof, read off the learner's source, that a launch starts no more programs than a number says,
however large its tensors are, and that nothing else makes up for it.

Where a step of the proof is missing, nothing is said: sizes that a block takes up, further launches
and loops in Python are all ways to finish a large tensor with few programs.
"""

import ast
import graphlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tutor.base.python_trees import is_deep, parse_python

_LOOPS = (ast.For, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_HIDDEN = (ast.ClassDef, ast.AsyncFunctionDef, ast.Global, ast.Nonlocal)  # what is not followed
# Of one proof. A file of more nodes than `_LARGEST` is none that a person wrote for an exercise.
_MOST_STEPS, _DEEPEST, _LARGEST = 1000, 40, 20_000


def find_capped_grid(source: str) -> tuple[int, int] | None:
    """Return the line of a launch whose grid never passes a number, and the number, where the rest of
    a larger tensor would be left out; else None.

    Then every launch of the file has such a grid, blocks whose widths are bounded too, and no loop in
    its kernel or around it.
    """
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = list(ast.walk(tree))
    if len(nodes) > _LARGEST or is_deep(tree):
        return None
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    kernels = {name: f for name, f in defined.items() if _decorators(f) & {"jit"}}
    if not kernels or _may_repeat(nodes, defined, kernels):
        return None
    found, steps = [], 0
    known = frozenset(n.attr for n in nodes if isinstance(n, ast.Attribute)) | _names(tree)
    for function in (f for name, f in defined.items() if name not in kernels):
        for launch in ast.walk(function):
            if isinstance(launch, ast.Call) and (kernel := kernels.get(_name_kernel(launch))):
                bounds = _Bounds(tree, function, known, steps=steps)
                most, steps = bounds.of_launch(launch, kernel), bounds.steps
                if most is None:
                    return None
                found.append((launch.lineno, most))
    names = [n for n in nodes if isinstance(n, ast.Name) and n.id in kernels]
    hosts = {id(n) for name in kernels for n in ast.walk(kernels[name])}
    if len([n for n in names if id(n) not in hosts]) != len(found):
        return None  # a kernel that is launched in another way, or handed on
    return next((pair for pair in found if pair[1] > 1), None)


def _may_repeat(
    nodes: list[ast.AST], defined: dict[str, ast.FunctionDef], kernels: dict[str, ast.FunctionDef]
) -> bool:
    """Return True if a kernel has a loop, or if Python may call a function of the file any number of
    times: in a loop, by recursion, as a method, or where it was handed on."""
    if any(isinstance(n, _LOOPS) for kernel in kernels.values() for n in ast.walk(kernel)):
        return True
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    called |= {id(n.value) for n in nodes if isinstance(n, ast.Subscript)}
    for node in nodes:
        if isinstance(node, _HIDDEN) or (
            isinstance(node, ast.FunctionDef) and defined.get(node.name) is not node
        ):
            return True
        if isinstance(node, ast.Name) and node.id in defined and id(node) not in called:
            return True
        if isinstance(node, (*_LOOPS, *_COMPREHENSIONS, ast.Lambda)) and (
            _names(node) & defined.keys()
        ):
            return True
    used = {name: _names(function) & defined.keys() for name, function in defined.items()}
    try:
        graphlib.TopologicalSorter(used).prepare()
    except graphlib.CycleError:
        return True
    return False


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _decorators(function: ast.FunctionDef) -> set[str]:
    return {_last_name(decorator) for decorator in function.decorator_list}


def _last_name(node: ast.expr) -> str:
    """Return `jit` of `triton.jit`, `@triton.jit(…)` and `jit`; "" of anything else."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _name_kernel(call: ast.Call) -> str:
    """Return the name before the brackets of `kernel[grid](…)`; "" of another call."""
    launch = call.func
    return _last_name(launch.value) if isinstance(launch, ast.Subscript) else ""


@dataclass
class _Bounds:
    """Upper bounds of expressions in one function, whatever its arguments are.

    Sizes are taken to be integers of 0 and more, and divisors of 1 and more. `names` are all of the
    file's. `cut` says that a `min` dropped an operand without a bound.
    """

    tree: ast.Module
    function: ast.FunctionDef
    names: frozenset[str]
    cut: bool = field(default=False)
    steps: int = field(default=0)
    depth: int = field(default=0)

    def of_launch(self, launch: ast.Call, kernel: ast.FunctionDef) -> int | None:
        """Return how many programs a launch starts at most, where a `min` cuts its grid off and its
        blocks do not widen; else None."""
        assert isinstance(launch.func, ast.Subscript)
        grid = launch.func.slice
        if isinstance(grid, ast.Name):
            values = self._values(grid.id, grid.lineno)
            grid = values[0] if len(values) == 1 and values[0] is not None else grid
        if isinstance(grid, ast.Lambda):
            grid = grid.body
        axes = [self.of(axis) for axis in (grid.elts if isinstance(grid, ast.Tuple) else [grid])]
        bounds = [axis for axis in axes if axis is not None]
        if not self.cut or len(bounds) < len(axes):
            return None
        return math.prod(bounds) if self._has_fixed_blocks(launch, kernel) else None

    def _has_fixed_blocks(self, launch: ast.Call, kernel: ast.FunctionDef) -> bool:
        """Return True if each argument that may be the width of a block is bounded."""
        if self.names & {"TensorDescriptor", "heuristics"}:  # widths that are set elsewhere
            return False
        parameters = [*kernel.args.posonlyargs, *kernel.args.args]
        given = dict(zip((p.arg for p in parameters), launch.args, strict=False))
        given |= {keyword.arg or "**": keyword.value for keyword in launch.keywords}
        if "**" in given or any(isinstance(value, ast.Starred) for value in launch.args):
            return False
        widths = [p.arg for p in (*parameters, *kernel.args.kwonlyargs) if _is_constant(p)]
        return all(self._never_grows(given[name]) for name in widths if name in given)

    def _never_grows(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Constant | ast.Compare):
            return True
        if isinstance(value, ast.Attribute):  # a dtype
            return isinstance(value.value, ast.Name) and value.value.id in ("tl", "torch")
        return self.of(value) is not None

    def of(self, node: ast.expr | None) -> int | None:
        """Return a number that an expression never passes; None if none is known."""
        self.steps += 1
        if node is None or self.steps > _MOST_STEPS or self.depth > _DEEPEST:
            return None
        self.depth += 1
        bound = self._of(node)
        self.depth -= 1
        return bound

    def _of(self, node: ast.expr) -> int | None:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and node.value >= 0 else None
        if isinstance(node, ast.Name):
            return self._largest(self._values(node.id, node.lineno))
        if isinstance(node, ast.IfExp):
            return self._largest([node.body, node.orelse])
        if isinstance(node, ast.BinOp):
            return self._of_operation(node)
        if isinstance(node, ast.Call) and not node.keywords:
            return self._of_call(_last_name(node.func), node.args)
        return None

    def _largest(self, nodes: Sequence[ast.expr | None]) -> int | None:
        bounds = [self.of(node) for node in nodes]
        known = [bound for bound in bounds if bound is not None]
        return max(known, default=None) if len(known) == len(bounds) else None

    def _of_call(self, name: str, values: list[ast.expr]) -> int | None:
        if name == "min" and len(values) > 1:
            if any(isinstance(value, ast.Starred) for value in values):
                return None
            bounds = [self.of(value) for value in values]
            known = [bound for bound in bounds if bound is not None]
            self.cut |= bool(known) and len(known) < len(bounds)
            return min(known, default=None)
        if name == "max" and len(values) > 1:
            return self._largest(values)
        if name == "cdiv" and len(values) == 2:
            most = self.of(values[0])
            return None if most is None else -(-most // self._least(values[1]))
        if name == "next_power_of_2" and len(values) == 1:
            most = self.of(values[0])
            return None if most is None else 1 << max(most - 1, 0).bit_length()
        return self.of(values[0]) if name == "int" and len(values) == 1 else None

    def _of_operation(self, node: ast.BinOp) -> int | None:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, ast.Mod):
            known = [n for n in (left, None if right is None else right - 1) if n is not None]
            return min(known, default=None)
        if left is None:
            return None
        if isinstance(node.op, ast.FloorDiv):
            return left // self._least(node.right)
        if right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Add):
            return left + right
        return left - right if isinstance(node.op, ast.Sub) and self._is_fixed(node.right) else None

    def _is_fixed(self, node: ast.expr | None) -> bool:
        if isinstance(node, ast.Name):
            values = self._values(node.id, node.lineno)
            return len(values) == 1 and self._is_fixed(values[0])
        return isinstance(node, ast.Constant)

    def _least(self, divisor: ast.expr) -> int:
        """Return a number of 1 or more that a divisor does not fall below."""
        bound = self.of(divisor) if self._is_fixed(divisor) else None
        return max(bound or 1, 1)

    def _values(self, name: str, line: int) -> list[ast.expr | None]:
        """Return what a name may stand for in a line: its last assignment before it, and those after
        that one which a condition may skip. None for what is no expression of the file."""
        inner = [n for n in ast.walk(self.function) if isinstance(n, ast.Lambda)]
        if any(name in _parameters(n) for n in inner):
            return [None]
        found: list[ast.expr | None] = [None] if name in _parameters(self.function) else []
        local = _bindings(self.function.body, name)
        rows = [row for row in local if row[0] < line]
        if not (found or local):
            rows = _bindings(self.tree.body, name)
        for _, value, certain in rows:
            found = [value] if certain else [*found, value]
        return found or [None]


def _is_constant(parameter: ast.arg) -> bool:
    annotation = parameter.annotation
    if isinstance(annotation, ast.Constant):
        return "constexpr" in str(annotation.value)
    return annotation is not None and _last_name(annotation) == "constexpr"


def _parameters(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    given = function.args
    rest = [a for a in (given.vararg, given.kwarg) if a]
    return {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest)}


def _bindings(
    statements: Sequence[ast.stmt], name: str, certain: bool = True
) -> list[tuple[int, ast.expr | None, bool]]:
    """Return what statements set a name to: the last line, the value (None for what is no expression of
    its own), and whether no condition skips it."""
    found: list[tuple[int, ast.expr | None, bool]] = []
    for row in statements:
        line = row.end_lineno or row.lineno
        if isinstance(row, ast.If):
            found += [(row.lineno, None, False)] * (name in _set_names(row.test))
            found += _bindings(row.body, name, False) + _bindings(row.orelse, name, False)
        elif isinstance(row, ast.FunctionDef):
            found += [(line, None, certain)] * (row.name == name)
        elif isinstance(row, ast.Assign) and (pairs := _pairs(row)) is not None:
            found += [(line, value, certain) for target, value in pairs if target == name]
        elif isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name) and row.value:
            found += [(line, row.value, certain)] * (row.target.id == name)
        elif name in _set_names(row):
            found.append((row.lineno, None, False))
    return found


def _pairs(row: ast.Assign) -> list[tuple[str, ast.expr]] | None:
    """Return the names that an assignment sets, each with its expression; None if one has none."""
    if _set_names(row.value):
        return None
    pairs: list[tuple[str, ast.expr]] = []
    for target in row.targets:
        both = [(target, row.value)]
        if isinstance(target, ast.Tuple) and isinstance(row.value, ast.Tuple):
            if len(target.elts) != len(row.value.elts):
                return None
            both = list(zip(target.elts, row.value.elts, strict=True))
        for one, value in both:
            if not isinstance(one, ast.Name) or isinstance(value, ast.Starred):
                return None
            pairs.append((one.id, value))
    return pairs


def _set_names(node: ast.AST) -> set[str]:
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return {n.id for n in names if not isinstance(n.ctx, ast.Load)}
