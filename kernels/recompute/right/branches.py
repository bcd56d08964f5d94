import torch


def recompute(reads, size, time, wanted, budget):
    """Decide value by value, the last first: kept, or computed again if somebody asks for it."""
    best = [(float("inf"), 0), ()]

    def decide(value, asked, left, cost, kept):
        if (cost, budget - left) >= best[0]:
            return
        if value < 0:
            best[0], best[1] = (cost, budget - left), kept
            return
        if value not in asked:
            decide(value - 1, asked, left, cost, kept)
            return
        bytes_ = size[value].item()
        if bytes_ <= left:
            decide(value - 1, asked, left - bytes_, cost, (*kept, value))
        more = set(reads[value].nonzero().flatten().tolist())
        decide(value - 1, asked | more, left, cost + time[value].item(), kept)

    decide(len(size) - 1, set(wanted.nonzero().flatten().tolist()), budget, 0.0, ())
    out = torch.zeros(len(size), dtype=torch.bool)
    out[list(best[1])] = True
    return out
