import torch
from torch import nn

from tutor.judge.spec import Case, Work

CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def found(source, *, fixed=True, tracked=True, readers=True, called=True, reads=True, convs=CONVS):
    """Places of the convolutions by node. The options leave a condition out."""
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    net = names["net"]
    nodes = list(torch.fx.symbolic_trace(net).graph.nodes)

    def module(node):
        is_call = isinstance(node, torch.fx.Node) and node.op == "call_module"
        return net.get_submodule(node.target) if is_call else None

    places = [-1] * len(nodes)
    for place, node in enumerate(nodes):
        norm = module(node)
        if not isinstance(norm, NORMS):
            continue
        before = node.args[0] if reads else nodes[place - 1]
        conv = module(before)
        if (
            isinstance(conv, convs)
            and not (fixed and norm.training)
            and not (tracked and norm.running_mean is None)
            and not (readers and len(before.users) > 1)
            and not (called and sum(module(n) is conv for n in nodes) > 1)
        ):
            places[place] = nodes.index(before)
    return places


def reference(source):
    return torch.tensor(found(source))


eager = reference

NEAR_MISSES = tuple(
    (phrase, lambda source, change=change: torch.tensor(found(source, **change)))
    for phrase, change in (
        ("a batch norm in training mode may be in a pair", {"fixed": False}),
        ("a batch norm without running statistics may be in a pair", {"tracked": False}),
        ("another node may read the result of a pair's convolution", {"readers": False}),
        ("a convolution that is called at two nodes may be in a pair", {"called": False}),
        ("a batch norm reads the node that stands before it", {"reads": False}),
        ("a transposed convolution may be in a pair", {"convs": (nn.modules.conv._ConvNd,)}),
        ("a Conv1d and a Conv3d are in no pair", {"convs": (nn.Conv2d,)}),
    )
)


def work(source):
    return Work(bytes=len(source) + 8, flops=0)


def network(init, forward, after="net.eval()"):
    """The text of a network: lines of `__init__`, lines of `forward`, what happens then."""

    def make(g):
        lines = ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        lines += [f"        self.{each.strip()}" for each in init.split(";")]
        lines += ["    def forward(self, x):"]
        lines += [f"        {each.strip()}" for each in forward.split(";")]
        return ("\n".join([*lines, "net = Net()", after, ""]),)

    return make


CONV, NORM = "nn.Conv2d(4, 4, 3, padding=1)", "nn.BatchNorm2d(4)"


def by_dice(g):
    """A chain of calls of a few modules, some of them twice, with sums of earlier results."""

    def draw(low, high):
        return int(torch.randint(low, high, (1,), generator=g, device=g.device))

    names, lines = ["x"], []
    for i in range(10):
        norm = len(lines) % 2 and draw(0, 6)
        read = names[-1] if norm or draw(0, 3) else names[draw(0, len(names))]
        lines.append(f"t{i} = self.{'b' if norm else 'c'}{draw(0, 4 if norm else 9)}({read})")
        names.append(f"t{i}")
    lines.append(f"return {names[-1]} + {names[draw(0, len(names) - 1)]}")
    init = [*(f"c{i} = {CONV}" for i in range(9)), *(f"b{i} = {NORM}" for i in range(4))]
    after = f"net.eval()\nnet.b{draw(0, 4)}.train()"
    return network("; ".join(init), "; ".join(lines), after)(g)


CASES = (
    Case("one pair", network(f"c = {CONV}; b = {NORM}", "return self.b(self.c(x))")),
    Case("a ReLU between", network(
        f"c = {CONV}; r = nn.ReLU(); b = {NORM}", "return self.b(self.r(self.c(x)))")),
    Case("a batch norm first", network(f"b = {NORM}; c = {CONV}", "return self.c(self.b(x))")),
    Case("training mode", network(
        f"c = {CONV}; b = {NORM}", "return self.b(self.c(x))", "net.train()")),
    Case("one batch norm in training mode", network(
        f"c = {CONV}; b = {NORM}; d = {CONV}; e = {NORM}",
        "y = self.b(self.c(x)); return self.e(self.d(y))",
        "net.eval()\nnet.b.train()")),
    Case("no running statistics", network(
        f"c = {CONV}; b = nn.BatchNorm2d(4, track_running_stats=False)", "return self.b(self.c(x))")),
    Case("running statistics taken away", network(
        f"c = {CONV}; b = {NORM}", "return self.b(self.c(x))",
        "net.eval()\nnet.b.running_mean = net.b.running_var = None")),
    Case("a node of a weight before the pair", network(
        f"w = nn.Parameter(torch.ones(1)); c = {CONV}; b = {NORM}",
        "return self.b(self.c(x * self.w))")),
    Case("no weights in the batch norm", network(
        f"c = {CONV}; b = nn.BatchNorm2d(4, affine=False)", "return self.b(self.c(x))")),
    Case("the convolution is read twice", network(
        f"c = {CONV}; b = {NORM}", "y = self.c(x); return self.b(y) + y")),
    Case("the convolution is returned too", network(
        f"c = {CONV}; b = {NORM}", "y = self.c(x); return self.b(y), y")),
    Case("the convolution is called twice", network(
        f"c = {CONV}; b = {NORM}; e = {NORM}", "y = self.b(self.c(x)); return self.e(self.c(y))")),
    Case("called twice, and one result is not read", network(
        f"c = {CONV}; b = {NORM}", "unread = self.c(x); return self.b(self.c(x))")),
    Case("the batch norm is called twice", network(
        f"c = {CONV}; d = {CONV}; b = {NORM}", "y = self.b(self.c(x)); return self.b(self.d(y))")),
    Case("not the node before", network(
        f"c = {CONV}; d = {CONV}; b = {NORM}; e = {NORM}",
        "p = self.c(x); q = self.d(x); return self.b(p) + self.e(q)")),
    Case("rows and volumes", network(
        "c = nn.Conv1d(4, 6, 3); b = nn.BatchNorm1d(6); d = nn.Conv3d(1, 2, 1); e = nn.BatchNorm3d(2)",
        "y = self.b(self.c(x)); return self.e(self.d(y.view(1, 1, 2, 3, -1)))")),
    Case("a transposed convolution", network(
        f"c = nn.ConvTranspose2d(4, 4, 3); b = {NORM}; d = {CONV}; e = {NORM}",
        "return self.e(self.d(self.b(self.c(x))))")),
    Case("a synchronised batch norm", network(
        f"c = {CONV}; b = nn.SyncBatchNorm(4); d = {CONV}; e = {NORM}",
        "return self.e(self.d(self.b(self.c(x))))")),
    Case("a linear layer", network(
        "c = nn.Linear(4, 4); b = nn.BatchNorm1d(4)", "return self.b(self.c(x))")),
    Case("a block with a shortcut", network(
        f"c = {CONV}; b = {NORM}; d = {CONV}; e = {NORM}; s = nn.Sequential({CONV}, {NORM})",
        "y = self.b(self.c(x)).relu(); return (self.e(self.d(y)) + self.s(x)).relu()")),
    Case("written by dice", by_dice),
    Case("written by dice again", by_dice),
    Case("and again", by_dice),
)  # fmt: skip
