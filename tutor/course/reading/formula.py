"""Small arithmetic, computed exactly: the formulas of generated questions, and expressions people type.

A formula is read with Python's own parser and only these parts of it are understood: numbers, names
that the caller gives, `+ - * / // % **`, parentheses, and the functions below. Nothing else of Python
can be reached from it.
"""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tutor.base.python_trees import parse_python

LONGEST = 300  # characters
_DIGITS = 4096  # bits of any numerator or denominator: 2**2**2**99 stops here, not the machine
_DEEPEST = 60

_FUNCTIONS: dict[str, tuple[int, Callable[..., Fraction]]] = {
    "sqrt": (1, lambda x: Fraction(math.sqrt(x))),
    "log2": (1, lambda x: Fraction(math.log2(x))),
    "ceil": (1, lambda x: Fraction(math.ceil(x))),
    "floor": (1, lambda x: Fraction(math.floor(x))),
    "min": (2, min),
    "max": (2, max),
    "cdiv": (2, lambda x, y: Fraction(-(-x // y))),
}


@dataclass(frozen=True)
class Formula:
    """`names`: what must be given to compute it."""

    text: str
    names: frozenset[str]
    _tree: ast.expr

    def value(self, given: Mapping[str, Fraction]) -> Fraction:
        """Raises `ValueError` with one sentence: division by zero, no real number, too large."""
        try:
            return _value(self._tree, given)
        except ZeroDivisionError:
            raise ValueError(f"{_short(self.text)} divides by zero.") from None
        except (OverflowError, ValueError) as error:
            reason = str(error) if str(error).endswith(".") else "is no number."
            raise ValueError(f"{_short(self.text)} {reason}") from None


@lru_cache(maxsize=1000)
def read_formula(text: str) -> Formula:
    """Raises `ValueError` with one sentence for anything that is not such a formula."""
    if len(text) > LONGEST:
        raise ValueError(f"A formula has at most {LONGEST} characters.")
    try:
        tree = parse_python(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{_short(text)} is no formula.") from None
    names: set[str] = set()
    _check(tree, names, 0)
    return Formula(text.strip(), frozenset(names), tree)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _check(node: ast.expr, names: set[str], depth: int) -> None:
    """Every part is one that `_value` knows; the names in it are collected."""
    inner: list[ast.expr] = []
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            if not math.isfinite(value):
                raise ValueError("A number in the formula is too large.")
        case ast.Name(id=name):
            names.add(name)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            inner = [operand]
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            inner = [node.left, node.right]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            if len(args) != _FUNCTIONS[name][0]:
                raise ValueError(f"{name} takes {_FUNCTIONS[name][0]} numbers, not {len(args)}.")
            inner = args
        case _:
            raise ValueError(f"{_short(ast.unparse(node))} is not arithmetic.")
    if depth > _DEEPEST:
        raise ValueError("The formula is nested too deep.")
    for part in inner:
        _check(part, names, depth + 1)


def _value(node: ast.expr, given: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=number):
            result = Fraction(repr(number))  # 1.555 as written, not its nearest float64
        case ast.Name(id=name):
            if name not in given:
                raise ValueError(f"has no {name}.")
            result = given[name]
        case ast.UnaryOp(op=op, operand=operand):
            result = _value(operand, given) * (-1 if isinstance(op, ast.USub) else 1)
        case ast.BinOp(left=left, op=op, right=right):
            result = _OPERATORS[type(op)](_value(left, given), _value(right, given))
        case ast.Call(func=ast.Name(id=name), args=args):
            result = _FUNCTIONS[name][1](*(_value(arg, given) for arg in args))
        case _:  # pragma: no cover - `_check` has seen to it
            raise AssertionError(node)
    if max(result.numerator.bit_length(), result.denominator.bit_length()) > _DIGITS:
        raise ValueError("is too large.")
    return result


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        return Fraction(float(base) ** float(exponent)) if base >= 0 else _no_number()
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent) > _DIGITS and abs(base) != 1:
        raise ValueError("is too large.")
    return base ** int(exponent)


def _no_number() -> Fraction:
    raise ValueError("is no real number.")


_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.FloorDiv: lambda x, y: Fraction(x // y),
    ast.Mod: lambda x, y: x % y,
    ast.Pow: _power,
}


def group_digits(whole: int) -> str:
    """Return the digits in groups of three from five digits on: 1024, 65,536."""
    return f"{whole:,}" if abs(whole) >= 10_000 else str(whole)
