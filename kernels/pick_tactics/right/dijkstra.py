import heapq

import torch


def pick_tactics(layers, reformats, first, last, limit):
    copies = {(before, after): time for before, after, time in reformats}
    heap, done = [(0, 0, first, ())], set()
    while heap:
        time, layer, form, choices = heapq.heappop(heap)
        if layer > len(layers):
            return torch.tensor(choices)
        if (layer, form) in done:
            continue
        done.add((layer, form))
        rows = layers[layer] if layer < len(layers) else [[last, last, 0, 0]]
        for at, (reads, makes, takes, workspace) in enumerate(rows):
            copy = 0 if form == reads else copies.get((form, reads))
            if copy is not None and workspace <= limit:
                more = (at,) if layer < len(layers) else ()
                heapq.heappush(heap, (time + copy + takes, layer + 1, makes, choices + more))
