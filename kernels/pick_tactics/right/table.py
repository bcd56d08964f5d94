"""A table of numbers: formats as columns, and a table of where each least came from."""

import torch


def pick_tactics(layers, reformats, first, last, limit):
    names = {first, last}
    names.update(name for tactics in layers for row in tactics for name in row[:2])
    names = sorted(names)
    column = {name: at for at, name in enumerate(names)}
    never = float("inf")
    copy = [[0 if a == b else never for b in names] for a in names]
    for a, b, time in reformats:
        if a in column and b in column:
            copy[column[a]][column[b]] = time
    here = [0 if name == first else never for name in names]
    came = []
    for tactics in layers:
        # In which format may the value be read, at which least time?
        ready = [
            min((here[a] + copy[a][b], a) for a in range(len(names))) for b in range(len(names))
        ]
        here, back = [never] * len(names), [None] * len(names)
        for at, (reads, makes, time, space) in enumerate(tactics):
            before, source = ready[column[reads]]
            if space <= limit and before + time < here[column[makes]]:
                here[column[makes]], back[column[makes]] = before + time, (at, source)
        came.append(back)
    at = min(range(len(names)), key=lambda a: here[a] + copy[a][column[last]])
    plan = []
    for back in reversed(came):
        tactic, at = back[at]
        plan.append(tactic)
    return torch.tensor(plan[::-1])
