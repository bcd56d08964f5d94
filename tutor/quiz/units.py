"""Units as people type them: `GB/s`, `TFLOPS`, `flops per byte`, `KiB`, `%`.

Case counts where it changes the meaning (`b` is a bit, `B` a byte, `m` milli, `M` mega).
"""

import re
from fractions import Fraction
from typing import NamedTuple

# BIPM, The International System of Units, 9th ed., table 7; K is how most people type kilo
_SI = {"f": -15, "p": -12, "n": -9, "µ": -6, "u": -6, "m": -3, "k": 3, "K": 3}
_SI |= {"M": 6, "G": 9, "T": 12, "P": 15}
# IEC 80000-13, prefixes for binary multiples
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
PREFIXES = {name: Fraction(2) ** power for name, power in _BINARY.items()}
PREFIXES |= {name: Fraction(10) ** power for name, power in _SI.items()}

_BASES = {"B": "B", "b": "b", "s": "s", "Hz": "Hz", "W": "W", "J": "J", "FLOP": "FLOP", "OP": "OP"}
_BASES |= {"FLOPS": "FLOP", "FLOPs": "FLOP", "OPS": "OP", "OPs": "OP", "flop": "FLOP"}
_BASES |= {"flops": "FLOP", "Flop": "FLOP", "Flops": "FLOP", "op": "OP", "ops": "OP"}
_BASES |= {"byte": "B", "bytes": "B", "bit": "b", "bits": "b", "Byte": "B", "Bytes": "B"}
_BASES |= {"sec": "s", "second": "s", "seconds": "s"}
_WITHOUT_UNIT = {"": Fraction(1), "x": Fraction(1), "×": Fraction(1), "times": Fraction(1)}
_WITHOUT_UNIT |= {"%": Fraction(1, 100), "percent": Fraction(1, 100)}


class _Unit(NamedTuple):
    """`factor` times the base unit `top` over the base units `bottom`."""

    factor: Fraction
    top: str
    bottom: tuple[str, ...]


def ratio(typed: str, wanted: str) -> Fraction:
    """Return the factor from a number in the unit `typed` to one in the unit `wanted`.

    No unit means the wanted one; a prefix alone ("16 Ki") multiplies the wanted unit without its
    own prefix. Raises `ValueError` with one sentence where the two measure different things.
    """
    stuck = typed[:1].isalpha()  # to the number, without a blank
    typed, wanted = _tidy(typed), _tidy(wanted)
    if typed and not (typed[0].isalpha() or typed[0] in "%×"):
        raise ValueError(f"After the number, {typed[:40]!r} is no unit.")
    if typed in ("", wanted) or (typed.islower() and typed == wanted.lower()):
        return Fraction(1)
    if not wanted:
        factor = _WITHOUT_UNIT.get(typed.lower(), PREFIXES.get(typed))
        if factor is None and stuck:
            raise ValueError(f"After the number, {typed[:40]!r} is no unit.")
        # "2 programs" where the question asks for a bare number: the word only repeats the prompt
        return Fraction(1) if factor is None else factor
    wanted_readings = _readings(wanted)
    if typed in PREFIXES:
        return PREFIXES[typed] / wanted_readings[0].factor
    for one in _readings(typed):
        for other in wanted_readings:
            if one[1:] == other[1:]:
                return one.factor / other.factor
    raise ValueError(f"The unit {typed[:40]!r} is not one of {wanted}.")


def _tidy(unit: str) -> str:
    unit = unit.strip().replace("μ", "µ")  # the Greek letter and the sign look alike
    return re.sub(r"\s*/\s*|\s+per\s+", "/", unit)


def _readings(unit: str) -> list[_Unit]:
    """`TFLOPS` is a count to some and a rate to others: both readings, the count first."""
    first, *rest = unit.split("/")
    factor, top = _word(first)
    bottom = []
    for word in rest:
        part, base = _word(word)
        factor /= part
        bottom.append(base)
    readings = [_Unit(factor, top, tuple(bottom))]
    if not bottom and top in ("FLOP", "OP") and first[-1:] in "sS":
        readings.append(_Unit(factor, top, ("s",)))
    return readings


def _word(word: str) -> tuple[Fraction, str]:
    word = word.strip()
    if word.lower() in _WITHOUT_UNIT:
        return _WITHOUT_UNIT[word.lower()], ""
    if word in _BASES:
        return Fraction(1), _BASES[word]
    for prefix, factor in PREFIXES.items():
        if word.startswith(prefix) and word[len(prefix) :] in _BASES:
            return factor, _BASES[word[len(prefix) :]]
    folded = word.casefold()
    return Fraction(1), folded[:-1] if len(folded) > 3 and folded.endswith("s") else folded
