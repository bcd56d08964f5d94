import torch
import torch.nn.functional as F


def recognise(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace GELU written out by F.gelu, in place."""
    # Find the formula in all its spellings.
    return module


def run(x: torch.Tensor, source: str) -> torch.Tensor:
    """Rewrite a text's class `Net` and run it on x. Leave it as it is."""
    names = {"torch": torch, "F": F}
    exec(source, names)
    module = recognise(torch.fx.symbolic_trace(names["Net"]()))
    return module(x.clone())
