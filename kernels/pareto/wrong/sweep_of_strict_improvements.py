# expect: wrong-values
import torch


def pareto(points, smaller):
    """Sweep along the first column, and keep what improves the best of each other one."""
    less = torch.where(smaller, points, -points)
    whole = (~less.isnan().any(1)).nonzero().flatten().tolist()
    whole.sort(key=lambda row: less[row, 0].item())
    kept, best = [], None
    for row in whole:
        rest = less[row, 1:].tolist() or [less[row, 0].item()]
        if best is None or any(new < old for new, old in zip(rest, best)):
            kept.append(row)
            best = rest if best is None else [min(pair) for pair in zip(rest, best)]
    places = torch.full((len(points),), -1)
    places[kept] = torch.arange(len(kept))
    return places
