"""The lines of a stage as the ladder shows them: without the blanks of a disassembler. Pure."""

import re
from collections.abc import Sequence

from tutor.xray.model.control_codes import Control, put_controls

# nvdisasm puts 19 blanks between an address and its instruction, or right-aligns a predicate there.
_SASS = re.compile(r"\s*(/\*[0-9a-f]{4,}\*/)\s+(@!?U?P\w+)?\s*(.*)")

# Above these lines Inductor writes imports and, in the wrapper, the kernels' texts once more.
_BODY = {
    "triton": re.compile(r"^(@triton\.jit|def )", re.MULTILINE),
    "wrapper": re.compile(r"^ *def call\(", re.MULTILINE),
}


def first_line(name: str, text: str) -> int:
    """The line (from 0) at which a reader begins with the stage `name`."""
    match = _BODY[name].search(text) if name in _BODY else None
    return text.count("\n", 0, match.start()) if match else 0


def stage_lines(
    text: str, language: str, addresses: bool = False, controls: Sequence[Control] = ()
) -> list[str]:
    """The lines of `text`, one for each. Operands begin within the first columns; `addresses` keeps
    those of instructions. The control codes of SASS stand before their instructions."""
    lines = text.split("\n")
    if language != "sass":
        return lines
    lines = [_close_gaps(line, addresses) for line in lines]
    return put_controls(lines, controls) if controls else lines


def _close_gaps(line: str, addresses: bool) -> str:
    match = _SASS.fullmatch(line)
    if not match:
        return line
    return f"{match[1] if addresses else ''} {match[2] or '':>4} {match[3]}"
