import math

import torch


def promised(target, draft, prompts, limits, blocks, size, places, k, kept):
    requests = [(int(p), int(n)) for p, n in zip(prompts, limits, strict=True)]
    sizes = {}
    for name, (layers, width, heads, shared, hidden, characters) in (
        ("target", target),
        ("draft", draft),
    ):
        head = width // heads
        matrices = [width * width, width * width, width * head * shared, width * head * shared]
        matrices += [width * hidden] * 3
        norms = (2 * layers + 1) * width
        multiplied = layers * sum(matrices) + characters * width
        sizes[name] = multiplied + norms, multiplied, layers * 2 * shared * head
    out = torch.zeros(11, dtype=torch.float64)
    out[0] = 4 * sum(each[0] for each in sizes.values())
    out[1] = 4 * size * sum(each[2] for each in sizes.values())
    largest = max(p + n - 1 for p, n in requests)
    out[2] = 2 * sizes["target"][1] + target[0] * 4 * target[1] * largest
    out[3] = math.ceil(largest / size)
    middle = [math.ceil((p + n / 2) / size) for p, n in requests]
    end = [math.ceil((p + n - 1) / size) for p, n in requests]
    out[4] = min(blocks / (sum(middle) / len(middle)), places)
    out[5] = min(blocks / (sum(end) / len(end)), places)
    out[6] = sum(n for _, n in requests)
    out[7] = k + 1 if kept == 1 else (1 - kept ** (k + 1)) / (1 - kept)
    out[8] = out[6] / out[7] / out[4]
    out[9] = k * out[8]
    out[10] = out[8] + out[9] * sizes["draft"][0] / sizes["target"][0]
    return out
