"""`tutor content check` on a course with one mistake of each kind, and on one without."""

import json
import shutil
from pathlib import Path

import pytest
from judging import small_course, tutor

from tutor.authoring.pieces import list_pieces
from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import wrong_answer

pytestmark = pytest.mark.slow

LESSON = """\
+++
day = 22
title = "Kernels"
minutes = 5
objectives = ["Run a cell"]
sources = [{{ id = "page", title = "A page", version = "1", url = "https://example.org" }}]
+++
A section.

```predict
id = "d22-answer"
kind = "number"
prompt = "What is printed?"
answer_from = "n"
explanation = "It is computed here."
```

```python run
n = {code}
print("n is", n)
```
expect: n is {expected}
"""

WRONG = """\
[[wrong]]
name = "no_mask"
expect = "missing-mask"
replace = 'x = tl.load(x_ptr + offsets, mask=mask)'
with = 'x = tl.load(x_ptr + offsets)'
"""


PROMISE = """\
[[promise]]
id = "any-shape"
text = "The shape can be anything"
broken_by = ["no_mask"]

[[promise]]
id = "many-millions"
text = "many millions"
judged = false

"""


def course_with(folder: Path, code: str = "6 * 7", expected: str = "42") -> Path:
    root = small_course(folder, seconds=10, memory_gib=4)
    for path in (root / "lessons").glob("day-*.md"):
        path.unlink()
    lesson = root / "lessons" / "day-22-kernels.md"
    lesson.write_text(LESSON.format(code=code, expected=expected), "utf-8")
    (root / "kernels" / "vector_add" / "wrong.toml").write_text(WRONG, "utf-8")
    exercise = root / "kernels" / "vector_add" / "exercise.toml"
    text, *rows = exercise.read_text("utf-8").split("[[promise]]")
    limits = rows[-1][rows[-1].index("[limits]") :]
    text = text.replace("many millions", "many millions (not judged)")
    exercise.write_text(text + PROMISE + limits, "utf-8")
    reference = root / "kernels" / "vector_add" / "reference.py"
    text = reference.read_text("utf-8")
    reference.write_text(text.replace("CASES[:3]", "CASES[:6]"), "utf-8")
    return root


def check(root: Path, *options: str) -> tuple[int, dict, str]:
    # With one judge: a course this small would wait for the start of a second.
    words = ("content", "check", "--json", "--jobs", "1", "--course", str(root))
    done = tutor(*words, *(options or ("--all",)))
    report = json.loads(done.stdout) if done.stdout else {}
    return done.returncode, report, done.stderr.decode()


def test_what_takes_long_begins_first(tmp_path):
    root = course_with(tmp_path)
    assert next(iter(list_pieces(open_course(root), 0))) == "vector_add"
    lesson = root / "lessons" / "day-22-kernels.md"
    slow = lesson.read_text("utf-8").replace("```python run", "```python run slow")
    lesson.write_text(slow, "utf-8")
    assert next(iter(list_pieces(open_course(root), 0))) == "22"


def test_a_sound_course_holds(home, tmp_path):
    status, report, said = check(course_with(tmp_path))
    assert status == 0, said
    assert report["cells"] == {"run": 1, "failed": []}
    assert report["questions"]["computed"] == 1
    assert report["solutions"] == {"passed": 1, "failed": []}
    assert (report["wrong"]["rejected"], report["wrong"]["named"]) == (1, 1)
    assert report["promises"] == {"kept": 1, "failed": []}


