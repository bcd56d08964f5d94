"""Joins two kernels on trial, and asks whether an order of all kernels is left."""

import torch


def kernels(graph):
    sizes, nodes = {}, []
    for line in graph.splitlines():
        name, rest = line.split(": ")
        mib, *more = rest.split(", ")
        sizes[name] = int(mib)
        if more:
            loop, reads = more[0].split(" = ")
            nodes.append((name, loop, reads.split()))
    at = {name: i for i, (name, *_) in enumerate(nodes)}
    needs = [[at[r] for r in reads if r in at] for _, _, reads in nodes]
    home = list(range(len(nodes)))

    def orderly(home):
        left = set(home)
        while left:
            ready = {
                k
                for k in left
                if not any(
                    home[j] in left and home[j] != k
                    for i, h in enumerate(home)
                    if h == k
                    for j in needs[i]
                )
            }
            if not ready:
                return False
            left -= ready
        return True

    def touched(k):
        return {n for i, h in enumerate(home) if h == k for n in (nodes[i][0], *nodes[i][2])}

    while True:
        best = (0, 0, 0)
        for p in sorted(set(home)):
            for q in sorted(set(home)):
                if p >= q or nodes[p][1] != nodes[q][1] or nodes[p][1] == "call":
                    continue
                score = sum(sizes[n] for n in touched(p) & touched(q))
                if score and orderly([p if h == q else h for h in home]):
                    best = max(best, (score, -p, -q))
        if not best[0]:
            return torch.tensor(home)
        home = [-best[1] if h == -best[2] else h for h in home]
