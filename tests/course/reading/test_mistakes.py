"""Each mistake is reported at its line and field. Every row changes one thing in a valid course."""

from pathlib import Path

import pytest
import small_course

from tutor.authoring.check import faults
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.quiz import read_quiz

OUTLINE = "lessons/outline.toml"
LESSON = "lessons/day-01-one.md"
QUIZ = "quizzes/day-01.toml"
EXERCISE = "kernels/add/exercise.toml"

# file, what is there, what takes its place, line, field
COURSE_MISTAKES = [
    (OUTLINE, 'number = 1\nname = "First"', 'number = 3\nname = "First"', 12, "day[1].phase"),
    (OUTLINE, "day = 2", "day = 1", 18, "day[2].day"),
    (OUTLINE, '"checkpoint"', '"pause"', 22, "day[2].kind"),
    (OUTLINE, 'goal = "Start."', 'gaol = "Start."', 15, "day[1].gaol"),
    (OUTLINE, 'week = 1\nkind = "ch', 'week = 4\nkind = "ch', 21, "day[2].week"),
    (OUTLINE, 'title = "Two"', "title = Two", 19, "toml"),
    (LESSON, "+++\nday", "day", 1, "front matter"),
    (LESSON, "minutes = 10", 'minutes = "ten"', 4, "minutes"),
    (LESSON, "minutes = 10", "minutes = true", 4, "minutes"),
    (LESSON, 'objectives = ["Add"]', "objectives = []", 5, "objectives"),
    (LESSON, "day = 1\n", "day = 2\n", 1, "day"),
    (LESSON, 'id = "torch-add"', 'id = "Torch add"', 6, "sources[1].id"),
    (LESSON, "[torch-add].", "[torch-ad].", 9, "citation"),
    (LESSON, "The end.", "The\nend [nowhere].", 32, "citation"),
    (LESSON, "```python run", "```pyhton run", 21, "fence"),
    (LESSON, "```python run", "```python runs", 21, "fence"),
    (LESSON, "```python run", "```python run gpus", 21, "fence"),
    (LESSON, "```python run", "```python run gpu gpu", 21, "fence"),
    (LESSON, "```predict", "```predcit", 13, "fence"),
    (LESSON, "> A note.", "> ```python run\n> 1\n> ```", 27, "fence"),
    (LESSON, "The end.", "```text\nopen", 31, "fence"),
    (LESSON, "print(total)", "print(total", 23, "cell"),
    (LESSON, "print(total)", "-" * 200_000 + "1", 22, "cell"),
    (LESSON, "total = 1 + 1\nprint(total)", "# nothing", 21, "cell"),
    (LESSON, "expect: 2", "expect:", 25, "expect"),
    (LESSON, "expect: 2", "expect: /(/", 25, "expect"),
    (LESSON, "expect: 2", "Expected: 2", 25, "expect"),
    (LESSON, "The end.", "expect: 3", 31, "expect"),
    (LESSON, "## Last", "##", 29, "heading"),
    (LESSON, 'kind = "number"', 'kind = "numbers"', 15, "kind"),
    (LESSON, 'id = "d01-sum"', 'id = "d01-sum"\nday = 1', 15, "day"),
    (LESSON, 'answer_from = "total"', 'answer_from = "total +"', 17, "answer_from"),
    (LESSON, 'answer_from = "total"', 'answer_from = "a"\nanswer = 2', 18, "answer"),
    (LESSON, 'answer_from = "total"', 'answer = 2\nreveal = "lost"', 18, "reveal"),
    (LESSON, 'answer_from = "total"', 'answer = 2\nreveal = "cells"', 18, "reveal"),
    (LESSON, 'answer_from = "total"', 'answer_from = "total"\nreveal = "last"', 18, "reveal"),
    (LESSON, "```python run\ntotal", "```python\ntotal", 13, "answer_from"),
    (LESSON, "The end.", "```text\n" + "é" * 79 + "\n```", 32, "code"),
    (LESSON, "The end.", "    " + "x" * 79, 31, "code"),
    (LESSON, "The end.", "line\n" * 119, 29, "section"),
    (LESSON, "The end.", "The \x1b[2J end.", 31, "file"),
    (LESSON, 'id = "d01-sum"', 'id = "d01-q"', 4, "id"),  # found in the quiz, read second
    (EXERCISE, "add(x, y)", "add(x, y", 4, "entry"),
    (EXERCISE, "add(x, y)", "add(x): pass\\ndef f()", 4, "entry"),
    (EXERCISE, 'kind = "kernel"', 'kind = "cuda"', 3, "kind"),
    (EXERCISE, '["triton"]', '["tritn"]', 6, "needs"),
    (EXERCISE, '["a", "b", "c"]', '["a", "b"]', 8, "hints"),
    (EXERCISE, '["a", "b", "c"]', '["a", 2, "c"]', 8, "hints.2"),
    (EXERCISE, "day = 1", "day = 9", 1, "day"),
    (EXERCISE, "task =", "tsak =", 7, "tsak"),
    (EXERCISE, "hints =", "[limits]\nseconds = 0\nhints =", 9, "limits.seconds"),
    (EXERCISE, 'id = "sum"', 'id = "The sum"', 10, "promise[1].id"),
    (EXERCISE, 'text = "Write it"', 'text = " "', 11, "promise[1].text"),
    (EXERCISE, '["minus"]', '"minus"', 12, "promise[1].broken_by"),
    (EXERCISE, '["minus"]', '["minus"]\njudged = true', 13, "promise[1].judged"),
    (EXERCISE, '["minus"]', '["minus"]\njudged = false', 12, "promise[1].broken_by"),
    (EXERCISE, 'text = "Write it"', 'text = "Read it"', 9, "promise sum: text"),
    (EXERCISE, '["minus"]', '["plus"]', 9, "promise sum: broken_by"),
    (EXERCISE, '["minus"]', '["minus"]\nwhy = "x"', 13, "promise[1].why"),
    (EXERCISE, '["minus"]', '["minus"]\n[[promise]]\ntwist = 1\naxes = 1', 14, "promise[2].twist"),
    ("kernels/add/starter.py", "def add", "def sub", 1, "add"),
    ("kernels/add/solution.py", "return x + y", "return x +", 2, "python"),
    ("kernels/add/reference.py", "CASES", "CASE", 1, "CASES"),
    ("kernels/add/wrong/minus.py", "# expect: wrong-values", "# wrong-values", 1, "expect"),
]


