import torch


def plan(stages, replicas, microbatches, tokens, width, weights, saved):
    """Promise what a step costs: float64 [11], all stages at once."""
    stage = torch.arange(stages)
    n, bytes_ = torch.tensor(weights), torch.tensor(saved)
    alive = (stages - stage).clamp(max=microbatches)
    share = (n + replicas - 1) // replicas
    neighbours = (stage > 0).long() + (stage < stages - 1).long()
    messages = neighbours * microbatches
    sent = messages * tokens * width * 8
    handed = share * 8 * (replicas + 1) if replicas > 1 else torch.zeros_like(share)
    numbers = torch.empty(11, dtype=torch.float64)
    numbers[0] = (microbatches + stages - 1) * 3
    numbers[1] = (stages - 1) / (microbatches + stages - 1)
    numbers[2] = alive.max()
    numbers[3] = (alive * bytes_).max()
    numbers[4] = n.max() * 16
    numbers[5] = share.max() * 16
    numbers[6], numbers[7] = sent.max(), handed.max()
    numbers[8] = messages.max()
    numbers[9] = (sent + handed).max()
    numbers[10] = n.max().double() * 6 * tokens * microbatches
    return numbers
