"""An offset in 32 bits is told where its tensor has more elements than 32 bits count."""

from pathlib import Path

import pytest
from running import run

from tutor.xray.model.input_specs import TensorSpec

FILE = Path(__file__).with_name("offsets.py")
LARGE = "f32[320,2560,3072]"  # 2 516 582 400 elements
SMALL = "f32[10,2560,3072]"


def notes(name: str, x: str, y: str = SMALL) -> str:
    shown = run(FILE, name, x, y, "7864320", "7864320", "B=128", stage="ttir")
    assert shown.status == 0
    return "\n".join(n for n in shown.stages[f"ttir:{name}"].notes if "32 bits" in n)


def line_of(name: str, code: str) -> int:
    lines = FILE.read_text("utf-8").split("\n")
    start = lines.index(next(line for line in lines if f"def {name}(" in line))
    return next(n for n in range(start, len(lines)) if code in lines[n]) + 1


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("by_batch", "# read"),
        ("widened_too_late", "# read"),
        ("along_a_row", "at = x +"),
        ("by_rows_of_a_tile", "# read"),
    ],
)
def test_a_product_in_32_bits_is_told_with_its_line(name: str, code: str) -> None:
    said = notes(name, LARGE)
    assert said.startswith("x has 2516582400 elements")
    assert f"its offset of line {line_of(name, code)} is computed in 32 bits" in said
    assert "tl.int64" in said
    assert "y has" not in said
    assert notes(name, SMALL) == ""


def test_a_product_in_64_bits_is_right() -> None:
    assert notes("by_wide_batch", LARGE) == ""


def test_elements_are_counted_from_the_first_to_the_last() -> None:
    assert TensorSpec("f32", (4, 8)).elements == 32
    assert TensorSpec("f32", (4, 8), (100, 1)).elements == 308
    assert TensorSpec("f32", (0, 8), (100, 1)).elements == 0
