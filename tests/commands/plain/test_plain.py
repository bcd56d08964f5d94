"""What a screen reader is given: words and numbers, no boxes, bars or spinners, and the same store."""

import json
import re
import shutil
from contextlib import closing
from datetime import date
from pathlib import Path

import msgspec
import pytest
import small_course
from click.testing import CliRunner, Result
from course_answers import wrong_program
from run_home import share_judge

from tutor import cli
from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.commands.plain import review as plain_review
from tutor.course.catalog.course import open_course
from tutor.course.reading.lesson import read_lesson
from tutor.course.reading.variants import draw_variant
from tutor.course.recordings import GpuRecording, RecordedCell, code_key, gpu_recording_file
from tutor.hardware import presence
from tutor.memory.record import open_record
from tutor.memory.store.rows import CardId
from tutor.quiz.option_order import shuffle_options

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]

DRAWN = re.compile(r"[\u2500-\u259f\u2800-\u28ff\x1b]")  # boxes, blocks, Braille, escapes


def ran(home: Path, *args: str, answers: str) -> Result:
    """A command in this process, with its data in `home`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUTOR_HOME", str(share_judge(home)))
        return CliRunner().invoke(
            cli.tutor, args, input=answers, catch_exceptions=False, standalone_mode=False
        )


def said(home: Path, *args: str, answers: str = "") -> str:
    """All that a command printed, on both streams."""
    done = ran(home, *args, answers=answers)
    assert done.return_value in (None, 0, 1), done.output
    return done.output


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A record with a wrong attempt, a right one, and some answers."""
    folder = tmp_path_factory.mktemp("plain")
    wrong = folder / "row_sum.py"
    wrong.write_text(wrong_program("row_sum", "buffer_made_once_and_added_to"), "utf-8")
    said(folder, "check", "row_sum", str(wrong), "--plain")
    said(folder, "check", "row_sum", str(ROOT / "kernels" / "row_sum" / "solution.py"), "--plain")
    said(folder, "quiz", "22", "--plain", answers="?\n" * 12)
    return folder


@pytest.mark.parametrize("day", ["1", "14", "15", "22", "25", "28"])
def test_a_lesson(home, day):
    assert not DRAWN.search(said(home, "lesson", day, "--plain"))


def asked(
    home: Path, answers: str, *options: str, command: tuple[str, ...] = ("lesson", "1", "--ask")
) -> str:
    """What a lesson that waits for the learner prints, of a course with one small day."""
    course = home / "course"
    if not course.exists():
        small_course.course(course)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "course_root", lambda: course)
        done = ran(home, *command, *options, answers=answers)
    assert done.return_value in (None, 0), done.output
    return done.stdout


def test_the_first_line_that_a_cell_prints_keeps_its_spaces(tmp_path):
    small_course.course(tmp_path / "course")
    file = next((tmp_path / "course" / "lessons").glob("day-01-*.md"))
    file.write_text(file.read_text().replace("print(total)", 'print(" ", total)'))
    assert "Cell 1 printed:\n      2\n" in asked(tmp_path, "\n7\n4\n")


@pytest.mark.parametrize("options", [("--section", "2"), ("--again",)])
def test_what_only_a_lesson_that_asks_knows_is_refused_without_it(tmp_path, options):
    wanted = f"{options[0]} needs --ask: tutor lesson 1 --ask {' '.join(options)}$"
    with pytest.raises(UsageError, match=wanted):
        ran(tmp_path, "lesson", "1", *options, answers="")


def test_a_lesson_that_asks_runs_its_cells_and_keeps_what_was_read(tmp_path):
    out = asked(tmp_path, "\n7\n4\n")  # the input ends before the second section is read
    assert not DRAWN.search(out)
    order = ("total = 1 + 1", "How much?", "Cell 1 printed:\n    2\n", "Wrong.", "Stopped.")
    places = [out.index(part) for part in order]
    assert places == sorted(places)
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert record.activity.read_sections(1) == {0}
        assert record.activity.position(1) == 1
        answer = record.activity.last_answer("d01-sum")
        assert (answer.value, answer.right, answer.confidence) == (7, False, 4)
        assert answer.origin == "predict"

    out = asked(tmp_path, "s\n\n\n")  # goes on where it was left; the cell runs by wish now
    assert "goes on at section 2" in out
    assert "Answered before." in out
    assert "Cell 1 printed" not in out
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert record.activity.read_sections(1) == {0, 1, 2}

    assert "Cell 1 printed" in asked(tmp_path, "\n\n\n", "--section", "2")

    assert "Right." in asked(tmp_path, "2\n4\n\n", "--section", "2", "--again")
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        newest, first = (record.activity.last_answer("d01-sum", retries=r) for r in (True, False))
        assert (newest.origin, newest.right, first.right) == ("retry", True, False)


