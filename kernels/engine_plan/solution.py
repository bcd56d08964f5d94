import torch
from torch import Tensor


def parameters(model: list[int]) -> tuple[int, int]:
    """Numbers in all weights, and in those of them that a token is multiplied by."""
    layers, width, heads, kv_heads, hidden, characters = model
    keys = width // heads * kv_heads  # several query heads share one head of keys
    layer = 2 * width * width + 2 * width * keys + 3 * width * hidden
    # The embedding gives the logits as well, so it is there once, and is multiplied by.
    products = layers * layer + characters * width
    return products + (2 * layers + 1) * width, products


def cached(model: list[int]) -> int:
    """Numbers that are kept of a token: a key and a value in each layer."""
    layers, width, heads, kv_heads, _, _ = model
    return 2 * layers * kv_heads * (width // heads)


def promised(
    target: list[int],
    draft: list[int],
    prompts: Tensor,
    limits: Tensor,
    blocks: int,
    size: int,
    places: int,
    k: int,
    kept: float,
) -> Tensor:
    """The eleven numbers of the plan: float64 [11]."""
    (weights, products), (draft_weights, _) = parameters(target), parameters(draft)
    whole = prompts + limits - 1  # the last token is not read
    longest = int(whole.max())
    flop = 2 * products + 4 * target[0] * target[1] * longest

    held = torch.ceil((prompts + limits / 2) / size).mean().item()
    reserved = torch.ceil(whole / size).mean().item()
    at_once = min(places, blocks / held)

    plain = int(limits.sum())
    step = sum(kept**i for i in range(k + 1))
    calls = plain / step / at_once
    drafts = k * calls
    numbers = [
        4 * (weights + draft_weights),
        4 * size * (cached(target) + cached(draft)),
        flop,
        -(-longest // size),
        at_once,
        min(places, blocks / reserved),
        plain,
        step,
        calls,
        drafts,
        # A call of a small batch takes the time of reading the weights.
        calls + drafts * draft_weights / weights,
    ]
    return torch.tensor(numbers, dtype=torch.float64)
