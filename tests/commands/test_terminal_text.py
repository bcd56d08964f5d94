"""Control codes in text of strangers do not reach the terminal, from stdout or stderr."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tutor.base.terminal_text import CleanStream, escape_controls, send_control

EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[8m\u202e\u200f\u061c\u2028\x9b\rx"
ESCAPED = r"\u001b]52;c;ZXZpbA==\u0007\u001b[8m\u202e\u200f\u061c\u2028\u009b\u000dx"


@pytest.mark.parametrize(
    ("arguments", "status", "stream"),
    [
        (["start", "vector_add", "--dir", EVIL], 0, "stdout"),
        (["check", "vector_add", EVIL], 2, "stderr"),
    ],
)
def test_a_file_name_is_no_command_to_the_terminal(
    tmp_path: Path, arguments: list[str], status: int, stream: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tutor", *arguments],
        env={**os.environ, "TUTOR_HOME": str(tmp_path), "PYTHONSAFEPATH": "1"},
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == status, done.stderr
    assert r"\u001b]52;c;ZXZpbA==\u0007" in getattr(done, stream).decode()
    assert b"\x1b" not in done.stdout + done.stderr


def test_a_stream_keeps_the_programs_own_colours_and_commands() -> None:
    kept = io.BytesIO()
    stream = CleanStream(kept, encoding="utf-8")
    click.echo(click.style("Right", fg="green", bold=True) + EVIL, file=stream, color=True)
    send_control(stream, "\x1b[2J")
    stream.flush()
    assert kept.getvalue().decode() == f"\x1b[32m\x1b[1mRight\x1b[0m{ESCAPED}\n\x1b[2J"


def test_an_escaped_text_is_the_same_in_json() -> None:
    assert json.loads(escape_controls(json.dumps({"a": EVIL}, ensure_ascii=False))) == {"a": EVIL}
