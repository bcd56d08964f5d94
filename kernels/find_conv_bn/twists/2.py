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

    def module(node):
        is_call = isinstance(node, torch.fx.Node) and node.op == "call_module"
        return net.get_submodule(node.target) if is_call else None

    def reasons(node):
        """Why a node is in no pair, by name."""
        norm, conv = module(node), next(iter(node.args), None)
        if not isinstance(norm, NORMS):
            return ["no batch norm"]
        if not isinstance(module(conv), CONVS):
            return ["reads no convolution"]
        checks = {
            "training": norm.training,
            "no statistics": norm.running_mean is None,
            "other readers": len(conv.users) > 1,
            "other calls": sum(n.target == conv.target for n in nodes if module(n)) > 1,
        }
        return [name for name, holds in checks.items() if holds]

    return torch.tensor([-1 if reasons(n) else nodes.index(n.args[0]) for n in nodes])
