import torch
from torch import Tensor


def rounded(size: int, alignment: int) -> int:
    """Return the next multiple of the alignment that is not below the size."""
    return -(-size // alignment) * alignment


def live(tensors: Tensor, alignment: int) -> Tensor:
    """Bytes alive at each step: int64 [steps]."""
    rows = tensors.tolist()
    steps = 1 + max(last for _, _, last in rows)
    alive = [0] * steps
    for size, first, last in rows:
        # Both ends count: at the last step it is still read, while the result is written.
        for step in range(first, last + 1):
            alive[step] += rounded(size, alignment)
    return torch.tensor(alive)


def plan(tensors: Tensor, alignment: int) -> Tensor:
    """An offset for each tensor: int64 [n]."""
    rows = tensors.tolist()
    offsets = [0] * len(rows)
    placed: list[int] = []
    # The largest first: a small one fits into a gap that large ones leave, and not the other way round.
    order = sorted(range(len(rows)), key=lambda i: -rows[i][0])
    for i in order:
        size, first, last = rows[i]
        # Only those count that are alive at a common step. The other places are free.
        near = [j for j in placed if rows[j][1] <= last and first <= rows[j][2]]
        taken = sorted((offsets[j], offsets[j] + rows[j][0]) for j in near)
        at = 0
        for begin, end in taken:
            if begin - at >= size:
                break
            # A long tensor may end behind those that begin after it, so never step back.
            at = max(at, rounded(end, alignment))
        offsets[i] = at
        placed.append(i)
    return torch.tensor(offsets)
