import re

import torch

NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = range(5)
WIDTHS = {"128": 128, "64": 64, "U16": 16, "S16": 16, "U8": 8, "S8": 8}


def parse(listing: str) -> list[tuple[str, bool]]:
    """Each instruction's opcode, and whether it stands in a loop."""
    lines = listing.splitlines()
    label_at = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
    looping = set()
    for i, line in enumerate(lines):
        target = re.search(r"\bBRA\b.*`\((.+)\)", line)
        if target and label_at[target[1]] < i:
            looping |= set(range(label_at[target[1]], i))
    rows = []
    for i, line in enumerate(lines):
        words = [word for word in line.split() if not word.startswith("@")]
        if not line.endswith(":"):
            rows.append((words[0], i in looping))
    return rows


def width_of(parts: list[str]) -> int:
    """The bits that a lane reads: whole parts only, as LTC128B is about the cache."""
    for part in parts[1:]:
        if part in WIDTHS:
            return WIDTHS[part]
    return 32


def evidence(listing: str) -> list[int]:
    """Width, copies, stores, shuffles in loops."""
    rows = [(opcode.split("."), inside) for opcode, inside in parse(listing)]
    reads = [width_of(parts) for parts, _ in rows if parts[0] in ("LDG", "LDGSTS")]
    copies = sum(parts[0] == "LDGSTS" for parts, _ in rows)
    stores = sum(parts[0] == "STS" for parts, _ in rows)
    shuffles = sum(parts[0] == "SHFL" and inside for parts, inside in rows)
    return [max(reads, default=0), copies, stores, shuffles]


def verdict(before: list[int], after: list[int]) -> int:
    """The pass: what has several effects is asked for first."""
    # A copy of 16 bits cannot be asynchronous: a missing coalesce loses the copies too.
    if after[0] < before[0]:
        return COALESCE
    if before[1] and not after[1]:
        return PIPELINE
    if after[2] > before[2]:
        return LAYOUTS
    if after[3] > before[3]:
        return LOCALITY
    return NONE


def missing_pass(whole: str, without: str) -> torch.Tensor:
    """A row a listing: width, copies, stores, shuffles, verdict. int64 [2, 5]."""
    before, after = evidence(whole), evidence(without)
    return torch.tensor([[*before, NONE], [*after, verdict(before, after)]])
