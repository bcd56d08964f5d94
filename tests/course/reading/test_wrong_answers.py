"""Wrong answers: edits of a solution, programs of their own, and each mistake of their files."""

from pathlib import Path

import pytest

from tutor.course.reading.faults import CourseFault
from tutor.course.reading.wrong_answers import read_wrong_answers, without_hints, wrong_answer

SOLUTION = """\
def add(x, y):
    # The sum of both.
    total = x + y
    return total
"""
ROW = '[[wrong]]\nname = "minus"\nexpect = "wrong-values"\n'
EDIT = "replace = 'x + y'\nwith = 'x - y'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "solution.py").write_text(SOLUTION)
    return tmp_path


def test_an_edit_changes_the_solution_at_its_place(folder: Path) -> None:
    (folder / "wrong.toml").write_text(ROW + EDIT)
    (answer,) = read_wrong_answers(folder)
    assert (answer.name, answer.expect, answer.line) == ("minus", "wrong-values", 2)
    assert answer.code == SOLUTION.replace("x + y", "x - y")


def test_a_wrong_answer_may_get_another_code_on_a_gpu(folder: Path) -> None:
    (folder / "wrong.toml").write_text(ROW.replace('"wrong-values"', '["race", "timeout"]') + EDIT)
    (answer,) = read_wrong_answers(folder)
    assert (answer.expect, answer.or_else) == ("race", ("timeout",))


def test_several_edits_are_places_of_the_solution_in_any_order(folder: Path) -> None:
    edits = (
        "[[wrong.edit]]\nreplace = '''\n    return total\n'''\nwith = '''\n    return x + y\n'''\n"
        "[[wrong.edit]]\nreplace = 'x + y'\nwith = 'total'\n"
    )
    (folder / "wrong.toml").write_text(ROW + edits)
    code = wrong_answer(folder, "minus").code
    assert code.endswith("    total = total\n    return x + y\n")


def test_a_program_of_its_own_stands_beside_edits_without_its_first_line(folder: Path) -> None:
    (folder / "wrong.toml").write_text(ROW + EDIT)
    (folder / "wrong").mkdir()
    (folder / "wrong" / "other.py").write_text(
        "# expect: crash\ndef add(x, y):\n    return 1 / 0\n"
    )
    assert [answer.name for answer in read_wrong_answers(folder)] == ["minus", "other"]
    other = wrong_answer(folder, "other")
    assert (other.expect, other.line) == ("crash", 2)
    assert other.code.startswith("def add")


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        (ROW + EDIT + "why = 'x'\n", 6, "why", "no such field"),
        (ROW + "replace = 'x * y'\nwith = 'x'\n", 4, "replace", "found no such text"),
        (ROW + "replace = 'total'\nwith = 'x'\n", 4, "replace", "'total' 2 times"),
        (ROW + "replace = 'x + y'\nwith = 'x + y'\n", 5, "with", "the same text"),
        (ROW + "replace = 'x + y'\n", 1, "with", "found nothing"),
        (ROW + EDIT + ROW + EDIT, 7, "name", "'minus' again (first in wrong.toml)"),
        (ROW.replace("minus", "Minus") + EDIT, 2, "name", "lower-case words"),
        (ROW.replace("wrong-values", "Wrong") + EDIT, 3, "expect", "a code of a diagnosis"),
        (ROW.replace('"wrong-values"', '["race", "Wrong"]') + EDIT, 3, "expect", "a code of a"),
        (ROW.replace('"wrong-values"', '["race"]') + EDIT, 3, "expect", "2 or more texts"),
        (ROW + EDIT + f"[[wrong.edit]]\n{EDIT}", 4, "replace", "no such field"),
        (
            f"{ROW}[[wrong.edit]]\n{EDIT}[[wrong.edit]]\nreplace = '= x + y'\nwith = '= x'\n",
            5,
            "replace",
            "another edit changes too",
        ),
        ("name = 'minus'\n", 1, "name", "no such field"),
        (ROW + "replace = \n", 4, "toml", "valid TOML"),
    ],
)
def test_each_mistake_is_named_with_its_line(
    folder: Path, text: str, line: int, field: str, words: str
) -> None:
    (folder / "wrong.toml").write_text(text)
    with pytest.raises(CourseFault) as caught:
        read_wrong_answers(folder)
    fault = caught.value.faults[0]
    assert (fault.path.name, fault.line) == ("wrong.toml", line)
    assert fault.field.endswith(field)
    assert words in str(fault)


def test_one_name_in_both_forms_is_a_mistake(folder: Path) -> None:
    (folder / "wrong.toml").write_text(ROW + EDIT)
    (folder / "wrong").mkdir()
    (folder / "wrong" / "minus.py").write_text("# expect: crash\n")
    with pytest.raises(CourseFault, match=r"'minus' again \(first in minus\.py\)"):
        read_wrong_answers(folder)


def test_a_program_without_its_code_is_a_mistake(folder: Path) -> None:
    (folder / "wrong").mkdir()
    (folder / "wrong" / "minus.py").write_text(SOLUTION)
    with pytest.raises(CourseFault, match=r"minus\.py:1: expect: expected `# expect: CODE`"):
        read_wrong_answers(folder)


def test_an_unknown_name_is_told_those_there_are(folder: Path) -> None:
    (folder / "wrong.toml").write_text(ROW + EDIT)
    with pytest.raises(CourseFault, match="one of minus, found 'plus'"):
        wrong_answer(folder, "plus")


def test_hints_of_the_solution_are_left_out_and_the_starters_comments_kept() -> None:
    code = 'x = 1  # so that "#" stays\n# why it is 2\ny = "# text"  # of the task\n'
    assert without_hints(code, "# of the task") == 'x = 1\ny = "# text"  # of the task\n'


def test_a_mistake_may_end_with_a_release(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "wrong").mkdir()
    (folder / "wrong" / "counts.py").write_text("# expect: recompiles, until torch 2.14\nx = 1\n")
    (folder / "wrong" / "plain.py").write_text("# expect: recompiles\nx = 2\n")
    counts, plain = read_wrong_answers(folder)
    assert (counts.expect, counts.until) == ("recompiles", ("torch", 2, 14))
    assert (plain.expect, plain.until) == ("recompiles", None)
    (folder / "wrong" / "plain.py").write_text("# expect: too-wide-block or timeout\nx = 2\n")
    _, plain = read_wrong_answers(folder)
    assert (plain.expect, plain.or_else, plain.until) == ("too-wide-block", ("timeout",), None)
    (folder / "wrong" / "plain.py").write_text("# expect: recompiles, until jax 2\nx = 2\n")
    with pytest.raises(CourseFault, match=r"until torch 2\.14"):
        read_wrong_answers(folder)
