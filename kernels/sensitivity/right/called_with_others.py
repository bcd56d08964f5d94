import torch
from torch.func import functional_call

from tutor.judge.cases.weight_bits import matrices, measure_sensitivity, numbers, round_to


@torch.no_grad()
def sensitivity(net, seen, widths):
    usual = net(seen)
    usual = usual - usual.logsumexp(-1, keepdim=True)
    losses = {}
    for name, w in matrices(net).items():
        for bits in widths:
            own = {name: numbers(*round_to(w, bits), w.dtype)}
            logits = functional_call(net, own, (seen,))
            changed = logits - logits.logsumexp(-1, keepdim=True)
            places = torch.einsum("...c,...c->...", usual.exp(), usual - changed)
            losses[name, bits] = float(places.sum()) / places.numel()
    names = list(matrices(net))
    names.sort(key=lambda name: losses[name, min(widths)], reverse=True)
    rows = [[losses[name, bits] for bits in widths] for name in names]
    return names, torch.tensor(rows, dtype=torch.float64)


def measured(source, seen, widths):
    return measure_sensitivity(sensitivity, source, seen, widths)