@pytest.mark.parametrize(("name", "old", "new", "line", "field"), COURSE_MISTAKES)
def test_course_mistake(course: Path, name: str, old: str, new: str, line: int, field: str) -> None:
    path = course / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    found = [(fault.path.name, fault.line, fault.field) for fault in faults(course)]
    expected = QUIZ if field == "id" else name
    assert (Path(expected).name, line, field) in found


def test_the_course_they_start_from_has_no_fault(course: Path) -> None:
    assert faults(course) == ()


# kind, what is there, what takes its place, line (the question begins on line 4), field
QUESTION_MISTAKES = [
    ("choice", 'id = "d01-q"', 'id = "D01 q"', 5, "id"),
    ("choice", 'prompt = "Which?"', 'prompt = " "', 6, "prompt"),
    ("choice", 'explanation = "Because."\n', "", 4, "explanation"),
    ("choice", 'answer = "a"', 'answer = "z"', 10, "answer"),
    ("choice", 'answer = "a"', 'answer = ["a"]', 10, "answer"),
    ("choice", 'answer = "a"\n', "", 4, "answer"),
    ("choice", 'b = "tempting"', 'z = "tempting", b = "t"', 11, "feedback"),
    ("choice", 'feedback = { b = "tempting" }', "feedback = {}", 11, "feedback"),
    ("choice", '{ a = "yes", b = "no" }', '{ a = "yes" }', 9, "options"),
    ("choice", '{ a = "yes", b = "no" }', '{\n  a = "yes",\n  b = 2,\n}', 9, "options.b"),
    ("choice", '{ a = "yes", b = "no" }', '{ a = "yes", b = "\\u001b[2J" }', 9, "options.b"),
    ("choice", 'answer = "a"', 'answer = "a"\nunit = "B"', 11, "unit"),
    ("choice", 'answer = "a"', 'answer = "a"\nrev = 0', 11, "rev"),
    ("choice", 'answer = "a"', 'answer = "a"\ndays = ["1"]', 11, "days"),
    ("multi", '["a", "c"]', '["a", "d"]', 10, "answer"),
    ("multi", '["a", "c"]', '["a", "a"]', 10, "answer"),
    ("multi", '["a", "c"]', "[]", 10, "answer"),
    ("number", "answer = 156.0", 'answer = "156"', 9, "answer"),
    ("number", "answer = 156.0", "answer = nan", 9, "answer"),
    ("number", "answer = 156.0", "answer = true", 9, "answer"),
    ("number", "tolerance = 0.02", "tolerance = -1", 11, "tolerance"),
    ("text", '["program_id"]', '"program_id"', 10, "accept"),
    ("order", '["b", "a"]', '["b", "b"]', 10, "answer"),
    ("order", '["b", "a"]', '["b"]', 10, "answer"),
    ("order", '["b", "a"]', '["b", "a"]\nbefore = "some"', 11, "before"),
    ("order", '["b", "a"]', '["b", "a"]\nbefore = [["b"]]', 11, "before"),
    ("order", '["b", "a"]', '["b", "a"]\nbefore = [["b", "z"]]', 11, "before"),
    ("order", '["b", "a"]', '["b", "a"]\nbefore = [["a", "b"]]', 11, "before"),
    ("match", 'a = "q", b = "p" }', 'a = "q" }', 11, "answer"),
    ("match", 'a = "q", b = "p" }', 'a = "q", b = "z" }', 11, "answer.b"),
    ("fill", "{2}", "{3}", 9, "code"),
    ("fill", '["mask", "other"]', '["mask"]', 9, "code"),
    ("fill", '[["m"], []]', '[["m"]]', 11, "accept"),
    ("fill", '[["m"], []]', '["m"]', 11, "accept"),
    ("line", "answer = 2", "answer = 3", 10, "answer"),
    ("line", "answer = 2", "answer = [2, 0]", 10, "answer"),
    ("line", "answer = 2", "answer = []", 10, "answer"),
    ("line", '1 = "no"', '7 = "no"', 11, "tempting"),
    ("line", '1 = "no"', '2 = "no"', 11, "tempting"),
    ("predict", 'as = "number"', 'as = "order"', 9, "as"),
    ("predict", 'as = "number"\n', "", 4, "as"),
    ("predict", 'code = "x = 2"', 'code = "x ="', 10, "code"),
    ("predict", 'answer_from = "x + 1"', "answer = 3", 4, "answer_from"),
    ("open", 'points = ["one", "two"]', "points = []", 10, "points"),
    ("open", 'model = "Long."', "", 4, "model"),
]


