"""Finds what is needed first."""

import torch

DRAWS = {"rand_like", "randn_like", "dropout", "bernoulli"}


def writes(node: torch.fx.Node) -> bool:
    """Say if the node changes its first argument in place."""
    if not node.op.startswith("call"):
        return False
    name = getattr(node.target, "__name__", node.target)
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place or bool(node.kwargs.get("inplace"))


def draws(node: torch.fx.Node) -> bool:
    """Say if the node draws random numbers."""
    name = getattr(node.target, "__name__", node.target)
    return node.op.startswith("call") and name in DRAWS


def sweep(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Remove what the results do not need, in place."""
    graph = module.graph
    found = {
        node
        for node in graph.nodes
        if node.op in ("placeholder", "output") or writes(node) or draws(node)
    }
    open_ones = list(found)
    while open_ones:
        for node in open_ones.pop().all_input_nodes:
            if node not in found:
                found.add(node)
                open_ones.append(node)
    for node in list(graph.nodes)[::-1]:
        if node not in found:
            graph.erase_node(node)
    module.recompile()
    return module