FIGURES = """\
```python run plot=sizes,rates x=elements y=GB/s log=x
sizes, rates = [256, 4096], [1.5, 8]
```

```python run gpu
print("fast")
```
"""


def test_a_figure_and_a_recorded_run_are_words(tmp_path):
    course = small_course.course(tmp_path / "course")
    path = next((course / "lessons").glob("day-01-*.md"))
    head = path.read_text(encoding="utf-8").split("+++\n")[1]
    path.write_text(f"+++\n{head}+++\n## One\n\n{FIGURES}", encoding="utf-8")
    cell = read_lesson(path).cells[1]
    recording = GpuRecording(
        "NVIDIA H200", date(2026, 11, 23), "torch 2.11.0", {code_key(cell): RecordedCell("fast\n")}
    )
    file = gpu_recording_file(read_lesson(path))
    file.parent.mkdir()
    file.write_bytes(msgspec.json.encode(recording))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence, "has_nvidia", lambda: False)
        patch.setattr(presence, "is_wsl", lambda: False)
        out = asked(tmp_path, "\n\n")
    assert not DRAWN.search(out)
    assert "elements 256: 1.5\n" in out
    assert "rates: least 1.5 at 256, most 8 at 4096." in out
    told = "It printed, recorded on one NVIDIA H200 (torch 2.11.0), 23 November 2026:\n\n    fast\n"
    assert told in out


RIDDLES = """\
```predict
id = "d01-riddle"
kind = "open"
prompt = "Why?"
model = "Because of the bytes."
points = ["the bytes", "the time"]
reveal = "last"
```

```predict
id = "d01-words"
kind = "open"
prompt = "How?"
model = "By adding."
points = ["it adds"]
explanation = "The cell added."
```

```python run
print("the cell", 1 + 1)
```

## Last
"""


def test_a_prediction_in_words_is_compared_after_its_cell_and_a_riddle_at_the_end(tmp_path):
    lesson = small_course.course(tmp_path / "course") / "lessons" / "day-01-one.md"
    text = small_course.LESSON
    lesson.write_text(text[: text.index("```predict")] + RIDDLES + "\nThe end.\n")
    out = asked(tmp_path, "\nThe bytes.\nIt adds.\n1\n\n1 2\n\n")
    order = (
        "Why?",
        "Noted. The answer comes in “Last”.",
        "How?",
        "Noted. Cell 1 tells.",
        "the cell 2",
        "By adding.",
        "The cell added.",
        "Section 3",
        "You were asked: Why?",
        "You said: The bytes.",
        "Because of the bytes.",
        "The end.",
    )
    places = [out.index(part) for part in order]
    assert places == sorted(places)
    assert out.count("Because of the bytes.") == out.count("By adding.") == 1
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        riddle = record.activity.last_answer("d01-riddle")
        assert (riddle.value, riddle.credit) == ({"text": "The bytes.", "points": [1, 2]}, 1.0)
        words = record.activity.last_answer("d01-words")
        assert (words.value, words.credit) == ({"text": "It adds.", "points": [1]}, 1.0)


def test_labels_change_and_the_record_keeps_what_was_meant(tmp_path):
    course = small_course.course(tmp_path / "course")
    question = (
        '[[question]]\nid = "d01-q"\nkind = "multi"\nprompt = "Which?"\nexplanation = "Because."\n'
        'options = { a = "red", b = "green", c = "blue", d = "grey" }\nanswer = ["a", "c"]\n'
        'feedback = { b = "No leaf.", d = "No fog." }\n'
    )
    (course / "quizzes" / "day-01.toml").write_text(small_course.QUIZ_HEAD + question)
    labels = set()
    for number in range(5):
        shown = shuffle_options(draw_variant(open_course(course).question("d01-q")), number)
        keys = {text: label for label, text in shown.options.items()}
        labels.add(keys["red"])
        out = asked(tmp_path, f"{keys['red']} {keys['green']}\n\n", command=("quiz", "1"))
        assert f"  {keys['red']}  red" in out
        assert "Wrong." in out
        assert f"Wrong: {keys['green']}. No leaf." in out
        with closing(open_record(tmp_path / "record.sqlite3")) as record:
            answer = record.activity.last_answer("d01-q")
            assert (answer.value, answer.credit) == (["a", "b"], 0.0)
    assert len(labels) > 1
    out = asked(tmp_path, "?\n", command=("quiz", "1"))
    assert "Noted." in out
    assert "Wrong." not in out
    assert "The answer:" in out


