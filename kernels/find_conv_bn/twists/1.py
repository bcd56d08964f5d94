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
    nodes = list(graph.nodes)
    found = [-1] * len(nodes)
    seen = {}
    for node in nodes:
        if node.op == "call_module":
            seen.setdefault(node.target, []).append(node)
    for target, calls in seen.items():
        if len(calls) > 1 or not isinstance(net.get_submodule(target), CONVS):
            continue
        readers = list(calls[0].users)
        if len(readers) != 1 or readers[0].op != "call_module":
            continue
        norm = net.get_submodule(readers[0].target)
        if isinstance(norm, NORMS) and not norm.training and norm.running_var is not None:
            found[nodes.index(readers[0])] = nodes.index(calls[0])
    return torch.tensor(found)
