"""Text from outside (the learner's code and output, tracebacks, a compiler's messages) made safe for
a screen: without control codes that a terminal would obey, and of a limited size.

Textual drops only five control codes from what it draws; an ESC or a NUL would reach the terminal.
"""

import re

from tutor.base.terminal_text import CONTROLS, TURNS

# C0 and DEL as the pictures Unicode has for them, the others as the replacement character; tabs and
# line ends stay.
_PICTURES = {code: 0x2400 + code if code < 32 else 0xFFFD for code in (*CONTROLS, *TURNS)}
_PICTURES[127] = 0x2421
# Lone surrogates cannot be written to a terminal.
_SURROGATE = re.compile("[\ud800-\udfff]")
_MANY = 1000  # characters left out of a line, from which their number is said
_ANSI = re.compile(r"\x1b\[[0-9;:?]{0,40}[@-~]")


def make_visible(line: str) -> str:
    """`line` with each control code replaced by one printable character: its length is the same."""
    return _SURROGATE.sub("\ufffd", line.translate(_PICTURES))


def limit_text(text: str, *, lines: int = 200, columns: int = 400) -> str:
    """At most `lines` lines of at most `columns` characters, and notes on the rest. A longer line ends
    between two words.

    Colours (ANSI sequences) are dropped, other control codes made visible.
    """
    # Cut before any pattern is matched, because a line may have 10 MB.
    room = lines * (columns + 1) * 2
    left_out = len(text) - room
    rows = _ANSI.sub("", text[:room].replace("\r\n", "\n")).split("\n")
    kept = [
        make_visible(row) if len(row) <= columns else _cut_row(row, columns) for row in rows[:lines]
    ]
    if len(rows) > lines:
        kept.append(f"… {len(rows) - lines} more lines")
    if left_out > 0:
        kept.append(f"… {left_out} more characters")
    return "\n".join(kept)


def _cut_row(row: str, columns: int) -> str:
    """The beginning of a row, with the number of the other characters if they are many."""
    head = row[:columns]
    last = head.rfind(" ")
    if row[columns] != " " and last > columns // 2:
        head = head[:last]
    left_out = len(row) - len(head)
    note = f" (+{left_out} characters)" if left_out >= _MANY else ""
    return f"{make_visible(head.rstrip())}…{note}"
