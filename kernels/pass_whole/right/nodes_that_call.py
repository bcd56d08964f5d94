import copy

import torch
from torch import Tensor, fx, nn

from tutor.judge.cases.int4_pass import int4_linear, measure, pack


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


def round_with_feedback(w: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return codes 0 to 15, [N, K], and float16 scales, [N, K // 32]. GPTQ of Day 61."""
    w, x = w.double().clone(), x.double()
    h = x.T @ x
    h += 0.02 * h.diagonal().mean() * torch.eye(len(h), dtype=h.dtype)
    u = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    codes, scales = torch.zeros_like(w), []
    for j in range(w.shape[1]):
        if j % 32 == 0:
            # As it is stored: the steps are of the scale that float16 holds.
            scales.append((w[:, j : j + 32].abs().amax(1) / 7).half())
            scale = scales[-1].double()
            step = torch.where(scale == 0, torch.inf, scale)
        steps = torch.round(w[:, j] / step).clamp(-8, 7)
        codes[:, j] = steps + 8
        error = (w[:, j] - steps * scale) / u[j, j]
        w[:, j + 1 :] -= error[:, None] * u[j, j + 1 :]
    return codes.to(torch.uint8), torch.stack(scales, 1)


def quantise(graph: fx.GraphModule, seen: Tensor) -> fx.GraphModule:
    """Return a graph whose linear layers keep four bits a weight."""
    out = copy.deepcopy(graph)
    names = chosen(graph)
    inputs = inputs_of(graph, names, seen)
    kept = {}
    for place, name in enumerate(names):
        layer = graph.get_submodule(name)
        codes, scale = round_with_feedback(layer.weight, inputs[name])
        parts = {"packed": pack(codes), "scale": scale}
        if layer.bias is not None:
            parts["bias"] = layer.bias.detach().clone()
        for part, value in parts.items():
            out.register_buffer(f"int4_{place}_{part}", value)
        kept[name] = [f"int4_{place}_{part}" for part in parts]
    for node in list(out.graph.nodes):
        if node.op == "call_module" and node.target in kept:
            with out.graph.inserting_before(node):
                read = [out.graph.get_attr(name) for name in kept[node.target]]
                call = out.graph.call_function(int4_linear, (node.args[0], *read))
            node.replace_all_uses_with(call)
            out.graph.erase_node(node)
    out.delete_all_unused_submodules()
    out.recompile()
    return out


def measured(source: str, seen: Tensor) -> Tensor:
    """Measure the pass on a text's network. Leave it as it is."""
    return measure(quantise, source, seen)
