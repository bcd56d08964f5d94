import torch


class Budget:
    def __init__(self, tokens):
        self.tokens = tokens

    def take(self, wanted):
        got = min(wanted, self.tokens)
        self.tokens -= got
        return got


def chunks(prompt, decodes, budget):
    taken = torch.zeros_like(decodes)
    for step in range(len(decodes)):
        taken[step] = Budget(budget - decodes[step].item()).take(prompt)
        prompt -= taken[step].item()
        if prompt == 0:
            return taken[: step + 1]
    return taken


def plan(waiting, running, budget):
    purse = Budget(budget)
    # sorted() keeps the order of equals: first who decodes, then prompts as they stand
    queue = sorted([*running, *waiting], key=lambda request: request.written == 0)
    given = [(request.name, purse.take(request.left)) for request in queue]
    return {name: tokens for name, tokens in given if tokens}
