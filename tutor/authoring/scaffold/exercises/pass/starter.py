import torch


def $slug(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Take out pairs of minus signs, in place."""
    # Find a sign that reads a sign.
    return module
