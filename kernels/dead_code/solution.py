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
    # Backwards, so that a node whose last reader has gone is met afterwards.
    for node in reversed(graph.nodes):
        # A placeholder that nobody reads is part of the signature.
        stays = node.op in ("placeholder", "output")
        stays = stays or writes(node) or draws(node)
        if not node.users and not stays:
            graph.erase_node(node)
    module.recompile()
    return module
