import torch


def model(x: torch.Tensor, training: bool = True) -> torch.Tensor:
    """See the task. Right as it stands, and captured in four graphs."""
    y = x.sin()
    print(f"norm of the input: {x.norm()}")
    if x.sum() > 0:
        y = y * 2
    candidates = sorted([y, y.cos()], key=lambda each: each.sum())
    return candidates[0]
