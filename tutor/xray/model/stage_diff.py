"""The difference between two versions of a stage's text, shown as one text. Pure.

Positions in the source, addresses, and the numbers of registers and values are not compared. They change
at every edit, so that one more instruction would change every line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tutor.xray.model.stage_lines import stage_lines

CONTEXT = 3  # unchanged lines shown around a change
# In a longer text, lines that occur often are not compared (difflib's `autojunk`); it would take
# minutes.
EXACT_LINES = 3_000
# In a longer text, the whole changed middle is shown, first the old text and then the new one.
MOST_LINES = 40_000

_NOTHING = re.compile(r"(?!)")
_NOISE = {
    "fx": re.compile(r"\s*# File:.*"),
    "ttir": re.compile(r"\s*loc\((?:#?\w*|\"[^\"]*\"\(#\w+\)|\"[^\"]*\":\d+:\d+)\)|#loc.*"),
    "llvm": re.compile(r", !dbg !\d+|^\s*!.*|#\d+"),
    "ptx": re.compile(r"\s*\.loc.*|\s*//.*|^\s*\.b8\b.*|^\$L__(?:tmp|info)\S*"),
    "sass": re.compile(r"/\*[0-9a-f]{4,}\*/|\s*//.*"),
    "amdgcn": re.compile(r"\s*\.loc.*|\s*;.*|^\.Ltmp\S*"),
    "asm": re.compile(r"\s*\.(?:loc|cfi_\w+)\b.*|\s*#.*|^\.L\w+:"),
    "python": re.compile(r"\s*# (?:kernel path|Topologically|Source Nodes).*"),
}
_NOISE["ttgir"] = _NOISE["ttir"]
_NAMES = {
    "ttir": re.compile(r"%[\w$.-]+(?:[:#]\d+)?"),
    "llvm": re.compile(r"%[\w.]+|![0-9]+"),
    "hlo": re.compile(r"%[\w.-]+"),
    "ptx": re.compile(r"%[a-z]+\d+"),
    "sass": re.compile(r"\bU?[RP]\d+\b"),
    "amdgcn": re.compile(r"\b[sva](?:\d+|\[\d+:\d+\])(?!\w)"),
}
_NAMES["ttgir"] = _NAMES["mlir"] = _NAMES["ttir"]


Change = tuple[int, int, int, int]  # i1, i2, j1, j2: old[i1:i2] became new[j1:j2]


@dataclass(frozen=True)
class Diff:
    """Lines to show; `marks` ("added", "removed") by index; `numbers` in the new text, or None."""

    lines: tuple[str, ...]
    marks: dict[int, str]
    numbers: tuple[int | None, ...]
    added: int
    removed: int

    @property
    def same(self) -> bool:
        return not self.marks


def diff(old: str, new: str, language: str) -> Diff:
    """The changed lines of the new text with their context, after the old lines that they replace."""
    before = _comparable_lines(stage_lines(old, language), language)
    after = stage_lines(new, language)
    compared = _comparable_lines(after, language)
    lines: list[str] = []
    numbers: list[int | None] = []
    marks: dict[int, str] = {}

    def put(line: str, number: int | None, mark: str = "") -> None:
        if mark:
            marks[len(lines)] = mark
        lines.append(line)
        numbers.append(number)

    changes = _changes([key for _, _, key in before], [key for _, _, key in compared])
    shown_to = 0  # the new text's lines up to here are done with
    for n, (i1, i2, j1, j2) in enumerate(changes):
        first = compared[j1][0] if j1 < len(compared) else len(after)
        last = compared[j2 - 1][0] + 1 if j2 > j1 else first
        following = compared[changes[n + 1][2]][0] if _more(changes, n, compared) else len(after)
        start = max(shown_to, first - CONTEXT)
        if start > shown_to:
            put(f"⋯ {start - shown_to} lines the same", None)
        for j in range(start, first):
            put(after[j], j + 1)
        for _, line, _ in before[i1:i2]:
            put(line, None, "removed")
        added = {at for at, _, _ in compared[j1:j2]}
        for j in range(first, last):
            put(after[j], j + 1, "added" if j in added else "")
        shown_to = max(last, min(following, last + CONTEXT))
        for j in range(last, shown_to):
            put(after[j], j + 1)
    if not marks:
        return Diff((), {}, (), 0, 0)
    if shown_to < len(after):
        put(f"⋯ {len(after) - shown_to} lines the same", None)
    kinds = list(marks.values())
    return Diff(tuple(lines), marks, tuple(numbers), kinds.count("added"), kinds.count("removed"))


def _comparable_lines(lines: Sequence[str], language: str) -> list[tuple[int, str, str]]:
    """(index, line, its compared part) of every line whose compared part is not empty."""
    noise, names = _NOISE.get(language, _NOTHING), _NAMES.get(language, _NOTHING)
    keys = (names.sub("%", noise.sub("", line)).strip() for line in lines)
    return [(i, line, key) for i, (line, key) in enumerate(zip(lines, keys, strict=True)) if key]


def _more(changes: list[Change], n: int, compared: list[tuple[int, str, str]]) -> bool:
    return n + 1 < len(changes) and changes[n + 1][2] < len(compared)


def _changes(old: list[str], new: list[str]) -> list[Change]:
    """(i1, i2, j1, j2): old[i1:i2] became new[j1:j2]."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a and not b:
        return []
    if max(len(a), len(b)) > MOST_LINES:
        return [(head, head + len(a), head, head + len(b))]
    exact = max(len(a), len(b)) <= EXACT_LINES
    changes: list[Change] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=not exact).get_opcodes():
        if tag == "equal":
            continue
        changes.append((i1 + head, i2 + head, j1 + head, j2 + head))
    return changes
