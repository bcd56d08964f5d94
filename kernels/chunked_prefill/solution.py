import torch
from torch import Tensor


def chunks(prompt: int, decodes: Tensor, budget: int) -> Tensor:
    """Tokens of the prompt that each step reads: int64."""
    taken = []
    for busy in decodes.tolist():
        if prompt == 0:
            break
        chunk = min(prompt, budget - busy)
        taken.append(chunk)
        prompt -= chunk
    return torch.tensor(taken)


def plan(waiting: list, running: list, budget: int) -> dict[str, int]:
    """Tokens of each request in the next step, by name."""
    # Decodes come first, so no prompt can take the room from them. A token that was written says
    # who decodes: `left` is 1 as well for the last token of a prompt.
    taken = {request.name: 1 for request in running if request.written}
    room = budget - len(taken)
    # Prompts in turn: each is whole before the next one gets a token.
    for request in [*running, *waiting]:
        if room and not request.written:
            taken[request.name] = min(request.left, room)
            room -= taken[request.name]
    return taken