def test_each_mistake_is_named(home, tmp_path):
    root = course_with(tmp_path, expected="43")
    kernel = root / "kernels" / "vector_add"
    no_mask = wrong_answer(kernel, "no_mask").code
    (kernel / "wrong").mkdir()
    (kernel / "wrong" / "misnamed.py").write_text(f"# expect: timeout\n{no_mask}", "utf-8")
    (kernel / "wrong" / "no_mask.py").write_text(f"# expect: missing-mask\n{no_mask}", "utf-8")
    (kernel / "wrong.toml").unlink()  # its edits are of the solution, which is another below
    solution = (kernel / "solution.py").read_text("utf-8")
    (kernel / "wrong" / "right.py").write_text(f"# expect: race\n{solution}", "utf-8")
    (kernel / "starter.py").write_text(solution, "utf-8")
    (kernel / "solution.py").write_text(no_mask, "utf-8")
    status, report, _ = check(root)
    assert status == 1
    assert "expected 'n is 43'" in report["cells"]["failed"][0]
    assert (
        "out-of-bounds" in report["solutions"]["failed"][0]
        or "mask" in (report["solutions"]["failed"][0])
    )
    assert report["starters"]["passing"] == ["vector_add: passes as it stands"]
    faults = sorted(report["wrong"]["faults"])
    assert faults[0].startswith(
        "kernels/vector_add/wrong/misnamed.py:2 misnamed: expected timeout, got "
    )
    assert faults[1] == "kernels/vector_add/wrong/right.py:2 right: passes"
    assert (report["wrong"]["rejected"], report["wrong"]["named"]) == (2, 1)
    assert report["promises"] == {"kept": 1, "failed": []}


def test_a_promise_that_its_breaker_keeps_is_a_fault(home, tmp_path):
    root = course_with(tmp_path)
    rows = root / "kernels" / "vector_add" / "wrong.toml"
    text = rows.read_text("utf-8")
    rows.write_text(text.replace("tl.load(x_ptr + offsets)", "tl.load(x_ptr+ offsets, mask=mask)"))
    status, report, _ = check(root, "--only", "vector_add")
    assert status == 1
    assert report["promises"]["kept"] == 0
    (fault,) = report["promises"]["failed"]
    assert fault.startswith("kernels/vector_add/exercise.toml:")
    assert fault.endswith(" any-shape: not rejected for its reason: no_mask")


def test_an_explanation_with_another_number_is_a_fault(home, tmp_path):
    root = course_with(tmp_path, code="6 + 1", expected="7")
    lesson = next((root / "lessons").glob("day-*.md"))
    text = lesson.read_text("utf-8")
    lesson.write_text(text.replace("It is computed here.", "Six. The last one is not counted."))
    status, report, _ = check(root, "--only", "22")
    assert status == 1
    assert "its explanation says 6, and this machine finds 7" in str(report["questions"])
    lesson.write_text(text.replace("It is computed here.", "Seven: six and one."))
    status, _, said = check(root, "--only", "22")
    assert status == 0, said


def test_a_cell_that_raises_is_a_fault(home, tmp_path):
    root = course_with(tmp_path, code="1 / 0")
    status, report, said = check(root, "--only", "22")
    assert status == 1
    assert "ZeroDivisionError" in report["cells"]["failed"][0]
    assert "day-22-kernels.md:" in said
    assert report["solutions"]["passed"] == 0  # `--only` left the exercise out


@pytest.mark.parametrize("name", ["no_such_kernel", "71"])
def test_only_what_exists_can_be_asked_for(home, tmp_path, name):
    status, report, said = check(course_with(tmp_path), "--only", name)
    assert (status, report) == (2, {})
    assert said.startswith(f"tutor: {name} is neither a day nor an exercise of this course")


DRILL = """
```drill
id = "d22-drill"
kind = "code"
prompt = "Repair it."
exercise = "vector_add"
{begin}
explanation = "It has a mask."
```
"""


def with_drill(root: Path, begin: str) -> Path:
    lesson = root / "lessons" / "day-22-kernels.md"
    lesson.write_text(lesson.read_text("utf-8") + DRILL.format(begin=begin), "utf-8")
    return root


def test_a_drill_is_proved_and_counted(home, tmp_path):
    root = with_drill(course_with(tmp_path), 'wrong = "no_mask"')
    status, report, said = check(root, "--only", "22")
    assert status == 0, said
    assert report["drills"] == {"proved": 1, "failed": [], "days": {"22": 1}}
    (few,) = [each for each in report["files"]["warnings"] if ": drill: " in each]
    assert few.endswith("expected 4 or more drills, found 1")


