import random

import torch


def accept(p, q, drafts, seed):
    """Walk through each request in plain Python, with numbers of Python's own generator."""
    numbers = random.Random(seed)
    k, tokens = q.shape[1], range(q.shape[2])
    steps = []
    for targets, ours, proposed in zip(p.tolist(), q.tolist(), drafts.tolist(), strict=True):
        step = []
        for place, x in enumerate(proposed):
            if numbers.random() < targets[place][x] / ours[place][x]:
                step.append(x)
                continue
            left = [max(a - b, 0.0) for a, b in zip(targets[place], ours[place], strict=True)]
            step += numbers.choices(tokens, left)
            break
        else:
            step += numbers.choices(tokens, targets[k])
        steps.append(step + [-1] * (k + 1 - len(step)))
    return torch.tensor(steps)
