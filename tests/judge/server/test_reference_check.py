"""A reference that does not measure: each fault is one sentence."""

import shutil
from pathlib import Path

import pytest

from tutor.base.paths import course_root
from tutor.judge.cases.reference_check import reference_fault


@pytest.fixture
def path(tmp_path: Path) -> Path:
    for name in ("reference.py", "exercise.toml"):
        shutil.copy(course_root() / "kernels" / "vector_add" / name, tmp_path)
    return tmp_path / "reference.py"


def test_a_reference_of_the_course_has_no_fault(path: Path) -> None:
    assert reference_fault(path) == ""


@pytest.mark.parametrize(
    ("addition", "words"),
    [
        ("CASES = CASES[:5]", "CASES has 5 cases; write 6 or more"),
        ("CASES = CASES + CASES[:1]", "two cases are named “"),
        (
            "import torch\nCASES = CASES + (Case('free', lambda g: (torch.randn(9),) * 2),)",
            "case “free” differs with the same seed",
        ),
        ("eager = lambda x, y: x - y", "eager itself is over the bound"),
        ("scale = lambda x, y: 1e9", "zeros pass"),
        ("work = lambda x, y: Work(bytes=x.numel(), flops=1)", "work counts no more bytes"),
        ("PROMISED = (('at most 3', lambda x, y: True),)", "quotes “at most 3”, which the task"),
        (
            "PROMISED = (('at least one element', lambda x, y: x.numel() > 1),)",
            "breaks “at least one element” of PROMISED",
        ),
        ("del work", "expected a definition of work"),
        ("reference = lambda x, y: x + y + z", "it raises NameError"),
    ],
)
def test_each_fault_is_said(path: Path, addition: str, words: str) -> None:
    path.write_text(path.read_text("utf-8") + addition + "\n", "utf-8")
    assert words in reference_fault(path)