def test_a_quiz_and_a_review(home):
    assert not DRAWN.search(said(home, "quiz", "1", "--plain", answers="?\n" * 12))
    assert not DRAWN.search(said(home, "review", "--plain", answers="\n" * 8))
    assert "not answered: d01-descent" in said(home, "grade", "1", "/dev/null")
    for wrong, why in (("--phase", "there is no phase 9"), ("--topic", "no card has the tag '9'")):
        with pytest.raises(UsageError, match=why):
            ran(home, "review", wrong, "9", answers="")


def test_a_wrong_verdict_says_in_words_where_it_is_wrong(home):
    source = (ROOT / "kernels" / "vector_add" / "solution.py").read_text()
    file = home / "off.py"
    file.write_text(source.replace("return out", "out[..., :1] = 9\n    return out"))
    plain = said(home, "check", "vector_add", str(file), "--plain", "-v")
    assert not DRAWN.search(plain)
    assert "first wrong element" in plain
    assert "Where “" in said(home, "check", "vector_add", str(file))


def test_statistics_say_the_same_without_bars(home):
    drawn, plain = said(home, "stats"), said(home, "stats", "--plain")
    assert not DRAWN.search(plain)
    assert DRAWN.search(drawn)
    kept = re.compile(r"^(?:Cards|Exercises|Retention) .*$", re.MULTILINE)
    assert kept.findall(plain) == kept.findall(drawn) != []
    answers = json.loads(said(home, "stats", "--json"))["answers"]
    assert f"Answers     {sum(answers.values())} · quizzes {answers['quizzes']}" in plain


KERNELS = ROOT / "kernels"


def course_with_a_drill(home: Path) -> None:
    root = small_course.course(home / "course")
    (root / "kernels" / "tail").symlink_to(KERNELS / "tail")
    lesson_file = root / "lessons" / "day-01-one.md"
    lesson_file.write_text(small_course.LESSON.replace("> A note.\n", small_course.DRILL))


def drill_file(home: Path, program: str) -> None:
    path = home / "work" / "drills" / "d01-repair.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(program)


def test_a_drill_of_a_lesson_is_judged_from_a_file(tmp_path):
    course_with_a_drill(tmp_path)
    section = ("--section", "2")
    out = asked(tmp_path, "4\n4\n\n", *section)  # nothing is changed, and the input ends
    assert "Enter has it judged" in out
    assert "Nothing has changed yet" in out
    path = tmp_path / "work" / "drills" / "d01-repair.py"
    assert str(path) in out
    solution = (KERNELS / "tail" / "solution.py").read_text()
    path.write_text(solution.replace("x + 10", "x + 11"))
    out = asked(tmp_path, "\n\n", *section)
    assert "Wrong." in out
    assert "first wrong element [0]: got " in out
    assert "Lanes past the end" not in out  # it may be tried again
    path.write_text(solution)
    out = asked(tmp_path, "\n\n\n", *section)
    assert "Right." in out
    assert "Lanes past the end touch nothing." in out
    assert not path.exists()
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        last = record.activity.last_answer("d01-repair")
        assert (last.right, last.origin, last.value["cause"]) == (True, "retry", "")
        assert record.activity.times_answered("d01-repair") == 2
    out = asked(tmp_path, "\n\n", *section)
    assert "Answered before." in out


