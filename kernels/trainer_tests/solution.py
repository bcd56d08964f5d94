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
    # Four stages have some in the middle; 9 weights do not divide by 2; Adam needs several steps
    # to show what it remembers; and three microbatches are fewer than the stages, so that each of
    # the two bounds of `alive` is the smaller one on some stage.
    layers, width, stages, replicas, microbatches, count = 4, 3, 4, 2, 3, 3
    torch.manual_seed(3)
    rows = replicas * microbatches * 2
    weights = torch.randn(layers, width, width, dtype=torch.float64)
    data = torch.rand(count, 2, rows, width, dtype=torch.float64)
    steps = [(x, y) for x, y in data]
    before, text = weights.clone(), data.clone()
    want, losses = plain(before, steps)
    run = train(weights, steps, stages, replicas, microbatches)
    if not torch.equal(weights, before) or not torch.equal(data, text):
        return False
    for mine in run.weights:
        # float64 rounds at 1e-16. What a message in float16 spoils is about 1e-5.
        if (mine - want).abs().max() > 1e-9:
            return False
    if any(abs(one - other) > 1e-9 for one, other in zip(run.losses, losses, strict=True)):
        return False
    own = layers // stages * width * width
    share = -(-own // replicas)
    for rank in range(stages * replicas):
        stage = rank // replicas
        neighbours = (stage > 0) + (stage < stages - 1)
        passed = rows // replicas * width * neighbours
        most = 8 * count * (passed + (replicas + 1) * share)
        # A build may hold and send less.
        if run.state[rank] > 2 * share:
            return False
        if run.alive[rank] > min(stages - stage, microbatches):
            return False
        if run.sent[rank] > most:
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
