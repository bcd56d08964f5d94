import copy

import torch
from torch.nn import functional as F

from tutor.judge.cases.weight_bits import matrices, measure_sensitivity, numbers, round_to


def sensitivity(net, seen, widths):
    with torch.no_grad():
        p = F.log_softmax(net(seen), dim=-1).flatten(0, -2)
        table = {}
        for name in matrices(net):
            table[name] = []
            for bits in widths:
                other = copy.deepcopy(net)
                w = dict(other.named_parameters())[name]
                w.data = numbers(*round_to(w, bits), w.dtype)
                if hasattr(other, "head"):  # a deep copy keeps a shared matrix shared
                    assert other.head.weight is other.embedding.weight
                q = F.log_softmax(other(seen), dim=-1).flatten(0, -2)
                table[name].append(F.kl_div(q, p, reduction="batchmean", log_target=True).item())
    at = widths.index(min(widths))
    names = sorted(table, key=lambda name: -table[name][at])
    return names, torch.tensor([table[name] for name in names], dtype=torch.float64)


def measured(source, seen, widths):
    return measure_sensitivity(sensitivity, source, seen, widths)
