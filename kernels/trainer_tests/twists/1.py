import random

import torch


def plain(weights, steps):
    """Train in one process. Return the weights afterwards, and the loss of each step."""
    weights, losses = weights.clone().requires_grad_(), []
    mean, squares = torch.zeros_like(weights), torch.zeros_like(weights)
    for number, (x, y) in enumerate(steps, 1):
        for layer in weights:
            x = torch.tanh(x @ layer)
        loss = ((x - y) ** 2).mean()
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, weights)
        mean = 0.9 * mean + 0.1 * gradient
        squares = 0.99 * squares + 0.01 * gradient**2
        root = (squares / (1 - 0.99**number)).sqrt()
        change = 0.01 * mean / (1 - 0.9**number) / (root + 1e-3)
        weights = (weights - change).detach().requires_grad_()
    return weights.detach(), losses


def run_once(train, dice):
    """True if one drawn run is right."""
    stages, replicas = dice.randint(3, 4), dice.randint(2, 3)
    microbatches, count = dice.randint(2, 5), dice.randint(2, 3)
    layers, width = stages + dice.randint(0, 2), 5
    rows = replicas * microbatches * dice.randint(1, 2)
    g = torch.Generator().manual_seed(dice.randint(0, 10**6))
    weights = torch.randn(layers, width, width, generator=g, dtype=torch.float64)
    data = torch.rand(count, 2, rows, width, generator=g, dtype=torch.float64)
    kept = weights.clone(), data.clone()
    run = train(weights, [(x, y) for x, y in data], stages, replicas, microbatches)
    want, losses = plain(kept[0], [(x, y) for x, y in kept[1]])
    if not (torch.equal(kept[0], weights) and torch.equal(kept[1], data)):
        return False
    off = [(each - want).abs().max().item() for each in run.weights]
    off += [abs(a - b) for a, b in zip(run.losses, losses, strict=True)]
    if max(off) > 1e-9:
        return False
    for rank in range(stages * replicas):
        s = rank // replicas
        n = ((s + 1) * layers // stages - s * layers // stages) * width * width
        share = -(-n // replicas)
        ends = (s in (0, stages - 1)) + 0
        passed = rows // replicas * width * (2 - ends)
        limits = (
            2 * share,
            min(stages - s, microbatches),
            8 * count * (passed + (replicas + 1) * share),
        )
        held = run.state[rank], run.alive[rank], run.sent[rank]
        if any(one > most for one, most in zip(held, limits, strict=True)):
            return False
    return True


def accept(train):
    dice = random.Random(5)
    return all(run_once(train, dice) for _ in range(5))


def verdicts(builds: list[str]) -> torch.Tensor:
    """1 for each build that is accepted, else 0: int64. Leave it as it is."""
    torch.set_num_threads(1)
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accept(names["train"])))
    return torch.tensor(found)
