# expect: wrong-graph
import torch

PREDICTED_SPEEDUP = 3.0


@torch._dynamo.allow_in_graph
def hidden(x):
    return torch.relu(x) * 0.5 + 1.0


def chain(x: torch.Tensor) -> torch.Tensor:
    """relu(x), times 0.5, plus 1.0."""
    return hidden(x)
