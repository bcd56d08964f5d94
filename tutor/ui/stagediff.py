"""What differs between two versions of a stage's text, to be read as one text. Pure.

Lines are compared without what changes at every edit: where the code came from, addresses.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3  # unchanged lines shown around a change
# Above this many lines, lines that occur often are not compared (difflib's `autojunk`): it would
# take minutes.
EXACT_LINES = 3_000
# Above this, a change in the middle is shown whole, the old text and then the new.
MOST_LINES = 40_000

_NOISE = {
    "fx": re.compile(r"\s*# File:.*"),
    "ttir": re.compile(r"\s*loc\((?:#?\w*|\"[^\"]*\"\(#\w+\)|\"[^\"]*\":\d+:\d+)\)|#loc.*"),
    "llvm": re.compile(r", !dbg !\d+|^\s*!.*|#\d+"),
    "ptx": re.compile(r"\s*\.loc.*|\s*//.*|^\s*\.b8\b.*|^\$L__(?:tmp|info)\S*"),
    "sass": re.compile(r"/\*[0-9a-f]{4,}\*/|\s*//.*"),
    "amdgcn": re.compile(r"\s*\.loc.*|\s*;.*|^\.Ltmp\S*"),
    "python": re.compile(r"\s*# (?:kernel path|Topologically|Source Nodes).*"),
}
_NOISE["ttgir"] = _NOISE["ttir"]


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
    """The new text's changed lines with their neighbourhood, the old ones they replace before."""
    before, after = old.split("\n"), new.split("\n")
    old_keys, new_keys = _keys(before, language), _keys(after, language)
    lines: list[str] = []
    numbers: list[int | None] = []
    marks: dict[int, str] = {}

    def put(line: str, number: int | None, mark: str = "") -> None:
        if mark and line.strip():
            marks[len(lines)] = mark
        lines.append(line)
        numbers.append(number)

    changes = [c for c in _changes(old_keys, new_keys) if _counts(c, old_keys, new_keys)]
    shown_to = 0
    for n, (i1, i2, j1, j2) in enumerate(changes):
        following = changes[n + 1][2] if n + 1 < len(changes) else len(after)
        start = max(shown_to, j1 - CONTEXT)
        if start > shown_to:
            put(f"⋯ {start - shown_to} lines the same", None)
        for j in range(start, j1):
            put(after[j], j + 1)
        for i in range(i1, i2):
            put(before[i], None, "removed" if old_keys[i] else "")
        for j in range(j1, j2):
            put(after[j], j + 1, "added" if new_keys[j] else "")
        shown_to = min(following, j2 + CONTEXT)
        for j in range(j2, shown_to):
            put(after[j], j + 1)
    if not marks:
        return Diff((), {}, (), 0, 0)
    if shown_to < len(after):
        put(f"⋯ {len(after) - shown_to} lines the same", None)
    kinds = list(marks.values())
    return Diff(tuple(lines), marks, tuple(numbers), kinds.count("added"), kinds.count("removed"))


def _counts(change: tuple[int, int, int, int], old: list[str], new: list[str]) -> bool:
    """Whether anything but noise changed."""
    i1, i2, j1, j2 = change
    return any(old[i1:i2]) or any(new[j1:j2])


def _keys(lines: Sequence[str], language: str) -> list[str]:
    noise = _NOISE.get(language)
    return [(noise.sub("", line) if noise else line).strip() for line in lines]


def _changes(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
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
    found: list[tuple[int, int, int, int]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=not exact).get_opcodes():
        if tag == "equal":
            continue
        found.append((i1 + head, i2 + head, j1 + head, j2 + head))
    return found
