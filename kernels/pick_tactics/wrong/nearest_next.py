# expect: wrong-values
import torch


def pick_tactics(layers, reformats, first, last, limit):
    copies = {(before, after): time for before, after, time in reformats}
    form, choices = first, []
    for tactics in layers:
        costs = [
            (0 if form == reads else copies.get((form, reads), 1 << 40)) + time
            if space <= limit
            else 1 << 50
            for reads, makes, time, space in tactics
        ]
        choices.append(costs.index(min(costs)))
        form = tactics[choices[-1]][1]
    return torch.tensor(choices)
