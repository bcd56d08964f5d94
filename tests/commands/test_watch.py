"""`tutor watch` on a real terminal, and what commands do on terminals that lack something."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from course_answers import wrong_program
from ptyterm import Terminal

from tutor.commands import watch
from tutor.commands.course import _table
from tutor.commands.support.console import paint_line, prose, wrap_line
from tutor.course.catalog.course import open_course
from tutor.judge.reports.cause_texts import LOOK_AT
from tutor.memory.record import open_record

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
WRONG = wrong_program("vector_add", "grid_rounded_down")
KEYS = "h hint · l list · n next · q quit"


@contextmanager
def running(
    home: Path, *arguments: str, columns: int = 80, rows: int = 24, **environment: str
) -> Iterator[Terminal]:
    terminal = Terminal(columns, rows, home, *arguments, **environment)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.mark.slow
def test_watch_has_the_verdict_first_and_a_key_for_each_thing(  # noqa: PLR0915 (one page)
    tmp_path: Path,
) -> None:
    exercises = open_course().overview().exercises
    (day,) = (each.day for each in exercises if each.slug == "vector_add")
    slugs = [each.slug for each in exercises if each.day == day]
    of_day, following = len(slugs), next(slug for slug in slugs if slug != "vector_add")
    file = tmp_path / "work" / "vector_add.py"
    file.parent.mkdir()
    file.write_text(WRONG, "utf-8")
    with running(tmp_path, "watch", "vector_add", "--no-timing") as terminal:
        seen = terminal.until(KEYS, 120)
        assert seen.startswith("✗ Part of the output is never written. 2 of 19 cases are right")
        assert "✗ 12 cases, such as “one past the block”: partly wrong" in seen
        assert f"0 of {of_day} right" in seen
        assert "Where “" not in seen  # the picture needs a taller window
        if "makes all cases right" not in seen:  # it is sought after the verdict is shown
            terminal.until("makes all cases right", 60)
        terminal.settle(1.5)  # the last of it has come
        terminal.press("s")
        assert terminal.until("opens once yours is right").startswith("The solution opens")
        terminal.press("h")
        seen = terminal.until("Hint 1 of ")
        assert seen.startswith("Line ")  # the kind of change that makes all cases right
        assert "Part of the output" not in seen
        terminal.press("h")
        terminal.until("Hint 2 of ")
        terminal.press_after_a_stop("l")
        terminal.until(f"Day {day}: 0 of {of_day} right")
        terminal.until("· vector_add  Vector addition  (here)")
        shutil.copy(KERNELS / "vector_add" / "solution.py", file)
        seen = terminal.until("s solution", 120)
        assert seen.startswith("✓ Right on 19 cases (")
        assert "Say what yours does: tutor check vector_add --ask" in seen, (
            "the page itself asks nothing"
        )
        assert f"1 of {of_day} right" in seen
        terminal.press("n")
        terminal.until("✗ Not written yet (", 120)
        seen = terminal.until("q quit")
        assert f"/work/{following}.py" in seen.replace("\n", "")  # a long path is wrapped
        terminal.press("q")
        assert terminal.ended() == 0
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert record.activity.passed_exercises() == {"vector_add"}
        assert len(record.activity.attempts("vector_add")) == 2


@pytest.mark.slow
def test_watch_takes_keys_while_it_judges(tmp_path: Path) -> None:
    file = tmp_path / "work" / "vector_add.py"
    file.parent.mkdir()
    source = (KERNELS / "vector_add" / "solution.py").read_text("utf-8")
    file.write_text(f"import time\ntime.sleep(60)\n{source}", "utf-8")
    with running(tmp_path, "watch", "vector_add", "--no-timing") as terminal:
        terminal.until("judging", 60)
        terminal.press("l")
        terminal.until("· vector_add  Vector addition  (here)", 20)
        terminal.press("q")
        assert terminal.ended() == 0
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert not record.activity.attempts("vector_add")


@pytest.mark.slow
def test_ctrl_c_ends_watch_and_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with running(tmp_path, "watch", "vector_add", "--no-timing", NO_COLOR="") as terminal:
        terminal.until(KEYS, 120)
        first = terminal.screen.buffer[0][0]
        assert (first.data, first.fg, first.bold) == ("✗", "red", True)
        terminal.press("\x03")
        assert terminal.ended() == 130
        assert "^C" not in terminal.seen()
        assert "tutor: stopped" in terminal.seen()


def test_watch_names_the_size_that_it_needs(tmp_path: Path) -> None:
    with running(tmp_path, "watch", "vector_add", columns=80, rows=8) as terminal:
        assert terminal.ended() == 3
        seen = "".join(terminal.screen.display)
    assert "has 80 columns and 8 rows, and watch needs 40 and 10" in seen
    assert "--plain" in seen


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"TERM": "dumb"}, "set TERM to what your terminal is"),
        ({"PYTHONIOENCODING": "ascii"}, "start it with LC_ALL=C.UTF-8"),
    ],
)
def test_a_terminal_without_screens_has_one_sentence_with_the_way_out(
    tmp_path: Path, environment: dict[str, str], says: str
) -> None:
    with running(tmp_path, columns=200, **environment) as terminal:
        assert terminal.ended() == 3
        lines = [line.rstrip() for line in terminal.screen.display if line.strip()]
    assert len(lines) == 1
    assert says in lines[0]
    assert "`tutor lesson DAY --plain`" in lines[0]


def test_an_encoding_without_the_signs_has_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "lesson", "1", "--plain"],
        capture_output=True,
        text=True,
        env={**os.environ, "TUTOR_HOME": str(tmp_path), "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 3
    assert done.stderr.startswith("tutor: the encoding latin-1 lacks ")
    assert done.stderr.endswith(": start it with LC_ALL=C.UTF-8\n")


@pytest.mark.slow
def test_a_quiz_wraps_at_words_and_renders_its_markdown(tmp_path: Path) -> None:
    with running(tmp_path, "quiz", "22", columns=60, rows=400, NO_COLOR="") as terminal:
        for number in range(2, 14):
            terminal.press("?\n")
            terminal.until(f"{number} of 13")
        terminal.press("?\n")
        assert terminal.ended() == 0
        rows = [row.rstrip() for row in terminal.screen.display]
    assert not [row for row in rows if "**" in row or "`" in row]
    text = " ".join(" ".join(rows).split())  # a word that the terminal broke is two words here
    quiz = open_course().quiz(22)
    assert quiz is not None
    explained = [" ".join(prose(q.explanation)).replace("`", "") for q in quiz.questions]
    assert sum(words in text for words in explained) >= 10  # some are variants with other numbers
    colours = {cell.fg for row in terminal.screen.buffer.values() for cell in row.values()}
    assert "cyan" in colours  # code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("list",), ("CUDA Programming Basics", "1 exercise")),
        (("search", "masked"), ("Day 22", "mask")),
        (("stats",), ("nothing was asked a second time yet",)),
        (("access", "vector_add"), ("programs move", "never touched")),
    ],
)
def test_output_wraps_at_words(
    tmp_path: Path, command: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """In 50 columns: a word that the terminal had to break would be two that are not in a pipe."""
    (tmp_path / "work").mkdir()
    shutil.copy(KERNELS / "vector_add" / "solution.py", tmp_path / "work" / "vector_add.py")
    with running(tmp_path, *command, columns=50, rows=900) as terminal:
        assert terminal.ended(120) == 0
        rows = [row.rstrip() for row in terminal.screen.display]
    seen = " ".join(" ".join(rows).split())
    for each in words:
        assert each in seen
    piped = subprocess.run(
        [sys.executable, "-m", "tutor", *command],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TUTOR_HOME": str(tmp_path)},
    )
    drawn = set("LSBlsb·░!0123456789.…")  # rows of a drawing fit the terminal
    assert not {word for word in set(seen.split()) - set(piped.stdout.split()) if set(word) - drawn}


def test_prose_wraps_at_words_and_code_keeps_its_lines() -> None:
    line = "  also: " + "word " * 30
    assert {len(row) > 40 for row in wrap_line(line, 40).split("\n")} == {False}
    assert all(row.startswith("  word") for row in wrap_line(line, 40).split("\n")[1:])
    option = wrap_line("  a  " + "word " * 20, 40).split("\n")
    assert all(row.startswith("     word") for row in option[1:])
    row = wrap_line("WARN  terminal: " + "word " * 20, 40).split("\n")  # of `doctor`
    assert all(rest.startswith("      word") for rest in row[1:])
    code = "      9 | " + "word " * 30
    assert wrap_line(code, 40) == code


def test_a_day_of_the_list_wraps_at_a_comma() -> None:
    overview = open_course().overview()
    projects = {project.name: False for project in overview.projects}
    rows = [wrap_line(row, 80).split("\n") for row in _table(overview, projects, frozenset())]
    assert any(len(row) > 1 for row in rows)
    for row in rows:
        assert all(line.endswith(",") for line in row[:-1]), row


def test_code_is_coloured_also_where_it_was_wrapped() -> None:
    assert paint_line("use `tl.load` here") == "use \x1b[36mtl.load\x1b[0m here"
    assert "`" not in paint_line("see `tl.load(x,\n  mask)` here")
    assert paint_line("✗ Wrong.") == "\x1b[31m\x1b[1m✗ Wrong.\x1b[0m"


def test_advice_names_commands_in_place_of_the_labs_pages() -> None:
    told = [watch._without_lab(advice) for advice in LOOK_AT.values()]
    assert [text for text in told if "{" in text or "scratch cells" in text] == []
    assert any("`tutor xray`" in text for text in told)
