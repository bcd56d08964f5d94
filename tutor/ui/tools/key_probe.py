"""`tutor doctor --keys`: show the bytes that this terminal sends for a key and the action of that key.

It is a separate program (`python -m tutor.ui.tools.key_probe`), because the doctor imports no Textual.

It asks the terminal for the same keyboard protocol as the application (Kitty's, if the terminal has
it: sw.kovidgoyal.net/kitty/keyboard-protocol) and reads the answers with the same parser.
"""

import os
import select
import sys
import termios
import tty
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.events import Key

from tutor.base.config import load_config
from tutor.ui.kit.keys.actions import ACTIONS, keys_of
from tutor.ui.kit.keys.keymap import read_keymap

_TOGETHER = 0.05  # seconds: bytes with a smaller distance belong to one key
_ENDS = ("q", "escape")  # either of them twice
_FLAGS = (
    linux_driver.KITTY_DISAMBIGUATE_ESCAPE_CODES
    | linux_driver.KITTY_REPORT_ALL_KEYS
    | linux_driver.KITTY_REPORT_ASSOCIATED_TEXT
)
_SHOWN = 4  # actions named for one key
_WIDTH = 80


def keys_in_use(keymap: Mapping[str, str]) -> dict[str, list[str]]:
    """Textual's key name -> the ids of the actions that have it."""
    ids: dict[str, list[str]] = {}
    for actions in ACTIONS.values():
        for action in actions:
            for key in keys_of(action, keymap).split(","):
                ids.setdefault(key, []).append(action.id)
    return ids


def probe_row(data: bytes, keys: list[str], used: Mapping[str, list[str]]) -> str:
    """A line with the bytes, the keys that Textual reads from them, and the actions of the keys."""
    sent = data.hex(" ") if len(data) <= 8 else f"{data[:7].hex(' ')} …"
    if not keys:
        return f"{sent:<24} no key"
    ids = [name for key in keys for name in used.get(key, ())]
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    whose = f"{', '.join(ids[:_SHOWN])}{more}" if ids else "no action has it"
    return f"{sent:<24} {' '.join(keys[:4]):<16} {whose}"


def main() -> None:
    """Print each key's bytes, name and actions until q or Esc is pressed twice."""
    keymap, faults = read_keymap(load_config())
    used = keys_in_use(keymap)
    tmux = "; inside tmux, which keeps its prefix key" if os.environ.get("TMUX") else ""
    before = ""
    with _raw(sys.stdin.fileno()):
        _say(
            "Press keys, one at a time. q twice or Esc twice ends.",
            f"TERM is {os.environ.get('TERM', 'not set')}{tmux}",
            *faults,
            f"{'bytes':<24} {'key':<16} actions that have it",
        )
        for data, keys in _presses(sys.stdin.fileno()):
            for line in _wrap_line(probe_row(data, keys, used)):
                _say(line)
            key = keys[-1] if keys else ""
            if key in _ENDS and (key == before or keys[-2:] == [key, key]):
                break
            before = key


def _presses(fileno: int) -> Iterator[tuple[bytes, list[str]]]:
    """Yield the bytes and Textual's key names of each press until the terminal closes."""
    parser, decode = XTermParser(), getincrementaldecoder("utf-8")("replace").decode
    while True:
        data = os.read(fileno, 4096)
        if not data:
            return
        while select.select([fileno], [], [], _TOGETHER)[0]:
            more = os.read(fileno, 4096)
            if not more:
                break
            data += more
        events = list(parser.feed(decode(data)))
        if not events:  # an escape alone: the parser waits whether more follows
            select.select([], [], [], 2 * _TOGETHER)
            events = list(parser.tick())
        yield data, [event.key for event in events if isinstance(event, Key)]


@contextmanager
def _raw(fileno: int) -> Iterator[None]:
    """Put the terminal into the mode of the application, and always restore it afterwards."""
    before = termios.tcgetattr(fileno)
    try:
        tty.setraw(fileno, termios.TCSANOW)  # what was typed meanwhile is read
        _write(f"\x1b[>{_FLAGS}u")
        yield
    finally:
        _write("\x1b[<u")
        termios.tcsetattr(fileno, termios.TCSAFLUSH, before)


def _wrap_line(line: str) -> Iterator[str]:
    import textwrap

    yield from textwrap.wrap(line, _WIDTH, subsequent_indent=" " * 42, drop_whitespace=True) or [""]


def _say(*lines: str) -> None:
    _write("".join(f"{line}\r\n" for line in lines))


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
