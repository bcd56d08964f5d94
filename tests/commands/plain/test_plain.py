"""What a screen reader is given: words and numbers, no boxes, bars or spinners, and the same store."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import small_course
from click.testing import CliRunner, Result

from tutor import cli
from tutor.base import paths
from tutor.commands import judge
from tutor.commands.plain import lesson, review
from tutor.judge import computed_answers
from tutor.judge.client import Judge
from tutor.memory import open_record

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]

DRAWN = re.compile(r"[\u2500-\u259f\u2800-\u28ff\x1b]")  # boxes, blocks, Braille, escapes


class LentJudge(Judge):
    """It goes on when a command is done with it."""

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module", autouse=True)
def one_judge() -> Iterator[None]:
    """All commands here ask the same server, which loads torch once."""
    lent = LentJudge(paths.course_root())
    with pytest.MonkeyPatch.context() as patch:
        for module in (judge, lesson, review, computed_answers):
            patch.setattr(module, "Judge", lambda *_: lent)
        yield
    lent.close()


def ran(home: Path, *args: str, answers: str) -> Result:
    """A command in this process, with its data in `home`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUTOR_HOME", str(home))
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
    wrong = ROOT / "kernels" / "row_sum" / "wrong"
    said(folder, "check", "row_sum", str(sorted(wrong.glob("*.py"))[0]), "--plain")
    said(folder, "check", "row_sum", str(ROOT / "kernels" / "row_sum" / "solution.py"), "--plain")
    said(folder, "quiz", "22", "--plain", answers="?\n" * 12)
    return folder


@pytest.mark.parametrize("day", ["1", "14", "15", "22", "25", "28"])
def test_a_lesson(home, day):
    assert not DRAWN.search(said(home, "lesson", day, "--plain"))


def asked(home: Path, answers: str, *options: str) -> str:
    """What a lesson that waits for the learner prints, of a course with one small day."""
    course = home / "course"
    if not course.exists():
        small_course.course(course)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "course_root", lambda: course)
        done = ran(home, "lesson", "1", "--ask", *options, answers=answers)
    assert done.return_value in (None, 0), done.output
    return done.stdout


def test_a_lesson_that_asks_runs_its_cells_and_keeps_what_was_read(tmp_path):
    out = asked(tmp_path, "\n7\n4\n")  # the input ends before the second section is read
    assert not DRAWN.search(out)
    order = ("total = 1 + 1", "How much?", "Cell 1 printed:\n    2\n", "Not right.", "Stopped.")
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


def test_a_quiz_and_a_review(home):
    assert not DRAWN.search(said(home, "quiz", "1", "--plain", answers="?\n" * 12))
    assert not DRAWN.search(said(home, "review", "--plain", answers="\n" * 8))


def test_a_wrong_verdict_says_in_words_where_it_is_wrong(home):
    source = (ROOT / "kernels" / "vector_add" / "solution.py").read_text()
    file = home / "off.py"
    file.write_text(source.replace("return out", "out[..., :1] = 9\n    return out"))
    plain = said(home, "check", "vector_add", str(file), "--plain")
    assert not DRAWN.search(plain)
    assert "first wrong element" in plain
    assert "Where “" in said(home, "check", "vector_add", str(file))


def test_statistics_say_the_same_without_bars(home):
    drawn, plain = said(home, "stats"), said(home, "stats", "--plain")
    assert not DRAWN.search(plain)
    assert DRAWN.search(drawn)
    kept = re.compile(r"^(?:Cards|Kernels|Retention) .*$", re.MULTILINE)
    assert kept.findall(plain) == kept.findall(drawn) != []
    reviews = json.loads(said(home, "stats", "--json"))["reviews"]
    assert f"Reviews     {reviews} in all" in plain
