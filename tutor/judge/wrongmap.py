"""Where an output is wrong: a sentence and a small picture. Tensors in, plain values out."""

import math

import torch

from tutor.judge.grids import lay_out
from tutor.judge.verdict import WrongMap

ROWS, COLUMNS = 12, 32  # of a picture, at most
_MOST = 1 << 24  # elements; beyond that a sentence would take longer than a verdict may
_FEW = 16  # elements: fewer are told better than drawn
_NAMES = {1: ["element"], 2: ["row", "column"]}


def picture(wrong: torch.Tensor) -> WrongMap | None:
    """`wrong`, bool of any shape, counted by cells; None where there is too little to see."""
    if wrong.numel() < _FEW or int(wrong.sum()) < 2:
        return None
    shape = tuple(wrong.shape)
    grid = lay_out(shape, ROWS, COLUMNS)
    high, wide = grid.rows * grid.high, grid.columns * grid.wide
    padded = torch.zeros(grid.lines * grid.width, dtype=torch.int32)
    padded[: grid.total] = wrong.reshape(-1)
    full = torch.zeros(high, wide, dtype=torch.int32)
    full[: grid.lines, : grid.width] = padded.reshape(grid.lines, grid.width)
    counts = full.reshape(grid.rows, grid.high, grid.columns, grid.wide).sum((1, 3))
    return WrongMap(
        shape, grid.width, (grid.high, grid.wide), tuple(tuple(row) for row in counts.tolist())
    )


def sentence(wrong: torch.Tensor) -> str:
    """Which elements are wrong, in half a sentence: "every element of columns 96 to 127".

    "" where nothing shorter than a list of them is true.
    """
    count, of = int(wrong.sum()), wrong.numel()
    if count < 2 or of > _MOST:
        return ""
    if count == of:
        return "every element"
    whole, where = _box(wrong)
    if whole and where:
        return where if wrong.dim() == 1 else f"every element of {where}"
    right, kept = _box(~wrong)
    if right and kept:
        return f"everything but {kept}"
    if wrong.dim() == 2 and (said := _about_the_diagonal(wrong, count)):
        return said
    return f"all in {where}" if where else ""


def _box(chosen: torch.Tensor) -> tuple[bool, str]:
    """Whether the chosen elements are all of some rows, columns … of the tensor, and which these are
    ("" for all of them, or where the numbers follow no rule)."""
    each = [
        chosen.movedim(dim, 0).reshape(size, -1).any(1).nonzero().reshape(-1).tolist()
        for dim, size in enumerate(chosen.shape)
    ]
    whole = math.prod(map(len, each)) == int(chosen.sum())
    names = _NAMES.get(chosen.dim()) or [f"index {i}" for i in range(chosen.dim())]
    parts = [
        _indices(name, indices, size)
        for name, indices, size in zip(names, each, chosen.shape, strict=True)
        if 0 < len(indices) < size
    ]
    return whole and all(parts), (" in " if chosen.dim() == 2 else ", ").join(filter(None, parts))


def _indices(name: str, indices: list[int], size: int) -> str:
    """`columns 96 to 127`, `every 2nd row from 1`, `index 0 = 3`; "" where they follow no rule."""
    first, last = indices[0], indices[-1]
    numbered = name.startswith("index")
    if first == last:
        return f"{name} = {first}" if numbered else f"{name} {first}"
    step = indices[1] - first
    if indices != list(range(first, last + 1, step)):
        left_out = sorted(set(range(size)) - set(indices))
        if len(left_out) == 1:
            return f"all but {name}{' =' if numbered else ''} {left_out[0]}"
        return ""
    if step > 1:
        return f"every {step}{_ordinal(step)} {name} from {first}"
    return f"{name} = {first} to {last}" if numbered else f"{name}s {first} to {last}"


def _ordinal(n: int) -> str:
    if n % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def _about_the_diagonal(wrong: torch.Tensor, count: int) -> str:
    """The sides of the main diagonal, where most of a side is wrong and nothing else."""
    rows, columns = wrong.shape
    if min(rows, columns) < 3:
        return ""
    everywhere = torch.ones_like(wrong)
    sides = {"below": everywhere.tril(-1), "above": everywhere.triu(1)}
    sides["off"] = sides["below"] | sides["above"]
    for name, side in sides.items():
        of = int(side.sum())
        if count == int((wrong & side).sum()) and 2 * count > of:
            return f"{'every element' if count == of else 'only elements'} {name} the diagonal"
    return ""
