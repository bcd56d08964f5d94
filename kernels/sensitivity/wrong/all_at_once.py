# expect: wrong-values
import copy

import torch

from tutor.judge.cases.weight_bits import matrices, measure_sensitivity, numbers, round_to


@torch.no_grad()
def sensitivity(net, seen, widths):
    """Round everything, and give each matrix its share by its size."""
    usual = torch.log_softmax(net(seen), -1)
    whole = matrices(net)
    total = sum(w.numel() for w in whole.values())
    losses = torch.zeros(len(whole), len(widths), dtype=torch.float64)
    for column, bits in enumerate(widths):
        other = copy.deepcopy(net)
        for w in matrices(other).values():
            w.copy_(numbers(*round_to(w, bits), w.dtype))
        changed = torch.log_softmax(other(seen), -1)
        loss = (usual.exp() * (usual - changed)).sum(-1).mean()
        for row, w in enumerate(whole.values()):
            losses[row, column] = loss * w.numel() / total
    order = torch.argsort(-losses[:, widths.index(min(widths))], stable=True)
    return [list(whole)[place] for place in order], losses[order]


def measured(source, seen, widths):
    return measure_sensitivity(sensitivity, source, seen, widths)
