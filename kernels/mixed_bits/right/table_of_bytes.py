import torch


def mixed_bits(size, loss, budget):
    # least[b]: the least loss with exactly b bytes.
    least = torch.full((budget + 1,), torch.inf, dtype=torch.float64)
    least[0] = 0.0
    ways = []
    for sizes, losses in zip(size.tolist(), loss.tolist(), strict=False):
        new = torch.full_like(least, torch.inf)
        way = torch.zeros(budget + 1, dtype=torch.int8)
        for j, (taken, lost) in enumerate(zip(sizes, losses, strict=False)):
            if taken <= budget:
                moved = least[: budget + 1 - taken] + lost
                part = new[taken:]
                smaller = moved < part
                part[smaller] = moved[smaller]
                way[taken:][smaller] = j
        least = new
        ways.append(way)
    left = int((least == least.min()).nonzero()[0])
    chosen = []
    for row in range(len(size) - 1, -1, -1):
        chosen.insert(0, int(ways[row][left]))
        left -= int(size[row, chosen[0]])
    return torch.tensor(chosen)
