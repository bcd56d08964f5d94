import torch


def recognise(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace GELU written out by F.gelu, in place."""
    # Find the formula in all its spellings.
    return module
