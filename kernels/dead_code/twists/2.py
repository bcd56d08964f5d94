"""Gives torch's own pass a rule of effects."""

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
    module.graph.eliminate_dead_code(
        lambda n: n.op in ("placeholder", "output") or writes(n) or draws(n)
    )
    module.recompile()
    return module