def test_a_drill_is_given_up_and_reviewed(tmp_path):
    course_with_a_drill(tmp_path)
    out = asked(tmp_path, "2\n\n?\n\n", "--section", "2")  # the prediction is right
    assert "What changes:\n    …\n" in out
    out = asked(tmp_path, ":q\n", command=("review", "--cram"))
    assert " to go" in out
    assert "asked before" not in out, "it asks more than what is due"
    assert "Nothing was reviewed." in out
    drill_file(tmp_path, (KERNELS / "tail" / "solution.py").read_text())
    out = asked(tmp_path, "\n\n\n", command=("review", "--cram", "--plain"))
    assert "Repair it." in out
    assert "Right on" in out
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        last = record.activity.last_answer("d01-repair")
        assert (last.right, last.origin) == (True, "cram")


def test_due_counts_the_day_that_the_settings_name(tmp_path, monkeypatch):
    monkeypatch.setenv("TUTOR_NOW", "2026-06-01T02:00+01:00")
    assert json.loads(said(tmp_path, "due", "--json"))["today"] == "2026-05-31"
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        record.settings.set("rollover_hour", 0)
    assert json.loads(said(tmp_path, "due", "--json"))["today"] == "2026-06-01"


def test_a_twist_is_judged_or_asked(tmp_path, monkeypatch):
    """A kernel that was written three months ago, again by the plain solution, as a starter has it."""
    root = small_course.course(tmp_path / "course")
    kernel = root / "kernels" / "add_ten"
    shutil.copytree(KERNELS / "add_ten", kernel)
    solution = (kernel / "solution.py").read_text("utf-8")
    (kernel / "starter.py").write_text(f"{solution}# again\n", "utf-8")
    monkeypatch.setenv("TUTOR_NOW", "2026-06-01T12:00+01:00")
    asked(tmp_path, "", command=("check", "add_ten", str(kernel / "solution.py")))
    monkeypatch.setattr(plain_review, "may_ask", lambda: True)  # as on a terminal
    monkeypatch.setenv("TUTOR_NOW", "2026-09-01T12:00+01:00")
    review = ("review", "--plain")
    out = asked(tmp_path, "\n2\n", command=review)
    assert "Right, but not by the twist: " in out
    assert "1 to 4: rate it yourself." in out
    assert "The verdict rates it" not in out
    exercise = kernel / "exercise.toml"
    text = exercise.read_text("utf-8").partition("[[promise]]\ntwist")[0]
    exercise.write_text(text, "utf-8")
    monkeypatch.setenv("TUTOR_NOW", "2027-09-01T12:00+01:00")
    out = asked(tmp_path, "\nmaybe\nn\n", command=review)
    assert "Did you do it this way?" in out
    assert "Say what yours does" not in out, "it is not remembered"
    assert "Type y or n." in out
    assert "Rated again." in out
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        rows = record.reviews.history(CardId("exercise", "add_ten"))
    assert [(row.origin, row.rating, row.undone) for row in rows[1:]] == [
        ("review", 2, False),
        ("attempt", 4, True),  # quick: as easy as it can be
        ("review", 1, False),
    ]
    monkeypatch.setenv("TUTOR_NOW", "2028-09-01T12:00+01:00")
    out = asked(tmp_path, ":q\n", command=review)
    assert "0 for the first time, 0 again, 1 asked before." in out
    assert "1 card is left for today." in out
    assert "Back on" not in out


def test_a_review_asks_about_a_right_program_on_a_terminal(tmp_path, monkeypatch):
    root = small_course.course(tmp_path / "course")
    kernel = root / "kernels" / "add_ten"
    shutil.copytree(KERNELS / "add_ten", kernel)
    solution = (kernel / "solution.py").read_text("utf-8")
    (kernel / "starter.py").write_text(f"{solution}# again\n", "utf-8")
    exercise = kernel / "exercise.toml"
    text = exercise.read_text("utf-8").partition("[[promise]]\ntwist")[0]
    exercise.write_text(text, "utf-8")
    monkeypatch.setenv("TUTOR_NOW", "2026-06-01T12:00+01:00")
    asked(tmp_path, "", command=("check", "add_ten", str(kernel / "solution.py"), "--no-ask"))
    for year, terminal in ((2027, False), (2028, True)):
        monkeypatch.setattr(plain_review, "may_ask", lambda terminal=terminal: terminal)
        monkeypatch.setenv("TUTOR_NOW", f"{year}-09-01T12:00+01:00")
        out = asked(tmp_path, "\ny\n:skip\n", command=("review", "--plain"))
        assert "Rated " in out
        assert ("Say what yours does. :skip leaves the questions out" in out) is terminal
