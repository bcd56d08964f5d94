"""Cases played by the real judge: who survives, who does not, and what an answer that hangs does."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.cli import tutor
from tutor.commands.tools import content
from tutor.course.catalog.course import open_course
from tutor.judge.breaking.kept_cases import holes_path, keep_holes, read_holes
from tutor.judge.client import Judge
from tutor.judge.model.case_table import CaseTable
from tutor.judge.model.events import Progress

GOOD = ("x=f32[4, 1025]", "large(f32[3, 700])", "f32[5, 9][1, 5]", "negative(f32[2, 3])")


def play(judge: Judge, slug: str, *texts: str, own: str = "", shown: bool = True) -> CaseTable:
    *progress, table = judge.play_cases(slug, texts, own, shown=shown)
    assert isinstance(table, CaseTable)
    assert progress
    assert all(isinstance(event, Progress) for event in progress)
    return table


def killed(table: CaseTable) -> dict[str, tuple[int, ...]]:
    return {mistake.name: mistake.killed_by for mistake in table.mistakes}


@pytest.mark.slow
def test_right_answers_survive_and_known_mistakes_do_not(judge: Judge) -> None:
    table = play(judge, "row_softmax", *GOOD)
    assert not table.refused
    assert table.right == 5
    by_name = killed(table)
    assert by_name["no_maximum_subtracted"] == (2, 4)
    assert by_name["strides_of_a_contiguous_matrix"] == (3,)
    assert by_name["stores_every_lane"] == (1, 2, 3, 4)
    assert by_name["sum_not_brought_to_the_new_maximum"] == ()
    living = {mistake.name: mistake.look for mistake in table.living}
    assert living == {
        "sum_not_brought_to_the_new_maximum": "returns, for each row of a matrix, `exp(x) / sum(exp(x))`"
    }
    unseen = {mistake.name for mistake in table.mistakes} - {m.name for m in table.killable}
    assert unseen == {
        "exponential_in_float64",
        "first_number_twice",
        "online_in_two_loops",
        "torch_does_it",
        "two_launches",
    }
    assert not table.holes


@pytest.mark.slow
def test_a_case_outside_of_the_promises_does_not_count(judge: Judge) -> None:
    table = play(
        judge, "row_softmax", "f32[3, 4, 5]", "f16[3, 4]", "f32[2, 16385]", "f32[0, 3]", "f32[2, 3]"
    )
    assert [bool(case.refused) for case in table.cases] == [True] * 4 + [False]
    assert table.cases[2].promise == "1 to 16,384 columns"
    assert table.cases[0].promise.startswith("A 2-D `float32` tensor")
    assert all(numbers in ((), (5,)) for numbers in killed(table).values())


@pytest.mark.slow
def test_a_row_that_is_repeated_is_a_view_where_the_task_allows_views(judge: Judge) -> None:
    table = play(judge, "row_softmax", "f32[3, 5][0, 1]", "f32[3, 5]")
    assert not table.refused
    assert killed(table)["strides_of_a_contiguous_matrix"] == (1,)


@pytest.mark.slow
def test_texts_and_exercises_that_take_no_cases_are_refused(judge: Judge) -> None:
    with pytest.raises(UsageError, match="takes no cases"):
        play(judge, "fold_pass", "f32[3]")
    with pytest.raises(UsageError, match="takes no cases"):
        play(judge, "flash_backward", "f32[3]")
    with pytest.raises(UsageError, match=r"case 1: `x`: there is no `os\.system`"):
        play(judge, "row_softmax", "os.system('true')")


HOLED = """
from dataclasses import replace
CASES = tuple(case for case in CASES if "block" in case.name)[:1]
"""
HANGS = "# expect: timeout\n{solution}\n\ndef add(x, y):\n    while True:\n        pass\n"
DIES = "# expect: crash\n{solution}\n\nimport os\n\n\ndef add(x, y):\n    os._exit(3)\n"


@pytest.fixture(scope="module")
def holed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with `vector_add`, whose only case is one whole block; two answers do not end well."""
    root = tmp_path_factory.mktemp("holed") / "course"
    folder = root / "kernels" / "vector_add"
    shutil.copytree(paths.course_root() / "kernels" / "vector_add", folder)
    for name in ("lessons", "quizzes"):
        (root / name).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    with (folder / "reference.py").open("a") as file:
        file.write(HOLED)
    solution = (folder / "solution.py").read_text()
    (folder / "wrong").mkdir(exist_ok=True)
    (folder / "wrong" / "a_hangs.py").write_text(HANGS.format(solution=solution))
    (folder / "wrong" / "b_dies.py").write_text(DIES.format(solution=solution))
    return root


