import itertools

import torch


def chunks(prompt, decodes, budget):
    read = (budget - decodes).cumsum(0).clamp(max=prompt)
    steps = int((read < prompt).sum()) + 1
    return torch.diff(read, prepend=read.new_zeros(1))[:steps]


def plan(waiting, running, budget):
    step = {r.name: 1 for r in running if r.written}
    room = budget - len(step)
    prompts = [r for r in (*running, *waiting) if not r.written]
    ends = itertools.accumulate(r.left for r in prompts)
    got = {r.name: min(r.left, room - (end - r.left)) for r, end in zip(prompts, ends, strict=True)}
    return step | {name: tokens for name, tokens in got.items() if tokens > 0}
