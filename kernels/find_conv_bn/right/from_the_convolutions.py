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
    place = {node: i for i, node in enumerate(graph.nodes)}
    found = dict.fromkeys(place, -1)
    calls = {}
    for node in graph.nodes:
        if node.op == "call_module":
            calls.setdefault(net.get_submodule(node.target), []).append(node)
    for module, nodes in calls.items():
        match (module, nodes):
            case (nn.Conv1d() | nn.Conv2d() | nn.Conv3d(), [conv]) if len(conv.users) == 1:
                (reader,) = conv.users
            case _:
                continue
        if reader.op == "call_module":
            norm = net.get_submodule(reader.target)
            if type(norm) in NORMS and not norm.training and norm.running_mean is not None:
                found[reader] = place[conv]
    return torch.tensor([*found.values()])
