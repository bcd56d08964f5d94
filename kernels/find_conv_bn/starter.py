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
    found = [-1] * len(graph.nodes)
    for place, node in enumerate(graph.nodes):
        if node.op == "call_module" and isinstance(net.get_submodule(node.target), NORMS):
            # Does it read the node before it? May the
            # two be folded?
            found[place] = place - 1
    return torch.tensor(found)
