"""Numbers as text: as few digits as keep apart what differs. Pure."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Number = float | int | bool | str
_T = TypeVar("_T", float, Number)
_MOST = 17  # digits, with which any two floats differ
_IN_FULL = 10**7  # whole numbers below it are written without a power of ten
_EXACT = 2**53  # integers below it are floats too


def tell_apart(*values: Number, digits: int = 4) -> tuple[str, ...]:
    """Format the numbers of a sentence or of a row with `digits` significant digits, or with as many
    as keep every two apart that differ.

    The sign of a zero, NaN and infinities stay. Integers and Booleans stand in full, and a text (JSON
    has "nan" for NaN) as it is.
    """
    mixed = any(isinstance(value, float) for value in values)
    same_kind = [float(value) if mixed and _is_small(value) else value for value in values]
    return write_apart(same_kind, _significant, digits, _MOST)


def write_apart(
    values: Sequence[_T], write: Callable[[_T, int], str], least: int, most: int
) -> tuple[str, ...]:
    """Write all values with the same number of digits, `least` or as many more as keep those apart
    that `most` digits keep apart."""
    differ = len({write(value, most) for value in values})
    for digits in range(least, most):
        texts = tuple(write(value, digits) for value in values)
        if len(set(texts)) == differ:
            return texts
    return tuple(write(value, most) for value in values)


def amounts(*sizes: float) -> tuple[str, ...]:
    """Format bytes in powers of 1000 as bandwidths: `812 B`, `12.3 kB`; apart if they differ."""
    return write_apart(sizes, _bytes, 0, 9)


def amount(size: float) -> str:
    """Format one number of bytes as `amounts` does."""
    return amounts(size)[0]


def times(ratio: float) -> str:
    """Format a ratio: `1.25×`, `40×`."""
    return f"{ratio:.2f}×" if ratio < 9.995 else f"{ratio:.0f}×"


def _is_small(value: Number) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _EXACT


def _significant(value: Number, digits: int) -> str:
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(whole := round(value)) < _IN_FULL:
        return str(whole)
    return text


def _bytes(size: float, more: int) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            places = 0 if unit == "B" or size >= 99.95 else 1
            return f"{size:.{places if unit == 'B' else places + more}f} {unit}"
        size /= 1000
    return f"{size:.{1 + more}f} GB"


def plural(count: int, word: str, several: str = "") -> str:
    """Put a number before a word, which is `several` unless the number is 1; by default with an s."""
    return f"{count} {word if count == 1 else several or f'{word}s'}"
