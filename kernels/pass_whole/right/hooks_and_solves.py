import copy
from collections import Counter

import torch
from torch import nn

from tutor.judge.cases.int4_pass import int4_linear, measure, pack


class Small(nn.Module):
    def __init__(self, packed, scale, bias):
        super().__init__()
        self.register_buffer("codes", packed)
        self.register_buffer("steps", scale)
        self.bias = bias

    def forward(self, x):
        return int4_linear(x, self.codes, self.steps, self.bias)


def rounded(w, x):
    now, h = w.double().clone(), x.double().T @ x.double()
    h.diagonal().add_(h.trace() / len(h) / 100)
    codes, scales = torch.empty_like(now), []
    for start in range(0, now.shape[1], 32):
        scale = (now[:, start : start + 32].abs().amax(1) / 7).half()
        scales.append(scale)
        size = scale.double()
        safe = torch.where(size > 0, size, torch.ones_like(size))
        for j in range(start, start + 32):
            code = (now[:, j] / safe).round().clamp(-8, 7) * (size > 0) + 8
            codes[:, j] = code
            off = now[:, j] - (code - 8) * size
            if j + 1 < now.shape[1]:
                pull = torch.linalg.solve(h[j + 1 :, j + 1 :], h[j + 1 :, j])
                now[:, j + 1 :] += torch.outer(off, pull)
    return codes.byte(), torch.stack(scales, -1)


def quantise(graph, seen):
    new = copy.deepcopy(graph)
    owners = Counter(id(p) for m in new.modules() for p in m.parameters(recurse=False))
    called = {node.target for node in new.graph.nodes if node.op == "call_module"}
    layers = {
        name: layer
        for name, layer in new.named_modules()
        if name in called
        and type(layer) is nn.Linear
        and not layer.in_features % 32
        and owners[id(layer.weight)] < 2
    }
    rows = {name: [] for name in layers}
    hooks = [
        layer.register_forward_pre_hook(
            lambda layer, given, name=name: rows[name].append(
                given[0].reshape(-1, given[0].shape[-1])
            )
        )
        for name, layer in layers.items()
    ]
    new(seen)
    for hook in hooks:
        hook.remove()
    for name, layer in layers.items():
        codes, scale = rounded(layer.weight, torch.cat(rows[name]))
        new.set_submodule(name, Small(pack(codes), scale, layer.bias))
    return new


def measured(source, seen):
    return measure(quantise, source, seen)
