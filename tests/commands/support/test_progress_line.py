"""What a command says while it works, on a real terminal; and ctrl+c there."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from ptyterm import Terminal

from tests.bench.due_queue import fill
from tutor.commands.support.progress_line import interruptible
from tutor.memory.record import open_record
from tutor.memory.store.row_ids import all_rows, to_portable, uid_of

CARDS, REVIEWS = 3_000, 60_000  # a second's work and more for each command below


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a large record, which no test changes."""
    home = tmp_path_factory.mktemp("large")
    fill(home / "record.sqlite3", CARDS, REVIEWS)
    open_record(home / "record.sqlite3").close()  # the cards are computed here
    return home


@contextmanager
def running(home: Path, *arguments: str) -> Iterator[Terminal]:
    terminal = Terminal(100, 24, home, *arguments)
    try:
        yield terminal
    finally:
        terminal.close()


def seen(terminal: Terminal) -> list[str]:
    """The lines on the screen, but for what opening said of the clock."""
    lines = [line.rstrip() for line in terminal.screen.display if line.strip()]
    text = re.sub(r"tutor: The clock says .*?come late\.\n?", "", "\n".join(lines), flags=re.DOTALL)
    return text.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "anki"])
def test_an_export_says_how_far_it_is_and_the_line_goes(large: Path, form: str) -> None:
    target = large / f"whole.{form}"
    with running(large, "export", form, str(target)) as terminal:
        terminal.until("exporting, " if form == "jsonl" else "making cards")
        assert " s: " in terminal.seen()
        assert terminal.ended(120) == 0
        (line,) = (line for line in "".join(seen(terminal)).split("\n") if line)
        assert line.startswith(f"{target}: ")
        assert "…" not in terminal.seen()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "at", "holds"),
    [
        (("export", "jsonl", "{home}/out"), "exporting, ", "{home}/out was not written"),
        (("export", "anki", "{home}/out"), "making cards", "{home}/out was not written"),
        (("fit",), "fitting to your reviews", "the schedule is as it was"),
        (("doctor",), "importing torch", ""),
        (("content", "check"), "reading every file", "the rest is not proven"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_ctrl_c_is_one_sentence_and_leaves_nothing(
    large: Path, arguments: tuple[str, ...], at: str, holds: str
) -> None:
    before = sorted(path.name for path in large.iterdir())
    told = [argument.format(home=large) for argument in arguments]
    with running(large, *told) as terminal:
        terminal.until(f" s: {at}")
        terminal.press("\x03")
        assert terminal.ended(20) == 130
        said = "tutor: stopped" + (f"; {holds.format(home=large)}" if holds else "")
        assert said in "".join(seen(terminal))
        assert "^C" not in terminal.seen()
        assert "Traceback" not in terminal.seen()
    after = sorted(path.name for path in large.iterdir())
    assert [n for n in after if not n.startswith(("record", "backups", "cache"))] == [
        n for n in before if not n.startswith(("record", "backups", "cache"))
    ]


def test_ctrl_c_within_text_that_python_executes_has_the_same_status(tmp_path: Path) -> None:
    """A dataclass is made by `exec`; without a cure, `python -m` ends by SIGINT after it."""
    (tmp_path / "interrupted.py").write_text(
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # in a job it is ignored\n"
        "from tutor import __main__, cli\n"
        "stop = 'os.kill(os.getpid(), signal.SIGINT)\\nfor _ in range(1000): pass'\n"
        "cli.run = lambda: exec(stop, {'os': os, 'signal': signal})\n"
        "__main__.main()\n"
    )
    command = [sys.executable, "-m", "interrupted", "due"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "tutor: stopped\n")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export that takes seconds to read."""
    path = tmp_path_factory.mktemp("other") / "record.sqlite3"
    fill(path, CARDS, 10 * CARDS)
    with closing(sqlite3.connect(path)) as db:
        for row in list(all_rows(db, "card_events")):  # the uids that `fill` drew prove nothing
            uid = uid_of("card_events", to_portable(db, "card_events", row))
            db.execute("UPDATE card_events SET uid = ? WHERE id = ?", (uid, row["id"]))
        db.commit()
    with closing(open_record(path)) as record:
        record.export(path.with_name("lines"))
    return path.with_name("lines")


@pytest.mark.slow
@pytest.mark.parametrize("at", ["importing, ", "computing the cards anew"])
def test_an_import_that_is_stopped_leaves_the_record_as_it_was(
    tmp_path: Path, lines: Path, at: str
) -> None:
    with running(tmp_path, "import", str(lines)) as terminal:
        terminal.until(at, 120)
        terminal.press("\x03")
        assert terminal.ended(20) == 130
        assert "stopped; nothing was imported" in terminal.seen()
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert record.is_empty()


def test_a_short_command_says_nothing_of_itself(tmp_path: Path) -> None:
    with running(tmp_path, "due") as terminal:
        assert terminal.ended(30) == 0
        assert seen(terminal) == ["Nothing is due today."]


def test_work_that_fails_in_its_thread_fails_where_it_was_asked_for() -> None:
    def fail() -> None:
        raise ValueError("so")

    with pytest.raises(ValueError, match="so"):
        interruptible(fail)
    assert interruptible(lambda: 3) == 3
