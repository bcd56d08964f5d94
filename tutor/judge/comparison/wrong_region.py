"""A sentence and a small picture that show where an output is wrong. Tensors in, plain values out."""

import math

import torch

from tutor.judge.model.tensor_grid import Block, join_runs, make_grid
from tutor.judge.model.verdict import WrongMap

ROWS, COLUMNS = 12, 32  # of a picture, at most
_MAX_ELEMENTS = 1 << 24  # a sentence on more takes longer than a verdict may
_MIN_DRAWN = 16  # elements; a sentence is enough for fewer
_MIN_STRETCHES, _MIN_LENGTH = 3, 8  # stretches, and indices of a dimension, that are no chance
_ALL_BUT = "all but "
_NAMES = {1: ["element"], 2: ["row", "column"]}


def make_wrong_map(wrong: torch.Tensor) -> WrongMap | None:
    """Count `wrong`, bool of any shape, by cells. Return None if there is too little to see."""
    if wrong.numel() < _MIN_DRAWN or int(wrong.sum()) < 2:
        return None
    shape = tuple(wrong.shape)
    grid = make_grid(shape, ROWS, COLUMNS)
    high, wide = grid.rows * grid.high, grid.columns * grid.wide
    padded = torch.zeros(grid.lines * grid.width, dtype=torch.int32)
    padded[: grid.total] = wrong.reshape(-1)
    full = torch.zeros(high, wide, dtype=torch.int32)
    full[: grid.lines, : grid.width] = padded.reshape(grid.lines, grid.width)
    counts = full.reshape(grid.rows, grid.high, grid.columns, grid.wide).sum((1, 3))
    return WrongMap(
        shape, grid.width, (grid.high, grid.wide), tuple(tuple(row) for row in counts.tolist())
    )


def describe_wrong_region(wrong: torch.Tensor) -> str:
    """Name the wrong elements in half a sentence, such as "every element of columns 96 to 127".

    Return "" if only a list of them is true.
    """
    count, of = int(wrong.sum()), wrong.numel()
    if count < 2 or of > _MAX_ELEMENTS:
        return ""
    if count == of:
        return "every element"
    if of - count == 1 and bool(wrong.reshape(-1)[0]) and bool(wrong.reshape(-1)[-1]):
        return ""  # a single element in the middle can be right by chance
    whole, where = _box(wrong)
    alone = " in " not in where and "," not in where  # along one dimension
    left_out = where.removeprefix(_ALL_BUT) if alone and where.startswith(_ALL_BUT) else ""
    if whole and left_out:
        return f"everything but {left_out}"
    if whole and where:
        return where if wrong.dim() == 1 else f"every element of {where}"
    right, kept = _box(~wrong)
    if right and kept:
        return f"everything but {kept}"
    if wrong.dim() == 2 and (text := _describe_side_of_diagonal(wrong, count)):
        return text
    if left_out:
        return f"all outside {left_out}"
    return f"all in {where}" if where else ""


def is_periodic(wrong: torch.Tensor) -> bool:
    """Return True if the wrong elements are stretches of rows or columns of one length at one distance.

    There must be enough stretches that this is no chance.
    """
    if not bool(wrong.any()) or wrong.numel() > _MAX_ELEMENTS or not _box(wrong)[0]:
        return False
    even = [_join_evenly_spaced(_stretches(flags), len(flags)) for flags in _sides(wrong)]
    return any(
        block and block[2] >= _MIN_STRETCHES and len(flags) >= _MIN_LENGTH
        for block, flags in zip(even, _sides(wrong), strict=True)
    )


def _sides(chosen: torch.Tensor) -> list[torch.Tensor]:
    """Return for each dimension at which of its indices an element is chosen."""
    return [
        chosen.movedim(dim, 0).reshape(size, -1).any(1) for dim, size in enumerate(chosen.shape)
    ]


