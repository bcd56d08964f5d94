import torch


def chunks(prompt, decodes, budget):
    read = (budget - decodes).cumsum(0).clamp(max=prompt)
    steps = int((read < prompt).sum()) + 1
    before = torch.cat([read.new_zeros(1), read[:-1]])
    return (read - before)[:steps]


def plan(waiting, running, budget):
    decoding = [r for r in running if r.written]
    prompts = [r for r in running if not r.written] + list(waiting)
    room = budget - len(decoding)
    step, end = dict.fromkeys((r.name for r in decoding), 1), 0
    for r in prompts:
        begin, end = end, end + r.left
        if begin < room:
            step[r.name] = min(end, room) - begin
    return step
