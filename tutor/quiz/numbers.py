"""Numbers as people type them: `156 FLOP/B`, `1.555 TB/s`, `2 048`, `1e9`, `3 × 10^8`, `2**20`,
`312e12/2e12`, `312T/2T FLOP/B`, `4 * 1024**2 B`; and ranges of them: `150..160`, `150 to 160 FLOP/B`.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tutor.base.number_text import tell_apart
from tutor.course.model import Question
from tutor.course.reading.formula import group_digits, read_formula
from tutor.quiz.units import PREFIXES, ratio

_LONGEST = 200  # characters; no number of a question comes near
_LARGEST = 10**300  # below the largest float64, so that comparing cannot overflow

_DECIMAL = re.compile(
    r"""(?P<whole>[1-9]\d{0,2}(?:[ ,_]\d{3})+(?!\d) | \d* )
        (?:[.,](?P<part>\d*))?
        (?:[eE](?P<e>[+-]?\d{1,3}))?""",
    re.VERBOSE,
)
# One piece of an expression. A prefix may stick to a number: 312T / 2T.
_PIECE = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)(?P<prefix>(?:[KMGTP]i|[kKMGTP])(?!\w|/\s*[A-Za-z]))?
      | (?P<sign>\*\*|//|[-+*/^×·(),]|[x](?=\s*\d))
      | (?P<name>sqrt|log2|ceil|floor|min|max|cdiv)(?=\s*\()
    )""",
    re.VERBOSE,
)
_PYTHON = {"^": "**", "×": "*", "·": "*", "x": "*"}
_THOUSANDS = re.compile(r"(?<=\d)[ _](?=\d{3}(?!\d))")
_HALF_EXPONENT = re.compile(r"[eE][+-]?")  # 1e, whose digits are still to come
_RANGE = re.compile(r"\s*(?:\.\.+|…|–|—|\bto\b)\s*")


def read_number(value: Any, unit: str) -> int | float:
    """Convert `value`, a number or a text with or without a unit, to `unit`; an int if it is whole.

    Raises `ValueError` with one sentence if it is not a finite number or has another unit.
    """
    if isinstance(value, str):
        number = _read(value, unit)
    elif isinstance(value, int | float) and value - value == 0:  # neither infinite nor NaN
        number = value if isinstance(value, float) else int(value)
    else:
        raise ValueError("The answer is a number.")
    if abs(number) >= _LARGEST:
        raise ValueError("That number is too large.")
    return number


def read_range(text: str, unit: str) -> tuple[int | float, int | float] | None:
    """The two ends of a range, the lower one first; None for a text that is none.

    A unit after the second end is meant for both. Raises `ValueError` as `read_number` does.
    """
    ends = _RANGE.split(_tidy(text))
    if len(ends) != 2 or not all(ends):
        return None
    (low, low_unit), (high, high_unit) = map(_magnitude, ends)
    first = _in_unit(low, low_unit or high_unit, unit)
    return tuple(sorted((first, _in_unit(high, high_unit, unit))))  # type: ignore[return-value]


def _read(text: str, unit: str) -> int | float:
    magnitude, rest = _magnitude(_tidy(text))
    return _in_unit(magnitude, rest, unit)


def _tidy(text: str) -> str:
    if len(text) > _LONGEST:
        raise ValueError(f"A number has at most {_LONGEST} characters.")
    text = " ".join(text.replace("−", "-").split())  # split() knows the thin and no-break spaces
    return text.lstrip("~≈= ")


def _in_unit(magnitude: Fraction, typed: str, unit: str) -> int | float:
    exact = magnitude * ratio(typed, unit)
    if abs(exact) >= _LARGEST:
        raise ValueError("That number is too large.")
    return int(exact) if exact.denominator == 1 else float(exact)


