"""Two numbers that differ are never shown as one."""

import math
import re
import struct
from decimal import Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tutor.base.number_text import amount, amounts, tell_apart

ANY = st.floats(allow_nan=False)
SINGLE = st.floats(width=32, allow_nan=False)
HALF = st.floats(width=16, allow_nan=False)
WHOLE = st.integers(-(2**53) + 1, 2**53 - 1)
NUMBERS = st.lists(ANY | SINGLE | HALF | WHOLE, min_size=1, max_size=5)


def in_words(text: str) -> tuple[Decimal, bool]:
    """What a reader takes from a text: the number, and the sign of a zero."""
    return Decimal(text), text.startswith("-")


def sign(value: float) -> bool:
    return math.copysign(1, value) < 0


@given(NUMBERS)
@example([1.00000012, 1.00000024])
@example([1.0000004e-6, 1e-6])
@example([0.0, -0.0])
@example([9_999_999.6, 1e7, 10_000_000])
@example([math.inf, -math.inf, 1.7976931348623157e308])
def test_numbers_that_differ_are_read_as_different_and_in_their_order(numbers):
    read = [in_words(text) for text in tell_apart(*numbers)]
    for one, its in zip(numbers, read, strict=True):
        for other, others in zip(numbers, read, strict=True):
            same = one == other and sign(one) == sign(other)
            assert (its == others) == same
            assert not (one < other and its[0] > others[0])


@given(ANY, st.integers(0, 3))
def test_neighbours_of_each_kind_are_told_apart(number, kind):
    form = ("<d", "<f", "<e", "<f")[kind]
    try:
        kept = struct.unpack(form, struct.pack(form, number))[0]
    except OverflowError:
        kept = 1.5
    bits = {"<d": "<q", "<f": "<i", "<e": "<h"}[form]
    (place,) = struct.unpack(bits, struct.pack(form, kept))
    step = 1 << 16 if kind == 3 else 1  # bfloat16: the upper half of a float32
    place -= place % step
    kept, after = (struct.unpack(form, struct.pack(bits, at))[0] for at in (place, place + step))
    assume(math.isfinite(kept) and math.isfinite(after))
    assert len(set(tell_apart(kept, after))) == 2


@given(st.lists(ANY, min_size=1, max_size=4), st.integers(1, 6))
def test_no_digit_is_needless(numbers, digits):
    kept = [len({f"{number:.{n - 1}e}" for number in numbers}) for n in range(1, 18)]
    enough = next(n for n in range(digits, 18) if kept[n - 1] == kept[-1])
    for number, text in zip(numbers, tell_apart(*numbers, digits=digits), strict=True):
        if math.isfinite(number) and not (abs(number) < 1e7 and Decimal(text) % 1 == 0):
            assert Decimal(text) == Decimal(f"{number:.{enough}g}")
            assert len(re.sub(r"e.*|\D", "", text).strip("0")) <= enough


@given(st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=4))
def test_integers_stand_in_full(numbers):
    assert list(map(int, tell_apart(*numbers))) == numbers


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((0.12345678, 99.40385848283768), ("0.1235", "99.4")),
        ((1.0000001, 1.0), ("1.0000001", "1")),
        ((65504.0, math.inf), ("65504", "inf")),
        ((16777216.0, 16777218.0), ("16777216", "16777218")),
        ((1234.5678, 3e38), ("1235", "3e+38")),
        ((-0.0, 0.0), ("-0", "0")),
        ((math.nan, 1.0), ("nan", "1")),
        (("nan", math.nan), ("nan", "nan")),
        ((True, False), ("True", "False")),
        ((7, "true"), ("7", "true")),
        ((1, 1.0), ("1", "1")),
        ((2**53 + 1, 2**53), ("9007199254740993", "9007199254740992")),
    ],
)
def test_texts_of_numbers(numbers, texts):
    assert tell_apart(*numbers) == texts


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=3))
def test_bytes_that_differ_are_told_apart(sizes):
    texts = amounts(*sizes)
    assert len(set(texts)) == len(set(sizes))


@pytest.mark.parametrize(
    ("sizes", "texts"),
    [
        ((812,), ("812 B",)),
        ((12_345, 804_000_000), ("12.3 kB", "804 MB")),
        ((12_345_678, 12_345_600), ("12.3457 MB", "12.3456 MB")),
        ((320_600, 320_400), ("321 kB", "320 kB")),
    ],
)
def test_bytes_in_units(sizes, texts):
    assert amounts(*sizes) == texts


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (0, "0 B"),
        (812, "812 B"),
        (999.6, "1.0 kB"),
        (12_345, "12.3 kB"),
        (118_424, "118 kB"),
        (1_500_000, "1.5 MB"),
        (3e9, "3.0 GB"),
    ],
)
def test_amounts_have_three_digits(size, said):
    assert amount(size) == said
