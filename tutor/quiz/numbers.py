"""Numbers as people type them: `156 FLOP/B`, `1.555 TB/s`, `2 048`, `1e9`, `3 × 10^8`, `2**20`."""

import re
from fractions import Fraction
from typing import Any

from tutor.course.model import Question
from tutor.quiz.units import ratio

_LONGEST = 200  # characters; no number of a question comes near
_LARGEST = 10**300  # below the largest float64, so that comparing cannot overflow

_POWER = re.compile(r"(?P<base>\d{1,6})\s*(?:\^|\*\*)\s*(?P<exponent>-?\d{1,3})")
_FRACTION = re.compile(r"(?P<top>\d{1,18})\s*/\s*(?P<bottom>\d{1,18})")
_DECIMAL = re.compile(
    r"""(?P<whole>[1-9]\d{0,2}(?:[ ,_]\d{3})+(?!\d) | \d* )
        (?:[.,](?P<part>\d*))?
        (?:[eE](?P<e>[+-]?\d{1,3}) | \s*[x×*·]\s*10\s*(?:\^|\*\*)\s*(?P<ten>[+-]?\d{1,3}))?""",
    re.VERBOSE,
)


def read_number(value: Any, unit: str) -> int | float:
    """`value`, a number or a text with or without a unit, in `unit`; an int where it is whole.

    Raises `ValueError` with one sentence for what is no finite number or is in another unit.
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


def _read(text: str, unit: str) -> int | float:
    if len(text) > _LONGEST:
        raise ValueError(f"A number has at most {_LONGEST} characters.")
    text = " ".join(text.replace("−", "-").split())  # split() knows the thin and no-break spaces
    text = text.lstrip("~≈= ")
    sign = -1 if text.startswith("-") else 1
    magnitude, rest = _magnitude(text.lstrip("+-").lstrip())
    exact = sign * magnitude * ratio(rest, unit)
    if abs(exact) >= _LARGEST:
        raise ValueError("That number is too large.")
    return int(exact) if exact.denominator == 1 else float(exact)


def _magnitude(text: str) -> tuple[Fraction, str]:
    """The number that `text` begins with, and what follows it."""
    if match := _POWER.match(text):
        if match["base"].strip("0") == "":
            raise ValueError("A power of zero is no answer.")
        return Fraction(int(match["base"])) ** int(match["exponent"]), text[match.end() :]
    if match := _FRACTION.fullmatch(text):
        if int(match["bottom"]) == 0:
            raise ValueError("The answer divides by zero.")
        return Fraction(int(match["top"]), int(match["bottom"])), ""
    match = _DECIMAL.match(text)
    digits = match and re.sub("[ ,_]", "", match["whole"] or "") + (match["part"] or "")
    if not match or not digits:
        raise ValueError("Type a number, such as 12, 0.5, 1e9 or 2 048.")
    exponent = int(match["e"] or match["ten"] or 0) - len(match["part"] or "")
    return Fraction(int(digits)) * Fraction(10) ** exponent, text[match.end() :]


def is_close(number: int | float, answer: int | float, question: Question) -> bool:
    """Whether `number` is within either tolerance of `answer`.

    Without a tolerance whole numbers must be equal; others may differ by a rounding, 1e-9 of it.
    """
    whole = isinstance(number, int) and isinstance(answer, int)
    relative = question.tolerance or (0.0 if whole else 1e-9)
    slack = max(relative * abs(answer), question.tolerance_abs or 0.0)
    # a number exactly on the border counts, although 1.02 - 1 is a little more than 0.02
    return number == answer or abs(number - answer) <= slack * (1 + 1e-9)


def show_number(number: int | float, unit: str = "") -> str:
    """A number for people: six significant digits, whole numbers in full."""
    if isinstance(number, int) or (number.is_integer() and abs(number) < 1e15):
        digits = f"{int(number):,}".replace(",", " ")
    else:
        digits = f"{number:.6g}"
    return f"{digits} {unit}".rstrip()


def points(credit: float) -> int | float:
    """A sum of credits as it is shown: whole where it is whole, else to four digits."""
    rounded = round(credit, 4)
    return int(rounded) if rounded == int(rounded) else rounded
