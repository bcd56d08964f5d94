import torch
from torch import nn

CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def traced(source: str) -> tuple[nn.Module, torch.fx.Graph]:
    """The network that the text leaves in `net`, and its graph. Leave it as it is."""
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    return names["net"], torch.fx.symbolic_trace(names["net"]).graph


class Finder(torch.fx.Interpreter):
    """Walks the graph with nodes in the place of values."""

    def __init__(self, net, graph):
        super().__init__(torch.fx.GraphModule(net, graph))
        self.found, self.where = [], {node: i for i, node in enumerate(graph.nodes)}

    def run_node(self, node):
        self.found.append(self.partner(node))
        return node

    def partner(self, node):
        if node.op != "call_module" or not isinstance(self.fetch_attr(node.target), NORMS):
            return -1
        norm, conv = self.fetch_attr(node.target), node.args[0]
        if conv.op != "call_module" or not isinstance(self.fetch_attr(conv.target), CONVS):
            return -1
        again = [n for n in self.where if n.target == conv.target and n is not conv]
        blocked = norm.training or norm.running_mean is None or again or set(conv.users) - {node}
        return -1 if blocked else self.where[conv]


def find_pairs(source):
    net, graph = traced(source)
    names = list(graph.nodes)
    finder = Finder(net, graph)
    finder.where = {node: i for i, node in enumerate(finder.module.graph.nodes)}
    finder.run(None)
    assert len(finder.found) == len(names)
    return torch.tensor(finder.found)
