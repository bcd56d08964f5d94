"""Asks the learner's `plan` about networks and cut rectangles. Plain values only leave the process."""

import random

import torch

ALIGNMENTS = (1, 4, 16, 64, 256)
MOST = 1.1


def rounded(size, alignment):
    return -(-size // alignment) * alignment


def bound(rows, alignment):
    """The most bytes that are alive at a step."""
    steps = {first for _, first, _ in rows}  # only there it can rise
    return max(
        sum(rounded(size, alignment) for size, first, last in rows if first <= step <= last)
        for step in steps
    )


def place(rows, alignment, order, smallest_gap=False):
    """Offsets: each tensor, in this order, at the lowest place that is free (or in the smallest gap)."""
    offsets = [None] * len(rows)
    for i in order:
        size, first, last = rows[i]
        taken = sorted(
            (offsets[j], offsets[j] + other[0])
            for j, other in enumerate(rows)
            if offsets[j] is not None and other[1] <= last and first <= other[2]
        )
        at, gaps = 0, []
        for begin, end in taken:
            if begin - at >= size:
                gaps.append((begin - at, at))
            at = max(at, rounded(end, alignment))
        if not gaps:
            offsets[i] = at
        else:
            offsets[i] = min(gaps)[1] if smallest_gap else gaps[0][1]
    return offsets


def peak(rows, offsets):
    return max(offset + row[0] for row, offset in zip(rows, offsets, strict=True))


def by_size(rows, turned=False):
    """Places in descending order of bytes; of equal ones the first, or the last, first."""
    places = range(len(rows))
    return sorted(reversed(places) if turned else places, key=lambda i: -rows[i][0])


def is_reached(rows, alignment):
    """Whether the order by size keeps well within the bound, however ties and gaps are decided."""
    most = 1.06 * bound(rows, alignment)
    return all(
        peak(rows, place(rows, alignment, by_size(rows, turned), smallest_gap)) <= most
        for turned in (False, True)
        for smallest_gap in (False, True)
    )


def cut(dice, alignment, pieces, steps):
    """A rectangle of bytes and steps, cut into pieces: all of it is taken at each step."""
    arena = alignment * dice.randint(64, 1200)
    rectangles = [(0, arena, 0, steps - 1)]
    for _ in range(40 * pieces):
        if len(rectangles) >= pieces:
            break
        weights = [(high - low) * (last - first + 1) for low, high, first, last in rectangles]
        at = dice.choices(range(len(rectangles)), weights)[0]
        low, high, first, last = rectangles[at]
        if dice.random() < 0.5 and high - low >= 4 * alignment:
            middle = low + alignment * dice.randrange(1, (high - low) // alignment)
            rectangles[at : at + 1] = [(low, middle, first, last), (middle, high, first, last)]
        elif last > first:
            middle = dice.randrange(first, last)
            rectangles[at : at + 1] = [(low, high, first, middle), (low, high, middle + 1, last)]
    return [
        [high - low - dice.randrange(min(alignment, high - low)), first, last]
        for low, high, first, last in rectangles
    ]


def network(dice, steps):
    """Each step makes a tensor, which the next one reads, or one that comes much later."""
    rows, size = [], dice.choice((1000, 4096, 12_288))
    for step in range(steps):
        if dice.random() < 0.35:
            size = min(200_000, max(40, int(size * dice.choice((0.25, 0.5, 2, 3)))))
        distance = 1 if dice.random() < 0.65 else dice.randint(2, 12)
        rows.append([size + dice.choice((0, 0, 4, 13)), step, min(steps - 1, step + distance)])
        if dice.random() < 0.3:
            rows.append([dice.randint(1, 2 * size), step, step])  # of this step alone
    return rows


FIXED = (
    ("one tensor", 64, [[100, 0, 0]]),
    ("one after the other", 16, [[100, 0, 1], [300, 2, 3], [200, 4, 4]]),
    ("all at once", 16, [[100, 0, 3], [300, 0, 3], [7, 1, 2]]),
    ("a chain", 16, [[960, 0, 1], [480, 1, 2], [960, 2, 3], [480, 3, 4]]),
    ("a skip", 4, [[400, 0, 3], [1200, 1, 2], [400, 2, 3], [1000, 4, 5], [200, 3, 4]]),
    ("small, small, large", 16, [[160, 0, 1], [160, 1, 3], [1600, 2, 3]]),
    ("nothing is alive for a while", 1, [[10, 1, 2], [10, 7, 9]]),
)


def lists():
    """Yield (name, alignment, rows): the fixed lists, then drawn ones."""
    yield from FIXED
    dice = random.Random(40)
    kinds = ["network"] * 33 + ["rectangle"] * 28 + ["large network"] * 2
    for number, kind in enumerate(kinds):
        while True:
            alignment = ALIGNMENTS[number % len(ALIGNMENTS)]
            if kind == "rectangle":
                rows = cut(dice, alignment, dice.randint(5, 30), dice.randint(4, 20))
            else:
                rows = network(dice, 95 if kind == "large network" else dice.randint(5, 30))
            dice.shuffle(rows)
            if len(rows) <= 150 and is_reached(rows, alignment):
                break
        yield f"{kind} {number}", alignment, rows


def probe(module, device):
    answers = []
    for number, (_, alignment, rows) in enumerate(lists()):
        tensors = torch.tensor(rows, device=device)
        if number % 2:
            tensors = tensors.repeat_interleave(2, 0).t().contiguous().t()[::2]
        got = module.plan(tensors, alignment)
        answers.append([plain(got), tensors.tolist() == rows])
    return {"answers": answers}


def plain(got):
    """The offsets as a list, or a text that says what else it is."""
    if isinstance(got, torch.Tensor) and got.dtype == torch.int64 and got.dim() == 1:
        return got.tolist()
    if isinstance(got, torch.Tensor):
        return f"a tensor of {str(got.dtype).removeprefix('torch.')} with shape {list(got.shape)}"
    return repr(got)[:80]
