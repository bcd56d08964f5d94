"""The output of a cell: bounded before it is kept, made fit for a screen when shown."""

import re

from tutor.ui.kit.text.safe_text import make_visible

# Terminal sequences: CSI (colours, cursor), OSC (titles, links), and a lone ESC with what it takes.
_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?")

OUTPUT_LINES = 200
OUTPUT_CHARACTERS = 1 << 20
LINE_LIMIT = 2_000  # characters of one line that are shown


def clean_line(line: str) -> str:
    """The line as a terminal would leave it, at most `LINE_LIMIT` characters of it.

    Of a line rewritten with carriage returns (a progress bar) the last version is kept.
    """
    near = line.rstrip("\r")
    near = near[-4 * LINE_LIMIT :].rsplit("\r", 1)[-1] if "\r" in near else near[: 4 * LINE_LIMIT]
    text = make_visible(_SEQUENCE.sub("", near).expandtabs(8))
    if len(text) <= LINE_LIMIT and len(near) < 4 * LINE_LIMIT:
        return text
    return f"{text[:LINE_LIMIT]}… ({len(line):,} characters)"


class Output:
    """The first lines are kept, the rest is counted: a cell can print without end."""

    def __init__(self, lines: int = OUTPUT_LINES, characters: int = OUTPUT_CHARACTERS) -> None:
        self._lines, self._room = lines, characters
        self._kept: list[str] = []
        self._kept_breaks = 0
        self._left_out = 0
        self._left_out_breaks = 0

    def add(self, text: str) -> None:
        """Take the next piece. It may begin and end in the middle of a line."""
        head = text[: self._room]
        breaks_left = self._lines - self._kept_breaks
        if head.count("\n") >= breaks_left:
            rows = head.split("\n", breaks_left)[:breaks_left]
            head = "".join(f"{row}\n" for row in rows)
        if head:
            self._kept.append(head)
            self._room -= len(head)
            self._kept_breaks += head.count("\n")
        self._left_out += len(text) - len(head)
        self._left_out_breaks += text.count("\n", len(head))

    def text(self) -> str:
        """The kept lines, then one that counts what is not shown."""
        body = "\n".join(clean_line(line) for line in "".join(self._kept).split("\n")).rstrip("\n")
        if not self._left_out:
            return body
        lines = f"{self._left_out_breaks:,} more lines, " if self._left_out_breaks else ""
        return f"{body}\n… {lines}{self._left_out:,} more characters, not shown"
