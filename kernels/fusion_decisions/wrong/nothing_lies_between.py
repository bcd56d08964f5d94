# expect: wrong-values

from itertools import combinations
from typing import NamedTuple

import torch


class Node(NamedTuple):
    name: str
    loop: str
    reads: list[str]


def parse(graph: str) -> tuple[dict[str, int], list[Node]]:
    """The MiB of each tensor, and the nodes in order."""
    sizes, nodes = {}, []
    for line in graph.strip().splitlines():
        name, _, rest = line.partition(": ")
        size, _, formula = rest.partition(", ")
        sizes[name] = int(size)
        if formula:
            loop, _, reads = formula.partition(" = ")
            nodes.append(Node(name, loop, reads.split()))
    return sizes, nodes


def kernels(graph: str) -> torch.Tensor:
    """For each node the place of the earliest node of its kernel, int64."""
    sizes, nodes = parse(graph)
    groups = [[place] for place in range(len(nodes))]

    def touches(group):
        return {name for i in group for name in (nodes[i].name, *nodes[i].reads)}

    def feeds(first, second):
        """The second reads what the first writes."""
        written = {nodes[i].name for i in first}
        return any(name in written for i in second for name in nodes[i].reads)

    def between(first, second):
        """A path from the first to the second goes through another kernel."""
        seen, open_ones = [], [g for g in groups if g not in (first, second) and feeds(first, g)]
        while open_ones:
            group = open_ones.pop()
            if feeds(group, second):
                return True
            seen.append(group)
            open_ones += [
                g for g in groups if g not in (first, second, *seen) and feeds(group, g)
            ]
        return False

    def score(first, second):
        return sum(sizes[name] for name in touches(first) & touches(second))

    def allowed(first, second):
        loops = {nodes[i].loop for i in first + second}
        if len(loops) > 1 or "call" in loops or not score(first, second):
            return False
        return True

    while True:
        pairs = [(score(p, q), -p[0], -q[0]) for p, q in combinations(groups, 2) if allowed(p, q)]
        if not pairs:
            break
        _, first, second = max(pairs)
        one, other = (next(g for g in groups if g[0] == -at) for at in (first, second))
        groups = sorted([g for g in groups if g not in (one, other)] + [sorted(one + other)])
    home = {i: group[0] for group in groups for i in group}
    return torch.tensor([home[i] for i in range(len(nodes))])
