import torch
from torch import nn

CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def traced(source: str) -> tuple[nn.Module, torch.fx.Graph]:
    """The network that the text leaves in `net`, and its graph. Leave it as it is."""
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    return names["net"], torch.fx.symbolic_trace(names["net"]).graph


def find_pairs(source):
    net, graph = traced(source)
    modules = dict(net.named_modules())
    nodes = list(graph.nodes)
    called = [modules[n.target] if n.op == "call_module" else None for n in nodes]
    out = torch.full((len(nodes),), -1)
    for i, norm in enumerate(called):
        if not isinstance(norm, NORMS) or norm.training or norm.running_mean is None:
            continue
        j = nodes.index(nodes[i].args[0])
        conv = called[j]
        if (
            isinstance(conv, CONVS)
            and called.count(conv) == 1
            and list(nodes[j].users) == [nodes[i]]
        ):
            out[i] = j
    return out
