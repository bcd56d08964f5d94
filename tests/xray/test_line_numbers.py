"""A stage that shows the learner's own text tells which lines of the file it shows."""

from pathlib import Path

import pytest
from running import run

FILE = Path(__file__).parent / "xray_kernels.py"
TEXT = """\
import torch


def helper(x):
    return x * 2


UNUSED = 1


def f(x):
    y = helper(x)
    return y + 1
"""


def shown_lines(path: Path, text: str, numbers: tuple[int, ...]) -> None:
    lines = path.read_text("utf-8").split("\n")
    assert [lines[n - 1] if n else "" for n in numbers] == text.rstrip("\n").split("\n")


def test_the_source_of_a_function_has_the_numbers_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "learner.py"
    path.write_text(TEXT)
    stages = run(path, "f", "f32[8]", stage="dynamo").stages
    assert stages["source"].numbers == (4, 5, 0, 11, 12, 13)
    shown_lines(path, stages["source"].text, stages["source"].numbers)
    assert stages["dynamo"].numbers == ()


def test_a_kernel_that_is_written_by_hand_has_the_numbers_of_the_file() -> None:
    inputs = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
    (stage,) = run(FILE, "add", *inputs, stage="triton").stages.values()
    assert stage.numbers
    shown_lines(FILE, stage.text, stage.numbers)


@pytest.mark.slow
def test_a_kernel_that_a_compiler_writes_has_none(tmp_path: Path) -> None:
    path = tmp_path / "learner.py"
    path.write_text(TEXT)
    stages = run(path, "f", "f32[8]", stage="triton").stages
    assert [s.numbers for key, s in stages.items() if key.startswith("triton:")] == [()]