@pytest.mark.slow
def test_a_hang_or_a_crash_ends_no_other_answer_and_holes_are_kept(
    holed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Judge(holed) as judge:
        table = play(judge, "vector_add", "x=f32[1024], y=f32[1024]", "x=f32[1025], y=f32[1025]")
    assert not table.refused
    by_name = killed(table)
    assert by_name["a_hangs"] == (1, 2)
    assert by_name["b_dies"] == (1, 2)
    assert len([name for name, numbers in by_name.items() if 2 in numbers]) >= 4
    assert table.holes
    assert {hole.case for hole in table.holes} == {"x=f32[1025], y=f32[1025]"}
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    keep_holes(table)
    keep_holes(table)
    assert read_holes(["vector_add"]) == [("vector_add", hole) for hole in table.holes]
    assert read_holes(["row_sum"]) == []
    with holes_path().open("a") as file:
        file.write("{damaged\n[]\n")
    assert len(read_holes()) == len(table.holes)
    listed = list(content._holes(open_course(holed)))
    assert len(listed) == len(table.holes)
    assert listed[0].startswith(
        "kernels/vector_add: the case x=f32[1025], y=f32[1025] refuses wrong/"
    )


@pytest.mark.slow
def test_a_case_on_which_a_right_answer_hangs_is_refused(holed: Path, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(holed, root)
    folder = root / "kernels" / "vector_add"
    solution = (folder / "solution.py").read_text()
    hangs = f"{solution}\n\nadd_right = add\n\n\ndef add(x, y):\n"
    hangs += "    while x.numel() == 7:\n        pass\n"
    (folder / "right" / "hangs.py").write_text(f"{hangs}    return add_right(x, y)\n")
    with Judge(root) as judge:
        table = play(judge, "vector_add", "x=f32[7], y=f32[7]", "x=f32[8], y=f32[8]", shown=False)
    assert [bool(case.refused) for case in table.cases] == [True, False]
    assert "a right answer does not survive it: not finished" in table.cases[0].refused
    assert table.cases[0].promise.startswith("Two contiguous `float32` tensors")
    assert 1 not in {number for numbers in killed(table).values() for number in numbers}


@pytest.mark.slow
def test_the_learners_own_program_is_played_too(judge: Judge) -> None:
    folder = paths.course_root() / "kernels" / "row_softmax"
    own = (
        (folder / "solution.py")
        .read_text()
        .replace("columns, row_stride,", "columns - 1, row_stride,")
    )
    assert play(judge, "row_softmax", "f32[2, 8]", shown=False).own is None
    right = (folder / "solution.py").read_text()
    assert play(judge, "row_softmax", "f32[2, 8]", own=right, shown=False).own == ()
    wrong = right.replace("mask = column < columns", "mask = column < columns - 1")
    assert own != right != wrong
    assert play(judge, "row_softmax", "f32[2, 8]", own=wrong, shown=False).own == (1,)


@pytest.mark.slow
def test_the_command(judge: Judge, home: Path) -> None:
    run = CliRunner().invoke
    done = run(
        tutor, ["break", "row_softmax", "--case", "x=f32[4, 1025]", "--json"], standalone_mode=False
    )
    told = json.loads(done.stdout)
    assert done.return_value == 1
    assert (told["refuses"], told["of"], told["valid"]) == (9, 13, 1)
    done = run(
        tutor, ["break", "row_softmax", "--case", "f32[3, 4, 5]", "--plain"], standalone_mode=False
    )
    assert done.return_value == 1
    assert "does not count: `x` is 3-D" in done.stdout
    assert "✗" not in done.stdout
    with pytest.raises(UsageError, match="no cases for row_sum yet"):
        run(tutor, ["break", "row_sum"], standalone_mode=False, catch_exceptions=False)
    kept = paths.work_dir() / "row_softmax.cases.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("# mine\nf32[2, 3]\n\n")
    done = run(tutor, ["break", "row_softmax"], standalone_mode=False)
    kept.unlink()
    assert "  1  f32[2, 3]  refuses" in done.stdout


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with `row_softmax` of 40 answers: its own, and its mistakes again under other names."""
    root = tmp_path_factory.mktemp("many") / "course"
    folder = root / "kernels" / "row_softmax"
    shutil.copytree(paths.course_root() / "kernels" / "row_softmax", folder)
    for name in ("lessons", "quizzes"):
        (root / name).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    from tutor.course.reading.wrong_answers import read_wrong_answers

    answers = read_wrong_answers(folder)
    for answer in [*answers, *answers][: 40 - 5 - len(answers)]:
        copies = len(list((folder / "wrong").glob(f"{answer.name}_again*.py")))
        text = f"# expect: {answer.expect}\n{answer.code}"
        (folder / "wrong" / f"{answer.name}_again{copies}.py").write_text(text)
    return root


@pytest.mark.slow
@pytest.mark.budget
def test_forty_answers_take_three_seconds_of_two_cores(many: Path, capsys) -> None:
    with Judge(many) as judge:
        judge.wait_warm()
        play(judge, "row_softmax", "f32[2, 3]", shown=False)
        table = play(judge, "row_softmax", *GOOD, shown=False)
    assert table.right + len(table.mistakes) == 40
    with capsys.disabled():
        print(f"\n40 answers, {len(GOOD)} cases: {table.processor_seconds:.2f} s of processor time")
    assert table.processor_seconds <= 3
