"""Text on its way to a terminal: what strangers wrote is never a command to it.

A learner's output, an error's text, a file's name, a runner's words or an imported note may hold
sequences that write the clipboard, hide text or turn its direction. A command prints through
`CleanStream`, so no place that prints must think of it. `tutor.ui.kit.text.safe_text` does the same for
screens.
"""

import codecs
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from tutor.base.errors import StorageError

# C0 without tab and line end, DEL and C1, and Unicode's own ends of a line and a paragraph; and what
# turns the direction of text, marks too, so that code looks different from what it is.
CONTROLS = (*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x2028, 0x2029)
TURNS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
# Surrogates stand for bytes of a file's name that are no UTF-8; no stream encodes them.
_CONTROL = re.compile(f"[{''.join(map(re.escape, map(chr, (*CONTROLS, *TURNS))))}\ud800-\udfff]")
_OWN_STYLE = re.compile(r"\x1b\[(?:0|1|31|32|33|36)m")  # what `click.style` makes in the commands


def escape_controls(text: str, *, styled: bool = False) -> str:
    """Return the text with each control code as `\\u001b`, which JSON reads as the code that it was.

    With `styled`, the colours that commands use stay.
    """
    if not _CONTROL.search(text):  # nearly always
        return text
    text = text.replace("\r\n", "\n")
    if not styled:
        return _CONTROL.sub(_escape, text)
    end, parts = 0, []
    for style in _OWN_STYLE.finditer(text):
        parts += [_CONTROL.sub(_escape, text[end : style.start()]), style[0]]
        end = style.end()
    return "".join([*parts, _CONTROL.sub(_escape, text[end:])])


def _escape(control: re.Match[str]) -> str:
    return f"\\u{ord(control[0]):04x}"


class CleanStream(io.TextIOWrapper):
    """A stream of this process that escapes control codes; `send_control` passes it by."""

    def write(self, text: str) -> int:
        with _explain_full_disk():
            super().write(escape_controls(text, styled=True))
        return len(text)

    def flush(self) -> None:
        with _explain_full_disk():
            super().flush()

    def write_control(self, text: str) -> None:
        super().write(text)


@contextmanager
def _explain_full_disk() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # its reader has gone
    except OSError as error:
        raise StorageError(f"the output cannot be written ({error.strerror})") from None


def send_control(stream: TextIO, text: str) -> None:
    """Write what the program itself commands the terminal: to clear the screen or a line."""
    stream.write_control(text) if isinstance(stream, CleanStream) else stream.write(text)


def clean_streams() -> None:
    """Let all that this process prints from now on go through `CleanStream`."""
    sys.stdout = _clean(sys.stdout)
    sys.stderr = _clean(sys.stderr)


def _clean(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, CleanStream):
        return stream  # closed, or of a test
    stream.flush()
    # click writes UTF-8 where the locale says ASCII, past this stream unless the stream says so too.
    is_ascii = codecs.lookup(stream.encoding).name == "ascii"
    return CleanStream(
        stream.buffer,
        encoding="utf-8" if is_ascii else stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )
