# expect: wrong-values
import torch


def pick_tactics(layers, reformats, first, last, limit):
    choices = []
    for tactics in layers:
        times = [row[2] if row[3] <= limit else 1 << 40 for row in tactics]
        choices.append(times.index(min(times)))
    return torch.tensor(choices)
