"""The terminal of this process: whether it takes colours, and why screens cannot be drawn on it."""

import os
import sys
from typing import TextIO

_INSTEAD = "or read with `tutor lesson DAY --plain`"


def is_terminal(stream: TextIO | None) -> bool:
    """Return True for a terminal; a closed stream of this process is None."""
    return stream is not None and stream.isatty()


def may_colour() -> bool:
    """Return False if the environment forbids colours."""
    return not os.environ.get("NO_COLOR") and not is_dumb()


def is_dumb() -> bool:
    """Return True if the terminal can neither clear its screen nor move its cursor."""
    return os.environ.get("TERM") == "dumb"


def trouble() -> str:
    """Return why screens cannot be drawn, with the way out; "" if they can."""
    if is_dumb():
        return (
            "TERM=dumb draws no screens: set TERM to what your terminal is, such as xterm-256color, "
            f"{_INSTEAD}"
        )
    encoding = sys.stdout.encoding or "unknown"
    if encoding.lower().replace("-", "") != "utf8":
        return f"the encoding is {encoding}, and screens need UTF-8: {utf8_locale()}, {_INSTEAD}"
    return ""


def utf8_locale() -> str:
    """Return the advice for an encoding that lacks a character, to end a sentence with."""
    return "start it with LC_ALL=C.UTF-8"
