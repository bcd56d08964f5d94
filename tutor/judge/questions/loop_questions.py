"""What a loop's variable holds in the last turn: worked out from the text, and seen by the interpreter.

The text is worked out with whole numbers only: the launch's arguments, the program's place in the grid
and what is computed from them. A loop over anything else is not asked about.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import add, floordiv, lshift, mod, mul, rshift, sub

from tutor.base.python_trees import parse_python
from tutor.course.reading.formula import group_digits
from tutor.judge.model.access_map import Place

_MOST_BITS = 62
_OPERATIONS: dict[type, Callable[[int, int], int]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.FloorDiv: floordiv,
    ast.Mod: mod,
    ast.LShift: lshift,
    ast.RShift: rshift,
}
_SHOWN = 3  # first turns in an explanation


class _Unknown(Exception):
    """A number that the text alone does not tell."""


@dataclass(frozen=True)
class Loop:
    """A loop of a kernel with at least one turn. `lines` are its lines in the file, from 1."""

    name: str
    text: str
    lines: range
    turns: range


class _Numbers:
    """The whole numbers that a kernel's names hold in one program."""

    def __init__(self, known: dict[str, int], program: Place, grid: Place) -> None:
        self.known, self._program, self._grid = known, program, grid

    def work_out(self, node: ast.expr) -> int:
        """Return the value of an expression. Raises `_Unknown`."""
        value = self._value(node)
        if abs(value) >> _MOST_BITS:
            raise _Unknown
        return value

    def _value(self, node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return value
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.work_out(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
                one, other = self.work_out(left), self.work_out(right)
                unsafe = isinstance(op, ast.LShift | ast.RShift) and not 0 <= other < _MOST_BITS
                # Triton divides towards zero, Python downwards: both alike from 0 up.
                divides = isinstance(op, ast.FloorDiv | ast.Mod)
                if unsafe or (divides and (one < 0 or other <= 0)):
                    raise _Unknown
                return _OPERATIONS[type(op)](one, other)
            case ast.Call(func=ast.Attribute(value=inner, attr="to")):
                return self.work_out(inner)
            case ast.Call(func=function, args=args):
                return self._call(ast.unparse(function).rpartition(".")[2], args, node.keywords)
        raise _Unknown

    def _call(self, name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> int:
        given = [self.work_out(arg) for arg in [*args, *(word.value for word in keywords)]]
        if name in ("program_id", "num_programs") and len(given) == 1 and 0 <= given[0] < 3:
            return (self._program if name == "program_id" else self._grid)[given[0]]
        if keywords or len(given) != 2:
            raise _Unknown
        if name == "cdiv" and given[1] > 0:
            return -(-given[0] // given[1])
        if name in ("minimum", "min"):
            return min(given)
        if name in ("maximum", "max"):
            return max(given)
        raise _Unknown


def find_loops(
    source: str, kernel: str, arguments: dict[str, int], program: Place, grid: Place
) -> list[Loop]:
    """Return the loops of a kernel whose variable keeps its last value to the end, in one program."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    numbers = _Numbers(_constants(tree) | arguments, program, grid)
    found: list[Loop] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            parameters = {each.arg for each in node.args.args}
            for name in parameters - set(arguments):
                numbers.known.pop(name, None)
            for loop in _run(node.body, numbers, source.split("\n")):
                found = [each for each in found if each.name != loop.name]
                found.append(loop)
            last = {loop.name: loop for loop in found}
            later = {
                name
                for loop in found
                for statement in node.body
                if statement.lineno > loop.lines[-1]
                for name in _find_assigned(statement) & {loop.name}
            }
            return [loop for name, loop in last.items() if name not in later]
    return []


def _constants(tree: ast.Module) -> dict[str, int]:
    """Return the whole numbers that the module gives names to, once each."""
    found: dict[str, int] = {}
    twice: set[str] = set()
    for node in tree.body:
        for name in _find_assigned(node):
            twice |= {name} & found.keys()
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and len(value.args) == 1:  # tl.constexpr(…)
                value = value.args[0]
            if isinstance(value, ast.Constant) and type(value.value) is int:
                found[name] = value.value
    return {name: value for name, value in found.items() if name not in twice}


def _run(body: list[ast.stmt], numbers: _Numbers, lines: list[str]) -> Iterator[Loop]:
    """Follow the statements of a kernel, and yield its loops with the turns that they take."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                _note(numbers, name, value)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                _note(numbers, name, ast.BinOp(ast.Name(name, ast.Load()), op, value))
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as call) if not node.orelse:
                turns = _turns(call, numbers)
                for each in _find_assigned(node):
                    numbers.known.pop(each, None)
                leaves = any(isinstance(each, ast.Break | ast.Return) for each in ast.walk(node))
                changed = any(name in _find_assigned(inner) for inner in node.body)
                if turns and not leaves and not changed:
                    numbers.known[name] = turns[-1]
                    text = lines[node.lineno - 1].strip()
                    yield Loop(name, text, range(node.lineno, (node.end_lineno or 0) + 1), turns)
            case _:
                for each in _find_assigned(node):
                    numbers.known.pop(each, None)


def _turns(call: ast.Call, numbers: _Numbers) -> range | None:
    if ast.unparse(call.func).rpartition(".")[2] != "range" or not 1 <= len(call.args) <= 3:
        return None
    try:
        given = [numbers.work_out(arg) for arg in call.args]
        return range(*given)
    except (_Unknown, ValueError):
        return None


def _note(numbers: _Numbers, name: str, value: ast.expr) -> None:
    try:
        numbers.known[name] = numbers.work_out(value)
    except _Unknown:
        numbers.known.pop(name, None)


def _find_assigned(node: ast.AST) -> set[str]:
    """Return the names that a statement gives a value, also inside of it."""
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def write_loop_question(loop: Loop, program: str) -> dict[str, object]:
    """Return prompt, explanation, answer and typical mistakes of a question on a loop."""
    turns, last = loop.turns, loop.turns[-1]
    begin = [group_digits(number) for number in turns[:_SHOWN]]
    more = ["…", group_digits(last)] if len(turns) > _SHOWN else []
    count = "1 turn" if len(turns) == 1 else f"{group_digits(len(turns))} turns"
    slips = {
        str(turns.stop): "That is the end of the range, which is not in it.",
        str(len(turns)): "That is how many turns there are.",
        str(last + turns.step): "The loop ends before that.",
    }
    return {
        "prompt": f"Which number does `{loop.name}` hold in the last turn of `{loop.text}` "
        f"in {program}?",
        "explanation": f"There: {', '.join([*begin, *more])}. That is {count}.",
        "answer": last,
        "slips": {typed: says for typed, says in slips.items() if typed != str(last)},
    }
