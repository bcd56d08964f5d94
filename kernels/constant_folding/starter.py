import torch
import torch.nn.functional as F

DRAWS = {"rand_like", "randn_like", "dropout", "bernoulli"}
VIEWS = {"t", "view", "reshape", "transpose", "expand", "getitem"}


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


def fold(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Compute once what depends on weights alone."""
    # Find what is touched, then fold the calls that
    # read weights alone.
    return module


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Rewrite a text's class `Net` and run it on x. Leave it as it is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    module = fold(torch.fx.symbolic_trace(names["Net"]()))
    return module(x.clone())
