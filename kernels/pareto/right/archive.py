import torch


def pareto(points, smaller):
    signed = points * (1.0 - 2.0 * (~smaller).double())
    archive = torch.empty(0, dtype=torch.int64)
    for row in range(len(signed)):
        new = signed[row]
        if torch.isnan(new).any():
            continue
        old = signed[archive]
        if ((old <= new).all(1) & (old < new).any(1)).any():
            continue
        gone = (new <= old).all(1) & (new < old).any(1)
        archive = torch.cat((archive[~gone], torch.tensor([row])))
    order = sorted(archive.tolist(), key=lambda row: float(signed[row, 0]))
    places = torch.full((len(points),), -1)
    places[order] = torch.arange(len(order))
    return places
