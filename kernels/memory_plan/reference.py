import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
LISTS = list(PROBE["lists"]())


def reference(tensors, alignment):
    return alive(tensors, alignment)


def alive(tensors, alignment, *, change=""):
    """The bytes of each step. The option names a mistake."""
    rows = tensors.tolist()
    steps = 1 + max(last for _, _, last in rows)
    bytes_at = []
    for step in range(steps):
        here = [
            size
            for size, first, last in rows
            if first <= step < last + (change != "last")
            or (change == "last" and step == first == last)
            if change != "first" or step > first or step == last
            if change != "ends" or step in (first, last)
        ]
        if change == "sum":
            bytes_at.append(PROBE["rounded"](sum(here), alignment))
        else:
            to = {"bytes": 1, "64": 64}.get(change, alignment)
            bytes_at.append(sum(PROBE["rounded"](size, to) for size in here))
    return torch.tensor(bytes_at)


eager = reference


def by_mistake(change):
    return lambda tensors, alignment: alive(tensors, alignment, change=change)


NEAR_MISSES = (
    ("a tensor is gone at its last step", by_mistake("last")),
    ("a tensor is not there at its first step", by_mistake("first")),
    ("a tensor counts at its first and its last step, and not in between", by_mistake("ends")),
    ("bytes are not rounded up", by_mistake("bytes")),
    ("the sum of a step is rounded up, and not each tensor", by_mistake("sum")),
    ("bytes are rounded up to multiples of 64, whatever the alignment", by_mistake("64")),
)


def work(tensors, alignment):
    return Work(bytes=8 * tensors.numel() + 16, flops=0)


def scale(tensors, alignment):
    return 0.0


def check_found(found):
    """(code, sentence) for the first plan that is wrong, else None."""
    for (name, alignment, rows), (offsets, kept) in zip(LISTS, found["answers"], strict=True):
        where = f"`plan` for {name!r}, {words(rows)}, alignment {alignment}"
        if not kept:
            return "wrong-values", f"{where}: the argument `tensors` has other values afterwards."
        if fault := fault_of(offsets, rows, alignment):
            return "wrong-values", f"{where}: {fault}"
    return None


def words(rows):
    return "1 tensor" if len(rows) == 1 else f"{len(rows)} tensors"


def fault_of(offsets, rows, alignment):
    """Return what is wrong with one plan, else None."""
    if isinstance(offsets, str):
        return f"it returns {offsets}; expected an int64 tensor [{len(rows)}]."
    if len(offsets) != len(rows):
        return f"it returns {len(offsets)} offsets for {words(rows)}."
    for i, offset in enumerate(offsets):
        if offset < 0:
            return f"tensor {i} begins at {offset}, before the arena."
        if offset % alignment:
            return f"tensor {i} begins at {offset}, which is no multiple of {alignment}."
    if pair := first_overlap(offsets, rows):
        return f"tensors {pair[0]} and {pair[1]} share bytes and steps: " + " and ".join(
            f"{offsets[i]} to {offsets[i] + rows[i][0] - 1} at steps {rows[i][1]} to {rows[i][2]}"
            for i in pair
        ) + "."  # fmt: skip
    least = PROBE["bound"](rows, alignment)
    peak = PROBE["peak"](rows, offsets)
    if peak > PROBE["MOST"] * least:
        return (
            f"the peak is {peak} bytes, and the lower bound {least}: {peak / least:.2f} times as "
            "much, where 1.10 is allowed."
        )
    return None


def first_overlap(offsets, rows):
    """The first two tensors that share a byte and a step, or None."""
    for i, (size, first, last) in enumerate(rows):
        for j in range(i):
            other, begins, ends = rows[j]
            if (
                first <= ends
                and begins <= last
                and offsets[i] < offsets[j] + other
                and offsets[j] < offsets[i] + size
            ):
                return j, i
    return None


def fixed(alignment, *rows):
    return lambda g: (torch.tensor(rows), alignment)


def draw(g, low, high, *shape):
    return torch.randint(low, high, shape, generator=g, device=g.device)


def drawn(count, alignment, steps=12, most=5000):
    """`count` tensors with any lives."""

    def make(g):
        first = draw(g, 0, steps, count)
        last = first + draw(g, 0, 4, count) * draw(g, 0, 3, count)
        return torch.stack([draw(g, 1, most, count), first, last], 1), alignment

    return make


def columns(g):
    """A view: the rows are the columns of another tensor."""
    tensors, alignment = drawn(9, 32)(g)
    return tensors.t().contiguous().t(), alignment


def every_second(g):
    """A view: every second row of a longer list."""
    tensors, alignment = drawn(18, 8)(g)
    return tensors[::2], alignment


CASES = (
    Case("one tensor", fixed(16, [100, 0, 2])),
    Case("one step", fixed(64, [100, 0, 0], [65, 0, 0])),
    Case("one ends where the other begins", fixed(4, [100, 0, 1], [200, 1, 2])),
    Case("a chain", fixed(16, [960, 0, 1], [480, 1, 2], [960, 2, 3], [480, 3, 4])),
    Case("bytes that are no multiples", fixed(32, [1, 0, 3], [33, 1, 2], [31, 2, 2])),
    Case("alignment 1", fixed(1, [7, 0, 3], [13, 1, 2], [29, 2, 5])),
    Case("nothing is alive for a while", fixed(8, [10, 1, 2], [30, 6, 9])),
    Case("rows in any order", fixed(8, [30, 6, 9], [10, 1, 2], [8, 0, 7], [90, 3, 3])),
    Case("drawn", drawn(20, 16)),
    Case("drawn, alignment 256", drawn(30, 256, steps=20, most=100_000)),
    Case("drawn, alignment 1", drawn(12, 1)),
    Case("a view of columns", columns),
    Case("every second row", every_second),
)  # fmt: skip