def _magnitude(text: str) -> tuple[Fraction, str]:
    """The number that `text` begins with, and what follows it."""
    if (value := _expression(text)) is not None:
        return value
    sign, text = (-1 if text.startswith("-") else 1), text.lstrip("+-").lstrip()
    match = _DECIMAL.match(text)
    digits = match and re.sub("[ ,_]", "", match["whole"] or "") + (match["part"] or "")
    if not match or not digits or _HALF_EXPONENT.fullmatch(text, match.end()):
        raise ValueError("Type a number, such as 12, 0.5, 1e9, 2,048 or 312e12/2e12.")
    exponent = int(match["e"] or 0) - len(match["part"] or "")
    return sign * Fraction(int(digits)) * Fraction(10) ** exponent, text[match.end() :]


def _expression(text: str) -> tuple[Fraction, str] | None:
    """The value of the arithmetic that `text` begins with, and the rest; None for a lone number."""
    text = _THOUSANDS.sub("", text)
    pieces: list[str] = []
    at = depth = complete = end = 0  # `complete` pieces, up to `end`, could be all of it
    before = ""
    while match := _PIECE.match(text, at):
        operand = before == "operand"
        if match["number"]:
            if operand:
                break
            pieces.append(_number_piece(match["number"], match["prefix"]))
            before = "operand"
        elif match["name"] or match["sign"] == "(":
            if operand:
                break
            pieces.append(match["name"] or "(")
            depth += not match["name"]
            before = ""
        elif match["sign"] == ")":
            depth -= 1
            pieces.append(")")
            before = "operand"
        elif match["sign"] == "," and not depth:
            break
        else:
            pieces.append(_PYTHON.get(match["sign"], match["sign"]))
            before = "operator"
        if depth < 0:
            break
        at = match.end()
        if before == "operand" and depth == 0:
            complete, end = len(pieces), at
    if complete < 3:  # a number, or a sign and a number
        return None
    try:
        return read_formula("".join(pieces[:complete])).value({}), text[end:]
    except ValueError as error:
        raise ValueError(f"The expression {str(error)[:100].rstrip('.')}.") from None


def _number_piece(number: str, prefix: str | None) -> str:
    """Write a number so that Python reads it: no leading zeros, its prefix as a factor."""
    digits = (number.lstrip("0") if number.isdecimal() else number) or "0"
    return f"({digits}*{PREFIXES[prefix]})" if prefix else digits


def is_close(number: int | float, answer: int | float, question: Question) -> bool:
    """Return True if `number` is within either tolerance of `answer`, or in the question's range.

    Without a tolerance whole numbers must be equal; others may differ by a rounding, 1e-9 of it.
    """
    if question.interval:
        return question.interval[0] <= number <= question.interval[1]
    whole = isinstance(number, int) and isinstance(answer, int)
    relative = question.tolerance or (0.0 if whole else 1e-9)
    slack = max(relative * abs(answer), question.tolerance_abs or 0.0)
    # a number exactly on the border counts, although 1.02 - 1 is a little more than 0.02
    return number == answer or abs(number - answer) <= slack * (1 + 1e-9)


def show_number(number: int | float, unit: str = "", beside: Sequence[int | float] = ()) -> str:
    """A number for people: six significant digits, or as many more as tell it from those `beside` it;
    whole numbers in full."""
    if isinstance(number, int) or (number.is_integer() and abs(number) < 1e15):
        digits = group_digits(int(number))
    else:
        digits = tell_apart(number, *beside, digits=6)[0]
    return f"{digits} {unit}".rstrip()


def show_range(
    ends: Sequence[int | float], unit: str = "", beside: Sequence[int | float] = ()
) -> str:
    """Show a number, or the two ends of a range, to people."""
    others = (*ends, *beside)
    first = [show_number(end, beside=others) for end in ends[:-1]]
    return " to ".join([*first, show_number(ends[-1], unit, others)])


def points(credit: float) -> int | float:
    """Format a sum of credits: as an integer if it is whole, else with four digits."""
    rounded = round(credit, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def show_points(score: float, out_of: float) -> str:
    """Show the points of a quiz to people, with one decimal: `0.9 of 13`."""
    return f"{round(score, 1):g} of {out_of:.3g}"