@pytest.mark.parametrize(("kind", "old", "new", "line", "field"), QUESTION_MISTAKES)
def test_question_mistake(
    tmp_path: Path, kind: str, old: str, new: str, line: int, field: str
) -> None:
    text = small_course.quiz(kind)
    assert old in text
    path = tmp_path / "day-01.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CourseFault) as caught:
        read_quiz(path)
    label = f"question[1].{field}"
    assert (line, label) in [(fault.line, fault.field) for fault in caught.value.faults]


def test_all_mistakes_of_a_file_are_reported_and_the_message_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "day-01.toml"
    text = small_course.quiz("choice").replace('answer = "a"', 'answer = "z"') + "rev = 0\n"
    path.write_text(text.replace('title = "One"', "title = 1"))
    with pytest.raises(CourseFault) as caught:
        read_quiz(path)
    assert [fault.line for fault in caught.value.faults] == [2, 10, 12]
    message = str(caught.value)
    assert message.startswith(f"{path}:2: title: expected a text, found 1 (and 2 more")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"day = 1\n\xff\n", 2),
        (b"day = 1\ntitle = '\x00'\n", 2),
        (b"x" * (5 * 2**20), 1),
        (b"a = " + b"[" * 100_000, 1),
    ],
    ids=["not UTF-8", "NUL", "5 MiB line", "nested"],
)
def test_hostile_bytes_are_one_fault(tmp_path: Path, data: bytes, line: int) -> None:
    path = tmp_path / "day-01.toml"
    path.write_bytes(data)
    with pytest.raises(CourseFault) as caught:
        read_quiz(path)
    assert [fault.line for fault in caught.value.faults] == [line]
    assert len(str(caught.value)) < 300 + len(str(path))


@pytest.mark.parametrize("name", ["starter.py", "solution.py", "reference.py", "exercise.toml"])
def test_a_missing_file_of_an_exercise(course: Path, name: str) -> None:
    (course / "kernels" / "add" / name).unlink()
    assert [fault.path.name for fault in faults(course)] == [name]


def test_two_lessons_of_one_day_and_a_misnamed_one(course: Path) -> None:
    (course / "lessons" / "day-01-two.md").write_text(
        small_course.LESSON.replace("d01-sum", "d01-s")
    )
    (course / "lessons" / "Day1.md").write_text(small_course.LESSON.replace("d01-sum", "d01-t"))
    found = {(fault.path.name, fault.field) for fault in faults(course)}
    assert {("day-01-two.md", "day"), ("Day1.md", "file name")} <= found


# a row of a twist after `twist = 1` in line 15, the line and the field of its mistake
TWIST_MISTAKES = [
    ("", 14, "promise[2]."),
    ('uses = ["tl.exp2 + 1"]', 16, "promise[2].uses"),
    ('avoids = ["tl.exp or tl.exp2"]', 16, "promise[2].avoids"),
    ('programs = "x.size"', 16, "promise[2].programs"),
    ("tile = [16, -1]", 16, "promise[2].tile"),
    ('backwards = "rows"', 16, "promise[2].backwards"),
    ("steps = 1", 16, "promise[2].steps"),
    ('axes = 1\nid = "axes"', 17, "promise[2].id"),
    ("axes = 1", 14, "promise of twist 1"),  # that twists/ has no answer to
]


@pytest.mark.parametrize(("row", "line", "field"), TWIST_MISTAKES)
def test_mistake_in_the_promise_of_a_twist(course: Path, row: str, line: int, field: str) -> None:
    path = course / EXERCISE
    twisted = path.read_text().replace("hints =", 'twists = ["Otherwise."]\nhints =')
    path.write_text(f"{twisted}[[promise]]\ntwist = 1\n{row}\n")
    (fault,) = faults(course)
    assert (fault.path, fault.line, fault.field) == (path, line, field)


def test_what_the_interpreter_sees_is_of_kernels_alone(course: Path) -> None:
    path = course / EXERCISE
    twisted = path.read_text().replace("hints =", 'twists = ["Otherwise."]\nhints =')
    twisted = twisted.replace('kind = "kernel"', 'kind = "function"')
    path.write_text(f"{twisted}[[promise]]\ntwist = 1\naxes = 1\n")
    assert [(fault.line, fault.field) for fault in faults(course)] == [(16, "promise[2].axes")]
