import torch
import torch.nn.functional as F


def operate(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace each ReLU by SiLU, and clamp each matrix product, in place."""
    # `a @ b` calls operator.matmul. Find ReLUs and
    # products in the graph.
    return module


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Operate on a text's class `Net` and run it on x. Leave it as is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    return operate(torch.fx.symbolic_trace(names["Net"]()))(x)
