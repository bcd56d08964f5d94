"""Folds networks with the learner's pass, and says what is called and kept. Plain values leave it."""

import copy

import torch
from torch import nn

CONV, NORM = "nn.Conv2d(4, 4, 3, padding=1", "nn.BatchNorm2d(4)"
SETUP = """
torch.manual_seed(SEED)
net = Net()
for each in net.modules():
    if isinstance(each, nn.modules.batchnorm._BatchNorm):
        for weight in each.parameters():
            nn.init.normal_(weight, 1.0)
        if each.running_mean is not None:
            each.running_mean.normal_()
            each.running_var.uniform_(0.2, 2.0)
net.eval()
"""


def network(init, forward, after="", seed=0):
    """The text of a network: statements of `__init__` and of `forward`, and what happens then."""
    lines = ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += [f"        self.{each.strip()}" for each in init.split(";")]
    lines += ["    def forward(self, x):"]
    lines += [f"        {each.strip()}" for each in forward.split(";")]
    return "\n".join(lines) + SETUP.replace("SEED", str(seed)) + after


NETWORKS = {  # text, batch norms that must be left
    "one pair": (f"c = {CONV}); b = {NORM}", "return self.b(self.c(x))"),
    "no bias, stride and groups": (
        f"c = {CONV}, groups=2, stride=2, bias=False); b = {NORM}", "return self.b(self.c(x)).relu()"),
    "borders by reflection": (
        f"c = {CONV}, padding_mode='reflect'); b = {NORM}", "return self.b(self.c(x)).relu()"),
    "a dilated convolution": (
        f"c = nn.Conv2d(4, 4, 3, padding=2, dilation=2); b = {NORM}", "return self.b(self.c(x)).relu()"),
    "a ResNet block": (
        f"c = {CONV}, bias=False); b = {NORM}; d = {CONV}, bias=False); e = {NORM}",
        "y = self.b(self.c(x)).relu(); return (self.e(self.d(y)) + x).relu()"),
    "a ResNet block with a shortcut": (
        f"c = {CONV}, stride=2, bias=False); b = {NORM}; d = {CONV}, bias=False); e = {NORM}; "
        f"s = nn.Sequential(nn.Conv2d(4, 4, 1, stride=2, bias=False), {NORM})",
        "y = self.b(self.c(x)).relu(); return (self.e(self.d(y)) + self.s(x)).relu()"),
    "a bottleneck": (
        "c = nn.Conv2d(4, 2, 1, bias=False); b = nn.BatchNorm2d(2); "
        "d = nn.Conv2d(2, 2, 3, padding=1, bias=False); e = nn.BatchNorm2d(2); "
        f"f = nn.Conv2d(2, 4, 1, bias=False); g = {NORM}",
        "y = self.b(self.c(x)).relu(); z = self.e(self.d(y)).relu(); "
        "return (self.g(self.f(z)) + x).relu()"),
    "the convolution is read twice": (
        f"c = {CONV}); b = {NORM}", "y = self.c(x); return self.b(y) + y"),
    "the convolution is called twice": (
        f"c = {CONV}); b = {NORM}; e = {NORM}", "return self.e(self.c(self.b(self.c(x))))"),
    "the batch norm is called twice": (
        f"c = {CONV}); d = {CONV}); b = {NORM}", "return self.b(self.d(self.b(self.c(x))))"),
    "two convolutions with one weight": (
        f"c = {CONV}); b = {NORM}; d = {CONV}); d.weight = self.c.weight",
        "return self.b(self.c(x)) + self.d(x)"),
    "training mode": (f"c = {CONV}); b = {NORM}", "return self.b(self.c(x))", "net.train()\n"),
    "one batch norm in training mode": (
        f"c = {CONV}); b = {NORM}; d = {CONV}); e = {NORM}", "return self.e(self.d(self.b(self.c(x))))",
        "net.b.train()\n"),
    "no weights in the batch norm": (
        f"c = {CONV}); b = nn.BatchNorm2d(4, eps=0.1, affine=False)", "return self.b(self.c(x))"),
    "no running statistics": (
        f"c = {CONV}); b = nn.BatchNorm2d(4, track_running_stats=False)", "return self.b(self.c(x))"),
    "a batch norm first": (f"b = {NORM}; c = {CONV})", "return self.c(self.b(x))"),
}  # fmt: skip


def probe(module, device):
    return {name: _folded(module, network(*parts)) for name, parts in NETWORKS.items()}


def _folded(module, source):
    """Calls and modules by kind, before and after, and whether the network was changed."""
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    net, x = names["net"], torch.linspace(-1, 1, 2 * 4 * 6 * 6).reshape(2, 4, 6, 6)
    with torch.no_grad():
        want = copy.deepcopy(net)(x)
    before, state = _counts(torch.fx.symbolic_trace(net)), _state(net)
    out = module.fold_pass(net)
    changed = _state(net) != state
    if not isinstance(out, torch.fx.GraphModule):
        return {"type": type(out).__name__}
    try:
        out.graph.lint()
        with torch.no_grad():
            off = (out(x) - want).abs().max().item() / want.abs().max().item()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    return {"before": before, "after": _counts(out), "changed": changed, "off": off}


def _counts(graph_module):
    """Nodes; calls of convolutions and batch norms; batch norms that are kept; what no node calls."""
    nodes = list(graph_module.graph.nodes)
    targets = {node.target for node in nodes if node.op == "call_module"}
    kinds = {target: _kind(graph_module.get_submodule(target)) for target in targets}
    called = [kinds[node.target] for node in nodes if node.op == "call_module"]
    leaves = {n: m for n, m in graph_module.named_modules() if not list(m.children()) and n}
    rest = [(node.op, str(node.target)) for node in nodes if kinds.get(node.target) is None]
    return {
        "nodes": len(nodes),
        "convs": called.count("conv"),
        "norms": called.count("norm"),
        "kept_norms": sum(_kind(leaf) == "norm" for leaf in leaves.values()),
        "unused": sorted(set(leaves) - targets),
        "all": [(node.op, str(node.target)) for node in nodes],
        "rest": rest,
    }


def _kind(module):
    """Say "conv", "norm" or None."""
    if isinstance(module, nn.modules.conv._ConvNd):
        return "conv"
    return "norm" if isinstance(module, nn.modules.batchnorm._BatchNorm) else None


def _state(net):
    """Names of modules with their classes and modes, and all numbers."""
    kinds = [(name, type(each).__name__, each.training) for name, each in net.named_modules()]
    return kinds, {name: each.tolist() for name, each in net.state_dict().items()}
