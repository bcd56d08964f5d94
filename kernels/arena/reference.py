import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

_PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
LISTS, MOST = _PROBE["LISTS"], _PROBE["MOST"]
CHARTED = 7  # of the lists
PIECES = 20  # of the arena in the chart


def reference(tensors, offsets):
    return in_common(tensors, offsets)


eager = reference


def in_common(tensors, offsets, change=""):
    """Return the bytes that each pair has in common. `change` names a mistake."""
    rows, at = tensors.long().tolist(), offsets.long().tolist()
    found = torch.zeros(len(rows), len(rows), dtype=torch.int64)
    for i, (size, first, last) in enumerate(rows):
        for j, (other, begins, ends) in enumerate(rows):
            meet = first <= ends and begins <= last
            if change == "short":
                meet = first < ends and begins < last
            common = min(at[i] + size, at[j] + other) - max(at[i], at[j])
            if change == "shorter":
                common = min(size, other) if common > 0 else 0
            if change == "sign":
                found[i, j] = common if meet and i != j else 0
            elif (meet or change == "always") and common > 0:
                found[i, j] = 1 if change == "count" else common
            if i == j and change != "diagonal":
                found[i, j] = 0
            if change == "triangle" and j < i:
                found[i, j] = 0
    return found


def by_mistake(change):
    return lambda tensors, offsets: in_common(tensors, offsets, change)


NEAR_MISSES = (
    ("tensors that are never alive together share bytes, too", by_mistake("always")),
    ("a tensor is gone at its last step, or not there at its first", by_mistake("short")),
    ("a pair that lies apart has a negative number", by_mistake("sign")),
    ("a pair has 1, and not the number of bytes", by_mistake("count")),
    ("the bytes of the smaller tensor count, and not those in common", by_mistake("shorter")),
    ("a tensor shares bytes with itself", by_mistake("diagonal")),
    ("each pair stands in one place only", by_mistake("triangle")),
)


def explain_wrong(got, tensors, offsets):
    """Name the first pair that differs."""
    i, j = (got != reference(tensors, offsets)).nonzero()[0].tolist()
    right = int(reference(tensors, offsets)[i, j])
    return f"Tensors {i} and {j}: it says {int(got[i, j])} bytes, and it is {right}."


def work(tensors, offsets):
    return Work(bytes=8 * tensors.numel() + 8 * len(offsets) + 8 * len(offsets) ** 2, flops=0)


def scale(tensors, offsets):
    return 0.0


def check_found(found):
    """Return code and sentence for the first plan that is wrong, or None."""
    for (name, alignment, rows), offsets in zip(LISTS, found["answers"], strict=True):
        if fault := fault_of(offsets, rows, alignment):
            return "wrong-values", f"`arena` for “{name}”, alignment {alignment}: {fault}"
    return None


def fault_of(offsets, rows, alignment):
    """Return what is wrong with one plan, else None."""
    if isinstance(offsets, str):
        return f"it {offsets}."
    for i, offset in enumerate(offsets):
        if offset < 0:
            return f"tensor {i} begins at {offset}, before the arena."
        if offset % alignment:
            return f"tensor {i} begins at {offset}, which is no multiple of {alignment}."
    common = in_common(torch.tensor(rows), torch.tensor(offsets))
    if common.any():
        i, j = common.nonzero()[0].tolist()
        begin = max(offsets[i], offsets[j])
        end = begin + int(common[i, j]) - 1
        step = max(rows[i][1], rows[j][1])
        return (
            f"tensors {i} and {j} are both alive at step {step}, and share {int(common[i, j]):,} "
            f"bytes, {begin:,} to {end:,}."
        )
    least, peak = _PROBE["bound"](rows, alignment), _PROBE["peak"](rows, offsets)
    if peak > MOST * least:
        return (
            f"the peak is {peak:,} bytes, {peak / least:.3f} times the lower bound of {least:,}. "
            f"{MOST} times are allowed."
        )
    return None


def figures(found):
    """Return how far all peaks together are above the bounds, beside the best of the simple rules."""
    plans = list(zip(LISTS, found["answers"], strict=True))
    bounds = sum(_PROBE["bound"](rows, alignment) for (_, alignment, rows), _ in plans)
    peaks = sum(_PROBE["peak"](rows, offsets) for (_, _, rows), offsets in plans)
    rules = sum(_PROBE["by_rules"](rows, alignment) for _, alignment, rows in LISTS)
    return {
        "all peaks by all bounds": f"{peaks / bounds:.3f} (the best simple rule: {rules / bounds:.3f})"
    }


def chart(found):
    """Draw the arena of one list: a row for each piece of addresses, over the steps."""
    name, _, rows = LISTS[CHARTED]
    offsets = found["answers"][CHARTED]
    if isinstance(offsets, str) or min(offsets) < 0:
        return None
    piece = -(-_PROBE["peak"](rows, offsets) // PIECES)
    spans = []
    for at in range(0, PIECES * piece, piece):
        behind = -1  # of what stands in this row: nothing is drawn twice, also in a wrong plan
        here = [
            (first, last, i)
            for i, (size, first, last) in enumerate(rows)
            if offsets[i] <= at < offsets[i] + size
        ]
        for first, last, i in sorted(here):
            if first > behind:
                spans.append((f"byte {at:,}", first, last + 1, f"tensor {i}"))
                behind = last
    return f"your arena of “{name}”: addresses, and who has them", "step", spans


def draw(g, low, high, *shape):
    return torch.randint(low, high, shape, generator=g, device=g.device)


def drawn(count, steps=8, most=300):
    """Make tensors with any lives and offsets, so that many of them share bytes."""

    def make(g):
        first = draw(g, 0, steps, count)
        last = first + draw(g, 0, 4, count)
        tensors = torch.stack([draw(g, 1, most, count), first, last], 1)
        return tensors, 16 * draw(g, 0, 40, count)

    return make


def fixed(rows, offsets):
    return lambda g: (torch.tensor(rows), torch.tensor(offsets))


def views(g):
    """Make views: rows that are columns of another tensor, and every second offset."""
    tensors, offsets = drawn(9)(g)
    return tensors.t().contiguous().t(), offsets.repeat_interleave(2)[::2]


CASES = (
    Case("one tensor", fixed([[100, 0, 2]], [64])),
    Case("one ends where the other begins", fixed([[100, 0, 1], [80, 1, 2]], [0, 64])),
    Case("side by side", fixed([[64, 0, 3], [64, 0, 3], [50, 1, 1]], [0, 64, 128])),
    Case("one inside of the other", fixed([[500, 0, 9], [20, 3, 4], [7, 4, 4]], [0, 100, 90])),
    Case("never at one step", fixed([[90, 0, 1], [90, 2, 3], [90, 1, 2]], [0, 0, 48])),
    Case("drawn", drawn(8)),
    Case("drawn, 14 tensors", drawn(14)),
    Case("drawn, few steps", drawn(6, steps=3)),
    Case("views", views),
)
