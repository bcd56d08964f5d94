"""What XLA writes beside HLO: how it assigned buffers, and which passes changed the module. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

_ALLOCATION = re.compile(r"^allocation \d+: size (\d+), (.*)$", re.MULTILINE)
_VALUE = re.compile(r"^ value: <\d+ ([\w.-]+) @", re.MULTILINE)
_DUMP = re.compile(r"\.(\d{4})\.([\w.-]+?)\.after_([\w -]+?)(?:\.before_[\w -]+)?\.txt$")
_MOST_CHANGES = 400  # lines of one pass


def count_buffers(text: str) -> dict[str, int]:
    """Count the blocks between inputs and results: what XLA calls preallocated-temp."""
    sizes = [int(size) for size, kind in _ALLOCATION.findall(text) if "preallocated-temp" in kind]
    return {"buffers": len(sizes), "bytes": sum(sizes)}


def list_values(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of an assignment that place a value, from 1, and the instruction's name."""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _VALUE.match(line):
            yield number, match[1]


def name_pass(file: str) -> str:
    """Return `simplification: algsimp` for a file that XLA wrote after this pass; "" for others."""
    match = _DUMP.search(file)
    if not match:
        return ""
    return f"{match[2]}: {'as it begins' if match[3] == 'pipeline-start' else match[3]}"


def show_changes(before: str, passes: Sequence[tuple[str, str]]) -> tuple[str, int]:
    """Return what each of (name, module after it) changed, as lines with - and +, and how many changed
    anything. A pass that XLA does not write down counts to the next one that it does."""
    sections: list[str] = []
    lines = before.split("\n")
    for name, after in passes:
        now = after.split("\n")
        changes = [
            line
            for line in difflib.unified_diff(lines, now, n=0, lineterm="")
            if line.strip("+- ") and not line.startswith(("---", "+++", "@@"))
        ]
        lines = now
        if changes:
            cut = len(changes) - _MOST_CHANGES
            more = [f"… and {cut} lines more"] if cut > 0 else []
            sections.append("\n".join([f"== {name}", *changes[:_MOST_CHANGES], *more]))
    return "\n\n".join(sections) + "\n", len(sections)
