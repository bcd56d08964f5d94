import copy

import torch
from torch import Tensor, fx, nn

from tutor.judge.cases.int4_pass import Int4Linear, measure, pack


def round_to_nearest(w: Tensor) -> tuple[Tensor, Tensor]:
    """Return codes 0 to 15, [N, K], and float16 scales, [N, K // 32]."""
    groups = w.view(len(w), -1, 32)
    scale = (groups.abs().amax(2) / 7).half()
    step = torch.where(scale == 0, torch.inf, scale.float())
    steps = torch.round(groups / step[:, :, None]).clamp(-8, 7)
    return (steps + 8).to(torch.uint8).flatten(1), scale


def quantise(graph: fx.GraphModule, seen: Tensor) -> fx.GraphModule:
    """Return a graph whose linear layers keep four bits a weight."""
    out = copy.deepcopy(graph)
    for name, layer in graph.named_modules():
        # Which layers are right? This rounds all of
        # them, and no error is answered for.
        if isinstance(layer, nn.Linear):
            codes, scale = round_to_nearest(layer.weight)
            out.set_submodule(name, Int4Linear(pack(codes), scale))
    return out


def measured(source: str, seen: Tensor) -> Tensor:
    """Measure the pass on a text's network. Leave it as it is."""
    return measure(quantise, source, seen)
