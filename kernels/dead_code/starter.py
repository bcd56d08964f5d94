import torch
import torch.nn.functional as F

DRAWS = {"rand_like", "randn_like", "dropout", "bernoulli"}


def sweep(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Remove what the results do not need, in place."""
    # Erase the nodes that nobody needs, and keep what
    # has an effect.
    return module


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Rewrite a text's class `Net` and run it on x. Leave it as it is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    module = sweep(torch.fx.symbolic_trace(names["Net"]()))
    return module(x.clone())
