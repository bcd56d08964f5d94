"""All bands of a step at once, as tensors of first rows and ends."""

import torch


def bands(image, layers, budget):
    found = torch.zeros(3, dtype=torch.int64)
    height, first = image.unbind()
    tall = [height]
    for layer in layers:
        tall.append((tall[-1] + 2 * layer[2] - layer[0]) // layer[1] + 1)
    each = torch.cat((first[None], layers[:, 3]))
    for step in range(1, int(tall[-1]) + 1):
        low = torch.arange(0, int(tall[-1]), step)
        high = (low + step).clamp(max=int(tall[-1]))
        most, work, made = torch.tensor(0), torch.tensor(0), torch.tensor(0)
        for i in range(len(layers) - 1, -1, -1):
            kernel, stride, padding, _, row_work = layers[i]
            work = work + row_work * (high - low).sum()
            low = (low * stride - padding).clamp(min=0)
            high = torch.minimum((high - 1) * stride - padding + kernel, tall[i])
            read = (high - low) * each[i]
            most = torch.maximum(most, (read + made).max())
            made = read
        peak = most + each[-1] * tall[-1]
        if peak <= budget:
            found = torch.stack((torch.tensor(step), peak, work))
    return found
