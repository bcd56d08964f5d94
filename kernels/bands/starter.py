import torch
from torch import Tensor


def heights(rows: int, layers: list) -> list[int]:
    """Rows of the image, and of each layer's result."""
    found = [rows]
    for kernel, stride, padding, _, _ in layers:
        tall = (found[-1] + 2 * padding - kernel) // stride
        found.append(tall + 1)
    return found


def rows_read(
    low: int, high: int, layer: list, given: int
) -> tuple[int, int]:
    """Return what a layer reads to make the rows low to high.

    `high` is one behind the last row. The layer gets
    `given` rows.
    """
    # So far: all of them. Which ones are needed?
    return 0, given


def cost(
    step: int, image: list, layers: list
) -> tuple[int, int]:
    """Peak and multiplications, with bands of `step`."""
    tall = heights(image[0], layers)
    row_bytes = [image[1]] + [layer[3] for layer in layers]
    most = work = 0
    # So far: one band. Walk over all bands.
    low, high = 0, tall[-1]
    made = 0  # the last layer writes into the result
    for i in reversed(range(len(layers))):
        work += layers[i][4] * (high - low)
        low, high = rows_read(low, high, layers[i], tall[i])
        read = row_bytes[i] * (high - low)
        most = max(most, read + made)
        made = read
    return row_bytes[-1] * tall[-1] + most, work


def bands(
    image: Tensor, layers: Tensor, budget: int
) -> Tensor:
    """[rows of a band, peak, multiplications]: int64 [3]."""
    picture, rows = image.tolist(), layers.tolist()
    step = heights(picture[0], rows)[-1]
    peak, work = cost(step, picture, rows)
    # Which step is the largest one that fits?
    return torch.tensor([step, peak, work])