def test_a_drill_that_begins_right_or_ends_wrong_fails(home, tmp_path):
    root = course_with(tmp_path)
    solution = (root / "kernels" / "vector_add" / "solution.py").read_text("utf-8")
    with_drill(root, f"code = '''\n{solution}# whole\n'''")
    status, report, _ = check(root, "--only", "22")
    assert status == 1
    (fault,) = report["drills"]["failed"]
    assert fault.endswith("d22-drill: what it begins with is right")
    lesson = root / "lessons" / "day-22-kernels.md"
    text = lesson.read_text("utf-8")
    text = text[: text.index("```drill")]
    lesson.write_text(text, "utf-8")
    with_drill(root, 'wrong = "no_mask"\nanswer = "def add(x, y): return x"')
    status, report, _ = check(root, "--only", "22")
    assert status == 1
    assert "d22-drill: its answer is rejected: " in report["drills"]["failed"][0]


def test_what_is_proved_and_unchanged_is_not_proved_again(home, tmp_path):
    root = course_with(tmp_path, code="5 * 9", expected="45")
    kernel = root / "kernels" / "vector_add"
    for folder in ("right", "twists"):
        for path in sorted((kernel / folder).glob("*.py"))[1:]:
            path.unlink()
    with (kernel / "exercise.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[promise]]\ntwist = 1\nuses = ["tl.num_programs"]\n')
    status, report, said = check(root, "--jobs", "1")
    assert status == 0, said
    assert (report["proved"], report["unchanged"]) == (2, 0)
    assert report["longest"].keys() == {"22", "vector_add"}
    assert 0 < sum(report["longest"].values()) <= report["seconds"] + 1
    assert (report["right"]["accepted"], report["twists"]["accepted"]) == (1, 1)
    assert (report["twists"]["judged"], report["twists"]["asked"]) == (1, 1)
    assert report["references"] == {"sound": 1, "failed": []}
    status, report, said = check(root, "--jobs", "1")
    assert status == 0, said
    assert (report["proved"], report["unchanged"], report["longest"]) == (0, 2, {})
    assert report["cells"]["run"] == report["solutions"]["passed"] == 0
    starter = kernel / "starter.py"
    starter.write_text(starter.read_text("utf-8") + "# the end\n", "utf-8")
    status, report, said = check(root, "--jobs", "1")
    assert status == 0, said
    assert (report["proved"], report["unchanged"]) == (1, 1)
    _, report, _ = check(root, "--only", "22", "--all")
    assert (report["proved"], report["unchanged"]) == (1, 0)
    _, report, _ = check(root, "--only", "vector_add", "--seed", "1")
    assert (report["proved"], report["unchanged"]) == (1, 0)


def test_a_proof_that_fails_is_not_kept(home, tmp_path):
    root = course_with(tmp_path)
    right = root / "kernels" / "vector_add" / "right"
    shutil.rmtree(right)
    right.mkdir()
    (right / "halves.py").write_text("def add(x, y):\n    return x\n", "utf-8")
    toml = root / "kernels" / "vector_add" / "exercise.toml"
    rows = toml.read_text("utf-8")
    row = '[[promise]]\ntwist = {}\nuses = ["{}"]\n'
    toml.write_text(rows + row.format(1, "tl.load") + row.format(2, "tl.sort"), "utf-8")
    for _ in range(2):
        status, report, said = check(root, "--only", "vector_add")
        assert status == 1
        assert (report["proved"], report["unchanged"]) == (0, 0)
        (fault,) = report["right"]["failed"]
        assert fault.startswith("kernels/vector_add/right/halves.py: a right answer is told: ")
        assert fault in said
        kept, broken = sorted(report["twists"]["failed"])
        line = rows.count("\n") + 1
        assert kept.endswith(f"exercise.toml:{line} twist 1: the solution keeps it too")
        assert broken.endswith(
            "told: Right, but not by the twist: `tl.sort` is not in your kernel."
        )
