import copy

import torch
from torch import fx, nn

from tutor.judge.cases.int4_pass import Int4Linear, measure, pack


class Watcher(fx.Interpreter):
    def __init__(self, graph):
        super().__init__(graph)
        self.sums = {}

    def call_module(self, target, args, kwargs):
        if isinstance(self.module.get_submodule(target), nn.Linear):
            x = args[0].flatten(0, -2).double()
            self.sums[target] = self.sums.get(target, 0) + x.mT @ x
        return super().call_module(target, args, kwargs)


def best_scale(group, weight):
    """The scale, of several, with the least error that inputs of this loudness see."""
    found, least = None, None
    for part in (7.0, 7.5, 8.0):
        scale = (group.abs().amax(1) / part).half()
        step = scale.double().clamp(min=1e-30)[:, None]
        error = ((group - (group / step).round().clamp(-8, 7) * step) ** 2 * weight).sum(1)
        if found is None:
            found, least = scale, error
        found, least = torch.where(error < least, scale, found), torch.minimum(error, least)
    return found


def rounded(w, h):
    w = w.double().clone()
    n, k = w.shape
    h = h + torch.eye(k).double() * 0.05 * h.diagonal().mean()
    factor = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    factor = factor / factor.diagonal()[:, None]
    codes, scales = torch.zeros(n, k), []
    for start in range(0, k, 32):
        stop = start + 32
        block = w[:, start:stop]
        scales.append(best_scale(block, h.diagonal()[start:stop]))
        size = scales[-1].double()
        errors = torch.zeros_like(block)
        for i in range(32):
            step = (block[:, i] / size.clamp(min=1e-30)).round().clamp(-8, 7)
            codes[:, start + i] = step + 8
            errors[:, i] = block[:, i] - step * size
            block[:, i + 1 :] -= errors[:, i : i + 1] * factor[start + i, start + i + 1 : stop]
        w[:, stop:] -= errors @ factor[start:stop, stop:]
    return codes, torch.stack(scales, 1)


def quantise(graph, seen):
    watcher = Watcher(graph)
    watcher.run(seen)
    out = copy.deepcopy(graph)
    weights = [p for m in graph.modules() for p in m._parameters.values() if p is not None]
    for name, h in watcher.sums.items():
        layer = graph.get_submodule(name)
        shared = sum(each is layer.weight for each in weights) > 1
        if layer.in_features % 32 or shared:
            continue
        codes, scale = rounded(layer.weight, h)
        out.set_submodule(name, Int4Linear(pack(codes), scale, layer.bias))
    out.recompile()
    return out


def measured(source, seen):
    return measure(quantise, source, seen)
