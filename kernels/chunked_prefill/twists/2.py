import torch


def chunks(prompt, decodes, budget):
    def read(left, rooms):
        return [min(left, rooms[0]), *read(left - min(left, rooms[0]), rooms[1:])] if left else []

    return torch.tensor(read(prompt, (budget - decodes).tolist()))


def plan(waiting, running, budget):
    step = {r.name: 1 for r in running if r.written}

    def serve(prompts, room):
        if not prompts or not room:
            return {}
        first, *others = prompts
        tokens = min(first.left, room)
        return {first.name: tokens, **serve(others, room - tokens)}

    return step | serve([r for r in (*running, *waiting) if not r.written], budget - len(step))
