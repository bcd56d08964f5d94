import torch
import torch.nn.functional as F


def operate(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace each ReLU by SiLU, and clamp each matrix product, in place."""
    # `a @ b` calls operator.matmul. Find ReLUs and products among module.graph.nodes.
    return module


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Operate on the class `Net` of a text and run it on x. Leave it as it is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    return operate(torch.fx.symbolic_trace(names["Net"]()))(x)