def _box(chosen: torch.Tensor) -> tuple[bool, str]:
    """Return True if the chosen elements are all of some rows and columns, and the name of these.

    The name is "" for the whole tensor and for numbers that follow no rule.
    """
    sides = _sides(chosen)
    counts = [int(flags.sum()) for flags in sides]
    whole = math.prod(counts) == int(chosen.sum())
    names = _NAMES.get(chosen.dim()) or [f"index {i}" for i in range(chosen.dim())]
    parts = [
        _indices(name, flags)
        for name, flags, count in zip(names, sides, counts, strict=True)
        if 0 < count < len(flags)
    ]
    return whole and all(parts), (" in " if chosen.dim() == 2 else ", ").join(filter(None, parts))


def _stretches(flags: torch.Tensor) -> list[tuple[int, int]]:
    """Return start and length of each run of true neighbours."""
    right = torch.zeros(1, dtype=torch.int32)  # beyond either end
    edges = torch.diff(flags.int(), prepend=right, append=right)
    starts, ends = ((edges == step).nonzero().reshape(-1).tolist() for step in (1, -1))
    return [(start, end - start) for start, end in zip(starts, ends, strict=True)]


def _join_evenly_spaced(stretches: list[tuple[int, int]], size: int) -> Block | None:
    """Return the stretches as one block if they have one length and one distance.

    The end of the dimension may cut the last one short.
    """
    blocks = join_runs(stretches)
    if len(blocks) == 2:
        (start, length, count, pitch), (last, rest, single, _) = blocks
        due = count == 1 or last == start + count * pitch
        if single == 1 and rest < length and last + rest == size and due:
            return start, length, count + 1, pitch if count > 1 else last - start
    return blocks[0] if len(blocks) == 1 else None


def _indices(name: str, flags: torch.Tensor) -> str:
    """Return a name such as `columns 96 to 127`, `every 2nd row from 1`, `index 0 = 3`, or ""."""
    stretches, size = _stretches(flags), len(flags)
    numbered = name.startswith("index")
    several = f"{name} =" if numbered else f"{name}s"
    first, last = stretches[0][0], sum(stretches[-1]) - 1
    if first == last:
        return f"{name} = {first}" if numbered else f"{name} {first}"
    if len(stretches) == 1:
        return f"{several} {first} to {last}"
    left_out = (~flags).nonzero().reshape(-1).tolist()
    if len(left_out) == 1:
        return f"{_ALL_BUT}{name}{' =' if numbered else ''} {left_out[0]}"
    even = _join_evenly_spaced(stretches, size)
    if even is None:
        return ""
    start, length, count, pitch = even
    goes_on = start + count * pitch >= size  # as far as there are elements
    if count == 2 and not (goes_on and length == 1):
        spans = [_span(start, start + n - 1) for start, n in stretches]
        return f"{several} {spans[0]} and {spans[1]}"
    until = f"from {start}" if goes_on else f"from {start} to {last}"
    if length == 1:
        return f"every {pitch}{_ordinal(pitch)} {name} {until}"
    blocks = f"{length} along {name}" if numbered else f"{length} {name}s"
    if pitch % length == 0:
        times = pitch // length
        return f"every {times}{_ordinal(times)} block of {blocks} {until}"
    return f"{blocks} out of every {pitch} {until}"


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _ordinal(n: int) -> str:
    if n % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def _describe_side_of_diagonal(wrong: torch.Tensor, count: int) -> str:
    """Name a side of the main diagonal if most of it is wrong and nothing else."""
    rows, columns = wrong.shape
    if min(rows, columns) < 3:
        return ""
    ones = torch.ones_like(wrong)
    sides = {"below": ones.tril(-1), "above": ones.triu(1)}
    sides["off"] = sides["below"] | sides["above"]
    for name, side in sides.items():
        of = int(side.sum())
        if count == int((wrong & side).sum()) and 2 * count > of:
            return f"{'every element' if count == of else 'only elements'} {name} the diagonal"
    return ""
