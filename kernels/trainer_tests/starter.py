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


def accept(train) -> bool:
    """True if the build is right."""
    torch.manual_seed(0)
    weights = torch.randn(2, 4, 4, dtype=torch.float64)
    x, y = torch.rand(2, 8, 4, dtype=torch.float64)
    run = train(weights, [(x, y)], 2, 1, 1)
    want, losses = plain(weights, [(x, y)])
    # A beginning. What does it not see?
    return torch.allclose(run.weights[0], want)


def verdicts(builds: list[str]) -> torch.Tensor:
    """1 for each build that is accepted, else 0: int64. Leave it as it is."""
    torch.set_num_threads(1)
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accept(names["train"])))
    return torch.tensor(found)
