import copy
from collections import Counter

import torch
from torch import nn

from tutor.judge.cases.int4_pass import Int4Linear, UnpackedLinear, ablate, pack


def to_nearest(w, group):
    parts = w.view(len(w), -1, group)
    scale = (parts.abs().amax(-1) / 7).half()
    size = scale.float()[..., None]
    codes = torch.nan_to_num(parts / size).round().clamp(-8, 7) + 8
    return codes.flatten(1).byte(), scale


def with_feedback(w, group, x):
    now, h = w.double().clone(), x.double().T @ x.double()
    h.diagonal().add_(h.trace() / len(h) / 100)
    factor = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    factor = factor / factor.diagonal()[:, None]
    codes, scales = [], []
    for start in range(0, now.shape[1], group):
        block = now[:, start : start + group]
        scales.append((block.abs().amax(1) / 7).half())
        size = scales[-1].double()
        for j in range(start, start + group):
            step = torch.nan_to_num(now[:, j] / size, posinf=0, neginf=0).round().clamp(-8, 7)
            codes.append(step + 8)
            off = now[:, j] - step * size
            now[:, j + 1 :] -= torch.outer(off, factor[j, j + 1 :])
    return torch.stack(codes, 1).byte(), torch.stack(scales, 1)


def quantise(graph, seen, groups, feedback, kernel):
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
    if feedback:
        hooks = [
            layer.register_forward_pre_hook(
                lambda layer, given, name=name: rows[name].append(given[0].flatten(0, -2))
            )
            for name, layer in layers.items()
        ]
        new(seen)
        for hook in hooks:
            hook.remove()
    make = {True: Int4Linear, False: UnpackedLinear}[kernel]
    for name, layer in layers.items():
        group = 32 if groups else layer.in_features
        if feedback:
            codes, scale = with_feedback(layer.weight, group, torch.cat(rows[name]))
        else:
            codes, scale = to_nearest(layer.weight, group)
        new.set_submodule(name, make(pack(codes), scale, layer.bias))
    return new


def switched(source, seen):
    return ablate(quantise, source, seen)
