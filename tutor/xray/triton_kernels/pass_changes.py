"""TTGIR pass by pass: the lines that each pass of Triton's compiler changes.

MLIR prints a module before each pass on stderr where MLIR_ENABLE_DUMP is set, which Triton reads
before every stage (3.6 to 3.8). Into a file that MLIR_DUMP_PATH names, the end would come too late.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from tutor.xray.triton_kernels.refusals import StderrText
from tutor.xray.triton_kernels.source_positions import clean

# `Before Inliner (inline) …`; with Triton 3.8 `Before InlinerPass: inline{…} …`
_HEADER = re.compile(r"^// -----// IR Dump Before \w+(?: \(|: )([\w-]+).*$", re.MULTILINE)
_NAMES = re.compile(r"%[\w$.-]+(?:[:#]\d+)?")  # values are numbered anew by every pass
_CONTEXT = 2  # unchanged lines around a change
_MOST_LINES = 20_000


class PassDump:
    """The modules that MLIR prints while `on` is entered."""

    def __init__(self) -> None:
        self.text = ""

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        printed = StderrText()
        os.environ["MLIR_ENABLE_DUMP"] = "1"
        try:
            with printed:
                yield
        finally:
            del os.environ["MLIR_ENABLE_DUMP"]
            self.text = printed.text


def format_changes(dump: str, last: str, own_file: str) -> tuple[str, int, int]:
    """Return the changes of each pass as one text, the number of passes, and of those that change
    something. `last` is the module after the last pass, as Triton prints it."""
    parts = _HEADER.split(dump)[1:]
    # A pass may print modules between its own steps, after the one from before it.
    before = [part.partition("// -----//")[0] for part in parts[1::2]]
    names, modules = parts[::2], [_lines(module, own_file) for module in before]
    modules.append(_lines(last, own_file))
    rows: list[str] = []
    changing = 0
    for number, name in enumerate(names, 1):
        changes = _changes(modules[number - 1], modules[number])
        if not changes:
            continue
        changing += 1
        added = sum(row.startswith("  +") for row in changes)
        removed = sum(row.startswith("  -") for row in changes)
        rows += [f"// pass {number} of {len(names)}, {name}: +{added} −{removed}", *changes, ""]
    if len(rows) > _MOST_LINES:
        rows = [*rows[:_MOST_LINES], f"// {len(rows) - _MOST_LINES} more lines"]
    return "\n".join(rows).rstrip("\n"), len(names), changing


def _lines(module: str, own_file: str) -> list[str]:
    return [line for line in clean("ttgir", module, own_file).text.split("\n") if line.strip()]


def _changes(old: list[str], new: list[str]) -> list[str]:
    """Return the lines that differ, `+` and `-` before them, with two unchanged ones around."""
    keys = [[_NAMES.sub("%", line) for line in lines] for lines in (old, new)]
    if keys[0] == keys[1]:
        return []
    rows: list[str] = []
    for group in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_grouped_opcodes(
        _CONTEXT
    ):
        if rows:
            rows.append("    ⋯")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                rows += [f"    {line}" for line in new[j1:j2]]
            else:
                rows += [f"  - {line}" for line in old[i1:i2]]
                rows += [f"  + {line}" for line in new[j1:j2]]
    return rows
