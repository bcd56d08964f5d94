"""A cell whose process is lost: earlier cells run again, and only the first cell that stops is named."""

import pytest

from tutor.authoring import proof as prove
from tutor.base import paths
from tutor.course.reading.lesson import read_lesson
from tutor.judge.client import Judge

pytestmark = pytest.mark.slow

HEAD = """\
+++
day = 1
title = "One"
minutes = 10
objectives = ["Look"]
+++

"""


def lesson_of(tmp_path, *cells: str):
    path = tmp_path / "day-01-one.md"
    blocks = "\n\n".join(f"```python run\n{cell}\n```" for cell in cells)
    path.write_text(f"{HEAD}## One\n\n{blocks}\n", "utf-8")
    return read_lesson(path)


@pytest.fixture(scope="module")
def judge(home):
    with Judge(paths.course_root()) as judge:
        yield judge


def test_earlier_cells_run_again_after_a_lost_process(judge, tmp_path) -> None:
    mark = tmp_path / "ran"
    lesson = lesson_of(
        tmp_path,
        "a = 7",
        # it ends its process the first time only
        f"import os, pathlib\nmark = pathlib.Path({str(mark)!r})\n"
        "if not mark.exists():\n    mark.touch()\n    os._exit(3)\nb = a + 1",
        "print(a + b)\n# expect: 15",
    )
    proofs = list(prove.prove_cells(judge, lesson, gpu=False))
    assert [(proof.name, bool(proof.fault)) for proof in proofs] == [
        (f"day-01-one.md:{lesson.cells[0].line}", False),
        (f"day-01-one.md:{lesson.cells[2].line}", False),
        (f"day-01-one.md:{lesson.cells[1].line}", True),
    ]
    assert "exit status 3" in proofs[-1].fault or "gone" in proofs[-1].fault
    assert "later" not in proofs[-1].fault


def test_the_first_cell_that_stops_is_named_alone(judge, tmp_path) -> None:
    lesson = lesson_of(tmp_path, "a = 7", "import os\nos._exit(3)", "b = a", "print(b)")
    proofs = list(prove.prove_cells(judge, lesson, gpu=False))
    assert [bool(proof.fault) for proof in proofs] == [False, True]
    assert proofs[1].name == f"day-01-one.md:{lesson.cells[1].line}"
    assert proofs[1].fault.endswith("(2 later cells stopped after it)")


def test_an_error_in_a_cell_hides_what_follows_from_it(judge, tmp_path) -> None:
    lesson = lesson_of(tmp_path, "a = 1 / 0", "print(a)", "print('sound')")
    proofs = list(prove.prove_cells(judge, lesson, gpu=False))
    assert [bool(proof.fault) for proof in proofs] == [False, True]
    assert proofs[1].fault == "ZeroDivisionError: division by zero (1 later cell stopped after it)"
