"""A soak outside the suite: which commands send a stranger's control codes to a terminal or a pipe.

    python tests/commands/escapes.py

The stranger is a learner's file (what it prints, raises, and its source), a file's name, a class's
folder and an imported record. Exits with 1 if one code got through.
"""

import os
import pty
import select
import shlex
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record
from tutor.memory.store.rows import CardId

CODES = {
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "title": "\x1b]0;pwn\x07",
    "conceal": "\x1b[8m",
    "turned text": "\u202e",
}
EVIL = "".join(CODES.values())
CHECK = "check vector_add {file} --no-timing"
CALLS = {
    "check, printed": CHECK.format(file="prints.py"),
    "check, error": CHECK.format(file="raises.py"),
    "check -v, error": CHECK.format(file="raises.py") + " -v",
    "check, source": CHECK.format(file="source.py"),
    "check --plain": CHECK.format(file="raises.py") + " --plain",
    "check --format gcc": CHECK.format(file="raises.py") + " --format gcc",
    "check --json": CHECK.format(file="raises.py") + " --json",
    "watch": "watch vector_add raises.py --no-timing",
    "watch --plain": "watch vector_add raises.py --no-timing --plain",
    "access": "access vector_add raises.py",
    "xray, printed": "xray x.py::prints --input f32[8] --stage forward",
    "xray, error": "xray x.py::raises --input f32[8] --stage forward",
    "xray, source": "xray x.py::plain --input f32[8] --stage source",
    "grade-all": "grade-all class",
    "a file's name": CHECK.format(file=shlex.quote(f"no{EVIL}.py")),
    "import": "import format.jsonl",
    "search, a note": "search remember",
    "report": "report 21",
    "stats": "stats",
}
SECONDS = 60.0
WATCHED = 20.0  # seconds until a watching command is ended


def make_files(folder: Path) -> None:
    right = open_course().exercise("vector_add").solution.read_text("utf-8")
    entry = "\n\ndef add(x, y):\n"
    (folder / "prints.py").write_text(f"print({EVIL!r})\n{right}")
    (folder / "raises.py").write_text(f"{right}{entry}    raise ValueError({EVIL!r})\n")
    (folder / "source.py").write_text(f"{right}{entry}    return x + '{EVIL}'\n")
    (folder / "x.py").write_text(
        f"def prints(x):\n    print({EVIL!r})\n    return x + 1\n\n\ndef raises(x):\n"
        f"    raise ValueError({EVIL!r})\n\n\ndef plain(x):\n    return x + 1  # {EVIL}\n"
    )
    for name, file in (("ada", "prints"), ("bob", "raises"), (f"eve{EVIL}", "source")):
        learner = folder / "class" / name.replace("/", "")
        learner.mkdir(parents=True)
        (learner / "vector_add.py").write_text((folder / f"{file}.py").read_text())
    (folder / "format.jsonl").write_text(
        '{"tutor":"record","format":"' + EVIL.encode("unicode_escape").decode() + '"}\n'
    )


def fill_record(home: Path) -> None:
    with closing(open_record(home / "record.sqlite3")) as record:
        card = CardId("term", "warp")
        record.course_items.enter([card])
        record.reviews.note(card, f"remember {EVIL}")
        record.checkpoints.add_reflection(14, "prompt", f"remember {EVIL}", 9)


def on_a_terminal(words: list[str], seconds: float) -> bytes:
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(words[0], words)
    said, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.5)[0]:
            try:
                part = os.read(fd, 1 << 16)
            except OSError:
                break
            if not part:
                break
            said += part
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(fd)
    return said


def in_a_pipe(words: list[str]) -> bytes:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return done.stdout + done.stderr


def main() -> int:
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        folder, home = Path(place, "files"), Path(place, "home")
        folder.mkdir()
        home.mkdir()
        make_files(folder)
        fill_record(home)
        os.environ |= {"TUTOR_HOME": str(home), "TERM": "xterm-256color", "PYTHONSAFEPATH": "1"}
        os.chdir(folder)
        tutor = [sys.executable, "-m", "tutor"]
        for name, call in CALLS.items():
            words, watches = [*tutor, *shlex.split(call)], name.startswith("watch")
            said = {"terminal": on_a_terminal(words, WATCHED if watches else SECONDS)}
            if not watches:
                said["pipe"] = in_a_pipe(words)
            for where, text in said.items():
                through = [code for code, raw in CODES.items() if raw.encode() in text]
                bad += bool(through)
                print(f"{'BAD' if through else 'ok ':3} {name}, {where}: {through}", flush=True)
        in_a_pipe([*tutor, "judge", "stop", "--now"])
    print(f"{bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
