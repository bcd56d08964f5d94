"""The way a terminal shows pixels, asked of the terminal itself.

One message asks for Kitty's graphics and for the device attributes, which name Sixel. Every terminal
answers the second question, so the wait is one way there and back. Sources: the terminal graphics
protocol of Kitty 0.42, "Querying support and available transmission mediums"; DEC STD 070, primary
device attributes, parameter 4.
"""

import fcntl
import os
import re
import select
import struct
import sys
import termios
import time
import tty
from dataclasses import dataclass
from typing import Literal

_KITTY = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_ATTRIBUTES = b"\x1b[c"
_KITTY_ANSWER = re.compile(rb"\x1b_Gi=31;OK\x1b\\")
_ATTRIBUTES_ANSWER = re.compile(rb"\x1b\[\?([0-9;]*)c")
_SIXEL = b"4"
_MOST_BYTES = 4096
WAIT_SECONDS = 0.2  # for the answer of a terminal on a slow line


@dataclass(frozen=True)
class Graphics:
    """`cell`: width and height of a character in pixels, or None if the terminal does not say."""

    protocol: Literal["sixel", "kitty"]
    cell: tuple[int, int] | None


def ask_terminal(seconds: float = WAIT_SECONDS) -> Graphics | None:
    """Ask the terminal of this process; return None if it shows no pixels or does not answer in time.

    It must be called before anything else reads the terminal. Keys that were typed before are left
    for the application, and then nothing is asked.
    """
    if not (
        sys.__stdin__ and sys.__stdout__ and sys.__stdin__.isatty() and sys.__stdout__.isatty()
    ):
        return None
    reader, writer = sys.__stdin__.fileno(), sys.__stdout__.fileno()
    try:
        before = termios.tcgetattr(reader)
        tty.setcbreak(reader, termios.TCSANOW)
        try:
            if select.select([reader], [], [], 0)[0]:
                return None
            os.write(writer, _KITTY + _ATTRIBUTES)
            answer = _answer(reader, seconds)
        finally:
            termios.tcsetattr(reader, termios.TCSANOW, before)
        protocol = protocol_of(answer)
        return Graphics(protocol, _cell(writer)) if protocol else None
    except (OSError, termios.error):
        return None


def protocol_of(answer: bytes) -> Literal["sixel", "kitty"] | None:
    """Read the protocol from an answer. Sixel comes first: Konsole and WezTerm name both, and do not
    support the placeholders with which Kitty's images are put among text."""
    attributes = _ATTRIBUTES_ANSWER.search(answer)
    if attributes and _SIXEL in attributes[1].split(b";")[1:]:
        return "sixel"
    return "kitty" if _KITTY_ANSWER.search(answer) else None


def _answer(reader: int, seconds: float) -> bytes:
    """Read until the device attributes are there or time is up."""
    deadline = time.monotonic() + seconds
    answer = b""
    while not _ATTRIBUTES_ANSWER.search(answer) and len(answer) < _MOST_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            break
        answer += os.read(reader, 256) or b"\x1b[?c"  # the terminal is gone: stop
    return answer


def _cell(writer: int) -> tuple[int, int] | None:
    size = fcntl.ioctl(writer, termios.TIOCGWINSZ, b"\0" * 8)
    rows, columns, width, height = struct.unpack("HHHH", size)
    if not (rows and columns and width >= columns and height >= rows):
        return None
    return width // columns, height // rows
