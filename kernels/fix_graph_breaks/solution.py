import torch


def model(x: torch.Tensor, training: bool = True) -> torch.Tensor:
    """See the task. One graph: no line needs a value on the host."""
    # The print is gone. Whoever must log from a compiled function can declare print reorderable
    # (torch._dynamo.config.reorderable_logging_functions); it then runs after the graph.
    y = x.sin()

    # The condition is a tensor of one element and stays one. torch.where broadcasts it, so both
    # outcomes are written down and no number picks from a pair. The doubling is computed either way:
    # one multiplication inside a fused kernel costs less than a wait for the sum. torch.cond is the
    # tool when a branch is expensive.
    y = torch.where(x.sum() > 0, 2 * y, y)

    # .item() fetches the answer of the comparison for Python's `if`. Here it stays a tensor too.
    # Strictly below: where the sums are equal, y is returned.
    other = y.cos()
    return torch.where(other.sum() < y.sum(), other, y)
    # `training` is never read, so Dynamo guards nothing about it: True and False share the graph.
