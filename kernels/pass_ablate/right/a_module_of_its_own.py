import copy

import torch
from torch import Tensor, fx, nn

from tutor.judge.cases.int4_pass import ablate, float_linear, int4_linear, pack, unpack


def chosen(graph: fx.GraphModule) -> list[str]:
    """Return the names of the layers that get four bits."""
    readers = [id(each) for part in graph.modules() for each in part.parameters(recurse=False)]
    names = {node.target for node in graph.graph.nodes if node.op == "call_module"}
    found = []
    for name in sorted(names):
        layer = graph.get_submodule(name)
        fits = isinstance(layer, nn.Linear) and layer.in_features % 32 == 0
        # A weight that another module has, too, stays as it is.
        if fits and readers.count(id(layer.weight)) == 1:
            found.append(name)
    return found


def inputs_of(graph: fx.GraphModule, names: list[str], seen: Tensor) -> dict[str, Tensor]:
    """Return what each layer gets while the graph runs on `seen`: [rows, inputs]."""
    rows = {name: [] for name in names}

    class Listener(fx.Interpreter):
        def call_module(self, target, args, kwargs):
            if target in rows:
                rows[target].append(args[0].flatten(0, -2))
            return super().call_module(target, args, kwargs)

    Listener(graph).run(seen)
    # A layer that is called twice has seen the inputs of both calls.
    return {name: torch.cat(parts) for name, parts in rows.items()}


def round_off(w: Tensor, group: int, x: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return codes 0 to 15, [N, K], and float16 scales, [N, K // group]. With inputs `x` the columns
    behind answer for each error (GPTQ of Day 61), without them none does."""
    w = w.double().clone()
    if x is not None:
        x = x.double()
        h = x.T @ x
        h += 0.01 * h.diagonal().mean() * torch.eye(len(h), dtype=h.dtype)
        u = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    codes, scales = torch.zeros_like(w), []
    for j in range(w.shape[1]):
        if j % group == 0:
            scales.append((w[:, j : j + group].abs().amax(1) / 7).half())
            scale = scales[-1].double()
            step = torch.where(scale == 0, torch.inf, scale)
        steps = torch.round(w[:, j] / step).clamp(-8, 7)
        codes[:, j] = steps + 8
        if x is not None:
            error = (w[:, j] - steps * scale) / u[j, j]
            w[:, j + 1 :] -= error[:, None] * u[j, j + 1 :]
    return codes.to(torch.uint8), torch.stack(scales, 1)


class Layer(nn.Module):
    """A linear layer of four bits, by one kernel or by two."""

    def __init__(self, packed, scale, bias, fused):
        super().__init__()
        self.register_buffer("packed", packed)
        self.register_buffer("scale", scale)
        self.bias, self.fused = bias, fused

    def forward(self, x):
        if self.fused:
            return int4_linear(x, self.packed, self.scale, self.bias)
        return float_linear(x, unpack(self.packed, self.scale), self.bias)


def quantise(
    graph: fx.GraphModule, seen: Tensor | None, groups: bool, feedback: bool, kernel: bool
) -> fx.GraphModule:
    """Return a graph of int4 layers. Each switch turns one part of the pass off."""
    out = copy.deepcopy(graph)
    names = chosen(graph)
    # Without feedback nothing has been seen.
    inputs = inputs_of(graph, names, seen) if feedback else {}
    for name in names:
        layer = graph.get_submodule(name)
        group = 32 if groups else layer.in_features
        codes, scale = round_off(layer.weight, group, inputs.get(name))
        out.set_submodule(name, Layer(pack(codes), scale, layer.bias, kernel))
    return out


def switched(source: str, seen: Tensor) -> Tensor:
    """Measure the pass with each switch off. Leave it as it is."""
    return ablate(quantise, source, seen)
