# expect: wrong-values
from collections import Counter

import torch
from torch import nn

CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def traced(source: str) -> tuple[nn.Module, torch.fx.Graph]:
    """The network that the text leaves in `net`, and its graph. Leave it as it is."""
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    return names["net"], torch.fx.symbolic_trace(names["net"]).graph


def find_pairs(source: str) -> torch.Tensor:
    """For each node the place of the convolution that it can be folded into, or -1; int64."""
    net, graph = traced(source)
    place = {node: i for i, node in enumerate(graph.nodes)}
    calls = Counter(node.target for node in graph.nodes if node.op == "call_module")
    found = [-1] * len(graph.nodes)
    for node in graph.nodes:
        conv = node.args[0] if calls_one_of(net, node, NORMS) else None
        if not calls_one_of(net, conv, CONVS):
            continue
        norm = net.get_submodule(node.target)
        fixed = not norm.training and norm.running_mean is not None
        alone = calls[conv.target] == 1
        if fixed and alone:
            found[place[node]] = place[conv]
    return torch.tensor(found)


def calls_one_of(net: nn.Module, node: object, kinds: tuple) -> bool:
    """The node calls a module of one of these classes. An argument may also be a number or None."""
    is_call = isinstance(node, torch.fx.Node) and node.op == "call_module"
    return is_call and isinstance(net.get_submodule(node.target), kinds)
