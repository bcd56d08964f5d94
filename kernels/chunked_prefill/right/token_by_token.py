from collections import Counter, deque

import torch


def chunks(prompt, decodes, budget):
    out, step = [], 0
    while prompt:
        out.append(0)
        for _ in range(budget - int(decodes[step])):
            if prompt:
                out[-1] += 1
                prompt -= 1
        step += 1
    return torch.tensor(out, dtype=torch.int64)


def plan(waiting, running, budget):
    step = Counter(r.name for r in running if r.written)
    queue = deque((r.name, r.left) for r in [*running, *waiting] if not r.written)
    while queue and step.total() < budget:
        name, left = queue[0]
        step[name] += 1
        if step[name] == left:
            queue.popleft()
    return dict(step)
