from typing import NamedTuple

import torch


class Node(NamedTuple):
    name: str  # of the tensor that it writes
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
    _sizes, nodes = parse(graph)
    # Each node is a kernel of its own here. Which
    # pairs may be joined, and which of them first?
    return torch.arange(len(nodes))
