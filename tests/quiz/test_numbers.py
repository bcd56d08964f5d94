"""Numbers as people type them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions import numbers, question

from tutor.quiz.numbers import is_close, read_number, read_range, show_number
from tutor.quiz.units import ratio


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("156", "FLOP/B", 156),
        ("156 FLOP/B", "FLOP/B", 156),
        ("156 flops per byte", "FLOP/B", 156),
        ("156 flop/b", "FLOP/B", 156),  # all in lower case is haste, not bits
        ("1.555 TB/s", "GB/s", 1555),
        ("1555e9 B/s", "GB/s", 1555),
        ("1 B/ns", "GB/s", 1),
        ("312 TFLOPS", "TFLOP/s", 312),
        ("0.312 PFLOP/s", "TFLOPS", 312),
        ("64 KiB", "B", 65536),
        ("64 KiB", "KB", 65.536),
        ("16 Ki", "elements", 16384),
        ("19.5 T", "TFLOP/s", 19.5),
        ("5 µs", "ms", 0.005),
        ("45 %", "", 0.45),
        ("45 %", "%", 45),
        ("45", "%", 45),
        ("2.2×", "", 2.2),
        ("1 program", "programs", 1),
        ("2 programs", "", 2),
        ("4/2 programs", "", 2),
        ("4/2x", "", 2),
        ("2 048", "", 2048),
        ("2 048 000 B", "KiB", 2000),
        ("1,555", "", 1555),
        ("1,555.5", "", 1555.5),
        ("0,45", "", 0.45),
        ("1_000", "", 1000),
        ("1e9", "", 10**9),
        ("3 × 10^8", "", 3 * 10**8),
        ("2**20", "", 2**20),
        ("2^60", "", 2**60),
        ("3/4", "", 0.75),
        (".5", "", 0.5),
        ("−3", "", -3),
        ("312e12/2e12", "FLOP/B", 156),
        ("312e12 / 2e12 FLOP/B", "FLOP/B", 156),
        ("312T/2T", "FLOP/B", 156),
        ("4 * 1024**2 B", "MiB", 4),
        ("2*2 048*2", "", 8192),
        ("-2 + 3", "", 1),
        ("(1 + 2) * 3", "", 9),
        ("-(3 - 5)", "", 2),
        ("16Ki / 2", "elements", 8192),
        ("2*8 Ki", "elements", 16384),
        ("cdiv(1025, 1024)", "programs", 2),
        ("sqrt(2)", "", 2**0.5),
        ("007/7", "", 1),
        ("2 x 10^3 GB/s", "TB/s", 2),
        ("~ 12", "", 12),
        (12, "GB/s", 12),
        (0.5, "", 0.5),
    ],
)
def test_is_read(text: object, unit: str, number: float) -> None:
    assert read_number(text, unit) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("", ""),
        ("many", ""),
        ("12 34", ""),
        ("40z", ""),  # a slip of a key
        ("4/2z", ""),
        ("1.2.3", ""),
        ("1e999", ""),
        ("1e", ""),  # sent too early
        ("2.5E-", ""),
        ("1/0", ""),
        ("0**-1", ""),
        ("1555 Gb/s", "GB/s"),  # bits are not bytes
        ("5 ms", "FLOP"),
        ("3 GB", "GB/s"),
        ("9" * 10_000_000, ""),
        ("312e12/0", ""),
        ("9**9**9**9", ""),
        ("2 * (3", ""),
        ("2 *", ""),
        ("1,2 3,4", ""),
        ("(" * 150 + "1" + ")" * 150, ""),
        ("1\0", ""),
        (10**400, ""),
        (math.nan, ""),
        (math.inf, ""),
        (None, ""),
        ([1], ""),
    ],
)
def test_is_refused_in_one_sentence(value: object, unit: str) -> None:
    with pytest.raises(ValueError, match=r"^[A-Z].{5,120}\.$"):
        read_number(value, unit)


def test_digits_are_grouped_from_five_on() -> None:
    assert show_number(1024) == "1024"
    assert show_number(-4096, "B") == "-4096 B"
    assert show_number(65536) == "65,536"


@given(numbers)
def test_what_is_shown_is_read_back(number: float) -> None:
    assert read_number(show_number(number, "GB/s"), "GB/s") == pytest.approx(number, rel=1e-5)


def test_units_convert_there_and_back() -> None:
    for one, other in [("TB/s", "GB/s"), ("KiB", "MB"), ("ms", "µs"), ("FLOP/B", "FLOP/KiB")]:
        assert ratio(one, other) * ratio(other, one) == 1


def test_tolerances() -> None:
    relative = question("number", answer=100, tolerance=0.02)
    absolute = question("number", answer=0.0, tolerance_abs=1e-6)
    exact = question("number", answer=16)
    assert is_close(102, 100, relative)
    assert not is_close(102.1, 100, relative)
    assert is_close(1e-6, 0.0, absolute)
    assert not is_close(2e-6, 0.0, absolute)
    assert is_close(16, 16, exact)
    assert not is_close(17, 16, exact)
    assert is_close(0.1 + 0.2, 0.3, exact)  # a rounding of float64 is no mistake
    assert not is_close(10**18 + 1, 10**18, exact)  # and whole numbers have none


@pytest.mark.parametrize(
    ("text", "unit", "ends"),
    [
        ("150..160 FLOP/B", "FLOP/B", (150, 160)),
        ("1.5 to 1.6 TB/s", "GB/s", (1500, 1600)),
        ("900 GB/s – 1 TB/s", "GB/s", (900, 1000)),
        ("160 … 150", "", (150, 160)),
        ("2*3..2*4", "", (6, 8)),
        ("150", "", None),
        ("155-157", "", None),  # a difference
        ("1..2..3", "", None),
    ],
)
def test_ranges(text: str, unit: str, ends: tuple[float, float] | None) -> None:
    assert read_range(text, unit) == ends


@given(st.text("0123456789.eE+-*/^() TGki,x", max_size=40))
def test_an_expression_is_a_number_or_one_sentence(text: str) -> None:
    try:
        number, sentence = read_number(text, "GB/s"), "."
    except ValueError as error:
        number, sentence = 0, str(error)
    assert abs(number) < 10**300
    assert sentence.endswith(".")
    assert "\n" not in sentence


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.sampled_from("+-*/"))
def test_arithmetic_is_exact(a: int, b: int, sign: str) -> None:
    exact = {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[sign]
    assert read_number(f"{a} {sign} {b}", "") == exact
