import torch


def expected_length(p: torch.Tensor, q: torch.Tensor, k: int, cost: float) -> torch.Tensor:
    """Return [k + 1, 3] float64; row j is for j drafts: tokens a step by one rate and along the text,
    and the speed-up."""
    # How often a draft is kept at each place,
    # [texts, places]: is it that?
    overlap = (p.double() * q.double()).sum(-1)
    rate = overlap.mean()
    table = torch.ones(k + 1, 3, dtype=torch.float64)
    for j in range(1, k + 1):
        # What does draft j add? Both columns are the
        # same yet, and there is no speed-up.
        table[j, 0] = table[j - 1, 0] + rate**j
        table[j, 1] = table[j, 0]
    return table
