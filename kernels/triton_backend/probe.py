"""Counts the kernels that a training step loads. Plain values only leave the learner's process."""

import torch


def probe(module, device):
    texts, load = [], module.load

    def counting(source):
        texts.append(source)
        return load(source)

    module.load = counting
    x = torch.linspace(-1, 1, 300, device=device)
    module.step(x, x + 1, "(x * y).sin() + x.exp() * 0.123456")  # a text of its own
    first = len(texts)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: (x * 0.765).sin(), backend=module.backend)
    counts = []
    for _ in range(2):
        compiled(x.clone().requires_grad_()).sum().backward()
        counts.append(len(texts))
    module.load = load
    return {"kernels": first, "second": counts[1] - counts[0]}
