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


RUNS = (
    # layers, width, stages, replicas, microbatches, steps
    (5, 3, 2, 3, 2, 2),
    (4, 2, 4, 1, 6, 2),
    (3, 3, 3, 4, 1, 3),
    (6, 3, 3, 2, 5, 4),
    (1, 5, 1, 3, 3, 2),
)


def within(run, layers, width, stages, replicas, microbatches, count, rows):
    """True if no rank holds or sends more than it may."""
    for s in range(stages):
        n = ((s + 1) * layers // stages - s * layers // stages) * width**2
        share = (n + replicas - 1) // replicas
        message = rows // replicas // microbatches * width * 8
        sends = microbatches * message * ((s != 0) + (s != stages - 1))
        gives = 0 if replicas == 1 else (replicas + 1) * share * 8
        for r in range(replicas):
            rank = s * replicas + r
            good = (
                run.state[rank] <= 2 * share
                and run.alive[rank] <= stages - s
                and run.alive[rank] <= microbatches
                and run.sent[rank] <= count * (sends + gives)
            )
            if not good:
                return False
    return True


def accept(train):
    g = torch.Generator().manual_seed(7)
    for layers, width, stages, replicas, microbatches, count in RUNS:
        rows = replicas * microbatches * 3
        size = (layers, width, width)
        weights = torch.randn(size, generator=g, dtype=torch.float64)
        steps = [
            tuple(torch.rand(2, rows, width, generator=g, dtype=torch.float64))
            for _ in range(count)
        ]
        copies = weights.clone(), [(x.clone(), y.clone()) for x, y in steps]
        run = train(weights, steps, stages, replicas, microbatches)
        want, losses = plain(*copies)
        same = torch.equal(weights, copies[0]) and all(
            torch.equal(a, b)
            for new, old in zip(steps, copies[1], strict=True)
            for a, b in zip(new, old, strict=True)
        )
        near = all(torch.allclose(each, want, rtol=0, atol=1e-9) for each in run.weights)
        told = max(abs(a - b) for a, b in zip(run.losses, losses, strict=True)) < 1e-9
        if not (same and near and told):
            return False
        if not within(run, layers, width, stages, replicas, microbatches, count, rows):
            return False
    return True


def verdicts(builds: list[str]) -> torch.Tensor:
    """1 for each build that is accepted, else 0: int64. Leave it as it is."""
    torch.set_num_threads(1)
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accept(names["train"])))
    return torch.tensor(found)
