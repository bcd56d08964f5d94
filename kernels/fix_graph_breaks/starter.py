import torch


def model(x: torch.Tensor, training: bool = True) -> torch.Tensor:
    """See the task. Right as it stands, and cut into three graphs by three breaks."""
    # Write it as one graph. Which lines need a number
    # from a tensor before Python can go on?
    y = x.sin()
    if training:
        print(f"smallest sine: {y.amin()}")
    y = (y, 2 * y)[int(x.sum() > 0)]
    other = y.cos()
    smaller = (other.sum() < y.sum()).item()
    return other if smaller else y
