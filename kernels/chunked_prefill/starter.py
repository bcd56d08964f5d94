import torch
from torch import Tensor


def chunks(prompt: int, decodes: Tensor, budget: int) -> Tensor:
    """Tokens of the prompt that each step reads: int64."""
    # The whole prompt in one step.
    return torch.tensor([prompt])


def plan(waiting: list, running: list, budget: int) -> dict[str, int]:
    """Tokens of each request in the next step, by name."""
    # Whole prompts first, one a step, while all others
    # stand still. Serve those that decode, and read
    # prompts in chunks beside them.
    for request in waiting:
        return {request.name: request.left}
    return {request.name: 1 for request in running}
