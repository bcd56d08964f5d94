"""The parts of a stage's text that can be folded away: blocks under a heading line, and debug lines.

Lines are counted from 0 here. Pure, and one pass over the text.
"""

import re
from collections.abc import Sequence

_LABEL = re.compile(r"[$.]?[\w$.]+:(?!:)")  # PTX, SASS, AMDGCN, LLVM, assembly: a block's name
_LABELLED = ("ptx", "sass", "amdgcn", "llvm", "asm")
# Lines that only name positions in the source. The links are made from them; readers seldom need them.
_DEBUG = {
    "ttir": re.compile(r"#loc\d*\s*=|#loc\b"),
    "ttgir": re.compile(r"#loc\d*\s*=|#loc\b"),
    "llvm": re.compile(r"\s*(?:![\w.]+\s*=|#dbg_)"),
    "ptx": re.compile(
        r"\s*(?:\.loc\b|\.file\b|\.b8\b|// (?:begin|end) inline asm)|\$L__(?:tmp|info)"
    ),
    "sass": re.compile(r"\s*//## File"),
    "amdgcn": re.compile(r"\s*(?:\.loc\b|\.file\b|\.cfi_|\.byte\b|\.ascii\b|\.asciz\b)|\.Ltmp"),
    "asm": re.compile(
        r"\s*(?:\.loc\b|\.file\b|\.cfi_|\.byte\b|\.ascii\b|\.asciz\b)|\.L(?:tmp|func)"
    ),
    "fx": re.compile(r"\s*# File:"),
}


def block(lines: Sequence[str], at: int, language: str) -> tuple[int, int] | None:
    """The block around line `at` as (first, end): the lines below its heading; `end` is excluded.

    The heading is `at` itself or the nearest heading above whose block contains `at`. None if there is
    no block."""
    labelled = language in _LABELLED
    for heading in range(min(at, len(lines) - 1), -1, -1):
        if not _is_heading(lines, heading, labelled):
            continue
        end = _end(lines, heading, labelled)
        if end > heading + 1 and (heading == at or at < end):
            return heading + 1, end
        if labelled:
            return None
    return None


def blocks(lines: Sequence[str], language: str) -> list[tuple[int, int]]:
    """Every outermost block: of each label in labelled languages, else at the second level."""
    labelled = language in _LABELLED
    spans: list[tuple[int, int]] = []
    i = 0
    while i < len(lines):
        if _is_heading(lines, i, labelled) and (labelled or _indent(lines[i]) > 0):
            end = _end(lines, i, labelled)
            if end > i + 2:
                spans.append((i + 1, end))
                i = end
                continue
        i += 1
    return spans


def debug_lines(lines: Sequence[str], language: str) -> set[int]:
    """The lines that only name positions in the source."""
    pattern = _DEBUG.get(language)
    return {i for i, line in enumerate(lines) if pattern.match(line)} if pattern else set()


def _is_heading(lines: Sequence[str], i: int, labelled: bool) -> bool:
    if labelled:
        return _LABEL.match(lines[i]) is not None
    return (
        bool(lines[i].strip())
        and i + 1 < len(lines)
        and bool(lines[i + 1].strip())
        and _indent(lines[i + 1]) > _indent(lines[i])
    )


def _end(lines: Sequence[str], heading: int, labelled: bool) -> int:
    if labelled:
        end = heading + 1
        while end < len(lines) and not _LABEL.match(lines[end]) and lines[end][:1] != "}":
            end += 1
        return end
    depth = _indent(lines[heading])
    end = heading + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > depth):
        end += 1
    while end > heading + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
