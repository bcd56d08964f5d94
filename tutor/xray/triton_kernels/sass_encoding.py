"""The encoding that `nvdisasm -hex` prints behind each instruction: taken out of the text, and read."""

import re

from tutor.xray.model.control_codes import Control, decode_control

_ADDRESS = re.compile(r"\s*/\*[0-9a-f]{4,}\*/")
_WORD = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/\s*$")


def split_encoding(raw: str) -> tuple[str, list[int]]:
    """Return the text as without `-hex`, and the upper 64 bits of each instruction, in order.

    The first line of an instruction ends in the lower 64 bits; the next one holds the upper ones.
    """
    lines: list[str] = []
    upper: list[int] = []
    for line in raw.splitlines():
        word = _WORD.search(line)
        if word is None:
            lines.append(line)
        elif _ADDRESS.match(line):
            lines.append(line[: word.start()])
        else:
            upper.append(int(word[1], 16))
    return "\n".join(lines) + "\n", upper


def place_controls(text: str, upper: list[int]) -> tuple[Control, ...]:
    """Return the control codes of the instructions of `text`, which may lack the last ones.

    Nothing where an instruction has no second half: before Volta the codes stand elsewhere.
    """
    numbers = [n for n, line in enumerate(text.split("\n"), 1) if _ADDRESS.match(line)]
    if len(upper) < len(numbers):
        return ()
    return tuple(decode_control(n, word) for n, word in zip(numbers, upper, strict=False))
