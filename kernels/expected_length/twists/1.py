import torch


def expected_length(p: torch.Tensor, q: torch.Tensor, k: int, cost: float) -> torch.Tensor:
    """Return [k + 1, 3] float64; row j is for j drafts: tokens a step by one rate and along the text,
    and the speed-up."""
    # How often a draft is kept at each place, [texts, places].
    overlap = torch.minimum(p.double(), q.double()).sum(-1)
    rate = overlap.mean()
    table = torch.ones(k + 1, 3, dtype=torch.float64)
    runs = torch.ones_like(overlap)
    for j in range(1, k + 1):
        # Draft j is reached and kept only if the j - 1 before it were. A run stays inside of a text.
        runs = runs[:, : overlap.shape[1] - j + 1] * overlap[:, j - 1 :]
        table[j, 0] = table[j - 1, 0] + rate**j
        table[j, 1] = table[j - 1, 1] + runs.mean()
    # A step is one call of the target and j of the draft model.
    calls = 1 + cost * torch.arange(k + 1, dtype=torch.float64)
    table[:, 2] = table[:, 1] / calls
    return table
