"""Sets of places, and one sort of all pairs in each round."""

import itertools

import torch


def kernels(graph):
    size, nodes = {}, []
    for line in graph.split("\n"):
        name, rest = line.split(": ")
        if ", " not in rest:
            size[name] = int(rest)
            continue
        mib, formula = rest.split(", ")
        loop, reads = formula.split(" = ")
        size[name] = int(mib)
        nodes.append((name, loop, set(reads.split())))
    groups = [frozenset([i]) for i in range(len(nodes))]

    def out(group):
        return {nodes[i][0] for i in group}

    def read(group):
        return set().union(*(nodes[i][2] for i in group))

    def apart(p, q):
        frontier, seen = [p], set()
        while frontier:
            here = frontier.pop()
            for g in groups:
                if g == p or g in seen or not out(here) & read(g):
                    continue
                if g == q:
                    if here != p:
                        return True
                    continue
                seen.add(g)
                frontier.append(g)
        return False

    while True:
        ranked = []
        for p, q in itertools.combinations(sorted(groups, key=min), 2):
            loops = {nodes[i][1] for i in p | q}
            if len(loops) != 1 or "call" in loops:
                continue
            common = (out(p) | read(p)) & (out(q) | read(q))
            if common and not apart(p, q) and not apart(q, p):
                ranked.append((-sum(size[n] for n in common), min(p), min(q), p, q))
        if not ranked:
            break
        *_, p, q = sorted(ranked, key=lambda each: each[:3])[0]
        groups = [g for g in groups if g not in (p, q)] + [p | q]
    return torch.tensor([min(next(g for g in groups if i in g)) for i in range(len(nodes))])
