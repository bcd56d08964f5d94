# expect: wrong-values
import torch


def pareto(points, smaller):
    """Keep what is best for some weights of the columns: a weighted sum, many times."""
    less = torch.where(smaller, points, -points)
    whole = ~less.isnan().any(-1)
    a, b = less[:, None], less[None]
    beaten = ((a <= b).all(-1) & (a < b).any(-1)).any(0)
    rows = (whole & ~beaten).nonzero().flatten()
    if len(rows) and less.shape[1] > 1:
        part = less[rows]
        span = (part.amax(0) - part.amin(0)).clamp(min=1e-300)
        part = (part - part.amin(0)) / span
        draw = torch.Generator().manual_seed(5)
        weights = torch.rand(4000, part.shape[1], generator=draw, dtype=torch.float64)
        costs = part @ weights.T
        rows = rows[(costs <= costs.amin(0) + 1e-12).any(1)]
    rows = rows[torch.argsort(less[rows, 0], stable=True)]
    places = torch.full((len(points),), -1)
    places[rows] = torch.arange(len(rows))
    return places
