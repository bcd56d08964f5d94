import copy

import torch
from torch.nn import functional as F

from tutor.judge.cases import weight_bits
from tutor.judge.cases.weight_bits import WIDTHS, measure_compression


def lost(net, name, bits, seen, p):
    other = copy.deepcopy(net)
    w = weight_bits.matrices(other)[name]
    w.data = weight_bits.numbers(*weight_bits.round_to(w.data, bits))
    return F.kl_div(F.log_softmax(other(seen).double(), -1), p, log_target=True, reduction="sum")


@torch.no_grad()
def compress(net, seen, budget):
    p = F.log_softmax(net(seen).double(), -1)
    whole = weight_bits.matrices(net)
    loss = {(n, b): float(lost(net, n, b, seen, p)) for n in whole for b in WIDTHS}
    chosen = dict.fromkeys(whole, WIDTHS[0])
    left = budget - sum(weight_bits.stored_bytes(w, WIDTHS[0]) for w in whole.values())
    while True:
        steps = []
        for name, now in chosen.items():
            for bits in WIDTHS:
                more = weight_bits.stored_bytes(whole[name], bits)
                more -= weight_bits.stored_bytes(whole[name], now)
                if 0 < more <= left:
                    steps.append(((loss[name, now] - loss[name, bits]) / more, name, bits, more))
        if not steps or max(steps)[0] <= 0:
            break
        _, name, bits, more = max(steps)
        chosen[name] = bits
        left -= more
    return {n: (*weight_bits.round_to(w.data, chosen[n]), chosen[n]) for n, w in whole.items()}


def measured(source, seen, asked, budget):
    return measure_compression(compress, source, seen, asked, budget)
