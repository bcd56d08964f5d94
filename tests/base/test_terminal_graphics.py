"""The question for pixels, put to a real pseudo-terminal that answers as terminals do."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

from tutor.base.terminal_graphics import protocol_of

ASK = (
    "from tutor.base.terminal_graphics import ask_terminal; "
    "print(repr(ask_terminal({wait})), flush=True)"
)
ATTRIBUTES, KITTY = b"\x1b[c", b"\x1b_Gi=31,"


def said(program: str, answers: dict[bytes, bytes], typed: bytes = b"") -> str:
    """What `program` prints on a terminal that gives these answers; `typed` is there before it runs."""
    master, slave = pty.openpty()
    os.write(master, typed)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    output, open_questions = b"", dict(answers)
    end = time.monotonic() + 60
    try:
        while time.monotonic() < end:
            if not select.select([master], [], [], 0.05)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                output += os.read(master, 65536)
            except OSError:  # Linux: the other side is closed
                break
            for question in [each for each in open_questions if each in output]:
                os.write(master, open_questions.pop(question))
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return output.decode()


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({ATTRIBUTES: b"\x1b[?62;4;22c"}, "Graphics(protocol='sixel', cell=None)"),
        ({KITTY: b"\x1b_Gi=31;OK\x1b\\", ATTRIBUTES: b"\x1b[?62c"}, "Graphics(protocol='kitty'"),
        ({KITTY: b"\x1b_Gi=31;OK\x1b\\", ATTRIBUTES: b"\x1b[?62;4c"}, "protocol='sixel'"),
        ({ATTRIBUTES: b"\x1b[?1;2c"}, "None"),
        ({}, "None"),
    ],
)
def test_the_terminal_says_what_it_shows(answers: dict[bytes, bytes], expected: str) -> None:
    wait = 10 if answers else 0.1
    assert expected in said(ASK.format(wait=wait), answers).split("\n")[-2]


def test_keys_that_were_typed_before_are_left_for_the_application() -> None:
    program = ASK.format(wait=10) + "; print(input(), flush=True)"
    output = said(program, {ATTRIBUTES: b"\x1b[?62;4c"}, typed=b"abc\n")
    assert "None" in output
    assert output.rstrip().endswith("abc")
    assert "\x1b[c" not in output


def test_a_pipe_is_not_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(wait=10)], stdin=subprocess.DEVNULL, capture_output=True
    )
    assert done.stdout == b"None\n"


@pytest.mark.parametrize(
    ("answer", "protocol"),
    [
        (b"", None),
        (b"\x1b[?4c", None),  # the first number is the class of the terminal
        (b"\x1b[?64;14;40c", None),
        (b"junk\x1b[?62;1;4c", "sixel"),
        (b"\x1b_Gi=31;EINVAL\x1b\\\x1b[?62c", None),
    ],
)
def test_an_answer_is_read_by_its_numbers(answer: bytes, protocol: str | None) -> None:
    assert protocol_of(answer) == protocol


def test_the_question_imports_no_library_for_pictures() -> None:
    pytest.importorskip("textual_image")
    program = (
        "import sys\n"
        "from tutor.ui.kit.widgets import pictures\n"
        "pictures.prepare()\n"
        "print(pictures._graphics, [m for m in ('numpy', 'PIL') if m in sys.modules], flush=True)"
    )
    last = said(program, {ATTRIBUTES: b"\x1b[?62;4;22c"}).split("\n")[-2]
    assert last.strip().endswith("Graphics(protocol='sixel', cell=None) []")


def test_the_first_picture_asks_nothing_of_the_terminal() -> None:
    """The application reads the terminal then."""
    pytest.importorskip("textual_image")
    program = (
        "import os; before = dict(os.environ)\n"
        "from tutor.ui.kit.widgets import pictures\n"
        "from tutor.base.terminal_graphics import Graphics\n"
        "widget = pictures._pixel_widget(Graphics('sixel', (9, 18)))\n"
        "from textual_image._terminal import get_cell_size\n"
        "print(widget.__module__, tuple(get_cell_size()), os.environ == before, flush=True)"
    )
    assert said(program, {}).strip() == "textual_image.widget.sixel (9, 18) True"
