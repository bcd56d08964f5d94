import copy
from collections import Counter

import torch
from torch import nn

CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def pairs(graph_module):
    """(batch norm's node, convolution's node) of each pair that may be folded. Milestone 1."""

    def module(node):
        is_call = isinstance(node, torch.fx.Node) and node.op == "call_module"
        return graph_module.get_submodule(node.target) if is_call else None

    calls = Counter(n.target for n in graph_module.graph.nodes if n.op == "call_module")
    for node in list(graph_module.graph.nodes):
        norm, conv = module(node), node.args[0] if node.args else None
        if not isinstance(norm, NORMS) or not isinstance(module(conv), CONVS):
            continue
        fixed = not norm.training and norm.running_mean is not None
        if fixed and len(conv.users) == 1 and calls[conv.target] == 1:
            yield node, conv


def fold(conv, norm):
    """Weight and bias of the convolution that does the work of both. Milestone 2."""
    with torch.no_grad():
        weight = torch.ones_like(norm.running_mean) if norm.weight is None else norm.weight
        shift = torch.zeros_like(norm.running_mean) if norm.bias is None else norm.bias
        scale = weight / torch.sqrt(norm.running_var + norm.eps)
        before = 0.0 if conv.bias is None else conv.bias
        ones = (1,) * (conv.weight.ndim - 1)
        return conv.weight * scale.view(-1, *ones), (before - norm.running_mean) * scale + shift


def fold_pass(net):
    folded = torch.fx.symbolic_trace(copy.deepcopy(net))
    found = list(pairs(folded))
    for node, conv_node in found:
        conv = folded.get_submodule(conv_node.target)
        weight, bias = fold(conv, folded.get_submodule(node.target))
        conv.weight, conv.bias = nn.Parameter(weight), nn.Parameter(bias)
        node.replace_all_uses_with(conv_node)
    for node, _ in found:
        folded.graph.erase_node(node)
    folded.delete_all_unused_submodules()
    folded.graph.lint()
    folded.recompile()
    return folded


def outputs(source: str, x: torch.Tensor) -> torch.Tensor:
    """Run the folded network of a text on x. Leave it as it is."""
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    with torch.no_grad():
        return fold_pass(names["net"])(x)
