import re

import torch

NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = range(5)


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


def missing_pass(whole: str, without: str) -> torch.Tensor:
    """A row a listing: width, copies, stores, shuffles, verdict. int64 [2, 5]."""
    # The copies are counted. What of the widest read,
    # the stores, the shuffles, and the verdict?
    rows = []
    for listing in (whole, without):
        copies = sum(opcode.split(".")[0] == "LDGSTS" for opcode, _ in parse(listing))
        rows.append([0, copies, 0, 0, NONE])
    return torch.tensor(rows)
