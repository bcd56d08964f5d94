"""A function that asks the layer behind it."""

import torch


def bands(image, layers, budget):
    rows, size = int(image[0]), [int(image[1]), *layers[:, 3].tolist()]
    count = layers.shape[0]
    tall = [rows]
    for kernel, stride, padding in layers[:, :3].tolist():
        tall.append((tall[-1] + 2 * padding - kernel) // stride + 1)

    def rows_of(i, band):
        """First row and end of tensor i, of which 0 is the image and `count` the result."""
        if i == count:
            return band
        first, end = rows_of(i + 1, band)
        kernel, stride, padding = layers[i, :3].tolist()
        first, last = first * stride - padding, (end - 1) * stride - padding + kernel - 1
        return max(first, 0), min(last, tall[i] - 1) + 1

    step = tall[-1]
    while step:
        cut = [(t, min(t + step, tall[-1])) for t in range(0, tall[-1], step)]
        parts = [[rows_of(i, band) for i in range(count + 1)] for band in cut]
        held = [
            [(end - first) * b for (first, end), b in zip(part, size, strict=True)] for part in parts
        ]
        most = max(h[i] + (h[i + 1] if i + 1 < count else 0) for h in held for i in range(count))
        peak = most + size[-1] * tall[-1]
        if peak <= budget:
            work = sum(
                (part[i + 1][1] - part[i + 1][0]) * int(layers[i, 4])
                for part in parts
                for i in range(count)
            )
            return torch.tensor([step, peak, work])
        step -= 1
    return torch.zeros(3, dtype=torch.int64)
