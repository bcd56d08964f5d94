import torch
from torch import Tensor


def heights(rows: int, layers: list) -> list[int]:
    """Rows of the image, and of each layer's result."""
    found = [rows]
    for kernel, stride, padding, _, _ in layers:
        found.append((found[-1] + 2 * padding - kernel) // stride + 1)
    return found


def rows_read(low: int, high: int, layer: list, given: int) -> tuple[int, int]:
    """The rows that a layer reads to make those from low to high, which is one behind the last."""
    kernel, stride, padding, _, _ = layer
    # What lies outside is zeros: it is neither stored nor computed.
    return max(0, low * stride - padding), min(given, (high - 1) * stride - padding + kernel)


def cost(step: int, image: list, layers: list) -> tuple[int, int]:
    """The peak in bytes, and the multiplications, with bands of `step` rows."""
    tall = heights(image[0], layers)
    row_bytes = [image[1]] + [layer[3] for layer in layers]
    most = work = 0
    # Bands at the border read less than those inside, so each band is looked at.
    for top in range(0, tall[-1], step):
        low, high = top, min(top + step, tall[-1])
        made = 0  # the last layer writes into the result, which is counted below
        for i in reversed(range(len(layers))):
            work += layers[i][4] * (high - low)
            low, high = rows_read(low, high, layers[i], tall[i])
            read = row_bytes[i] * (high - low)
            most = max(most, read + made)
            made = read  # what this layer reads is what the one before makes
    return row_bytes[-1] * tall[-1] + most, work


def bands(image: Tensor, layers: Tensor, budget: int) -> Tensor:
    """[rows of a band, peak, multiplications] of the tallest band that fits: int64 [3]."""
    picture, rows = image.tolist(), layers.tolist()
    # Taller bands compute fewer rows twice.
    for step in range(heights(picture[0], rows)[-1], 0, -1):
        peak, work = cost(step, picture, rows)
        if peak <= budget:
            return torch.tensor([step, peak, work])
    return torch.tensor([0, 0, 0])
