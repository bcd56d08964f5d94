import functools

import torch


def pick_tactics(layers, reformats, first, last, limit):
    copies = {(before, after): time for before, after, time in reformats}

    def copy(before, after):
        return 0 if before == after else copies.get((before, after), float("inf"))

    @functools.cache
    def left(layer, form):
        """The least time from this layer on, and its choices."""
        if layer == len(layers):
            return copy(form, last), ()
        found = [(float("inf"), ())]
        for at, (reads, makes, time, workspace) in enumerate(layers[layer]):
            if workspace <= limit:
                rest, choices = left(layer + 1, makes)
                found.append((copy(form, reads) + time + rest, (at, *choices)))
        return min(found)

    return torch.tensor(left(0, first)[1])
