import copy
import functools

import torch

from tutor.judge.cases import int4_pass
from tutor.judge.cases.weight_bits import matrices, network, numbers, one_thread, round_to
from tutor.judge.spec import Case, Work


@torch.no_grad()
def table(source, seen, widths, change=""):
    """Measure each matrix on a network of its own. `change` names a mistake."""
    net = network(source)
    names = list(matrices(net))
    usual = torch.log_softmax(net(seen), -1)
    losses = torch.zeros(len(names), len(widths), dtype=torch.float64)
    for row, name in enumerate(names):
        for column, bits in enumerate(widths):
            other = copy.deepcopy(net)
            done = names[: row + 1] if change == "so far" else [name]
            for each in names if change == "all" else done:
                w = matrices(other)[each]
                w.copy_(numbers(*round_to(w, bits), w.dtype))
            changed = torch.log_softmax(other(seen), -1)
            p, q = (changed, usual) if change == "reversed" else (usual, changed)
            parts = (p.exp() * (p - q)).sum(-1)
            if change == "squares":
                parts = (net(seen) - other(seen)).square().mean(-1)
            losses[row, column] = parts.sum() if change == "sum" else parts.mean()
    if change == "bits":
        losses /= torch.tensor(2.0, dtype=torch.float64).log()
    if change == "classes":
        losses /= usual.shape[-1]
    key = losses[:, 0 if change == "first" else list(widths).index(min(widths))]
    order = torch.argsort(key if change == "least" else -key, stable=True)
    if change == "order":
        order = torch.arange(len(names))
    rows = torch.cat((order[:, None].double(), losses[order]), 1)
    return torch.cat((rows, torch.zeros(1, len(widths) + 1, dtype=torch.float64)))


@functools.lru_cache(64)
def known(source, seen, shape, widths, change):
    kind = torch.float64 if seen[0] == "f" else torch.int64
    return table(source, torch.tensor(seen[1], dtype=kind).view(shape), widths, change)


def found(source, seen, widths, change=""):
    key = ("f" if seen.is_floating_point() else "i", tuple(seen.flatten().tolist()))
    with one_thread():
        return known(source, key, tuple(seen.shape), tuple(widths), change).clone()


def reference(source, seen, widths):
    return found(source, seen, widths)


eager = reference


def scale(source, seen, widths):
    """Sums of some hundred terms in float64, of logits of up to some thousand."""
    return 1e4


def work(source, seen, widths):
    return Work(bytes=2 * seen.numel() * seen.element_size() + len(source) + 1000, flops=0)


def by_mistake(change):
    return lambda source, seen, widths: found(source, seen, widths, change)


NEAR_MISSES = (
    ("matrices that were measured before stay rounded", by_mistake("so far")),
    ("all matrices are rounded at once", by_mistake("all")),
    ("the divergence is taken the other way round, of q from p", by_mistake("reversed")),
    ("losses are summed over the places", by_mistake("sum")),
    ("the mean is taken over the classes too", by_mistake("classes")),
    ("losses are in bits: the logarithm is that of base 2", by_mistake("bits")),
    ("losses are squared differences of logits", by_mistake("squares")),
    ("the matrix that loses least stands first", by_mistake("least")),
    ("matrices are ranked by the first of the widths", by_mistake("first")),
    ("matrices stand in the order of the network", by_mistake("order")),
)


def explain_wrong(got, source, seen, widths):
    """Say of the first thing that is not as it should be what it means."""
    want = found(source, seen, widths)
    if tuple(got.shape) != tuple(want.shape):
        return None
    if got[-1, 0]:
        return "The network or `seen` is not as it was when `sensitivity` has returned."
    names = list(matrices(network(source)))
    mine, right = got[:-1], want[:-1]
    for place, (a, b) in enumerate(zip(mine[:, 0].tolist(), right[:, 0].tolist(), strict=True)):
        if a == b and not torch.allclose(mine[place], right[place], rtol=1e-6, atol=1e-11):
            column = int((~torch.isclose(mine[place], right[place], rtol=1e-6, atol=1e-11)).nonzero()[0])
            return (
                f"The loss of {names[int(b)]} at {widths[column - 1]} bits is {mine[place, column]:.8g} "
                f"here; {right[place, column]:.8g} is right."
            )
    for place, (a, b) in enumerate(zip(mine[:, 0].tolist(), right[:, 0].tolist(), strict=True)):
        if a != b:
            return f"At place {place} stands {names[int(a)]}, and {names[int(b)]} belongs there."
    return None


HEAD = "torch.manual_seed({seed})\nclass Net(nn.Module):\n    def __init__(self):\n"
HEAD += "        super().__init__()\n"


def case(name, parts, forward, size, widths, codes=0, view=False):
    """A network of random weights and its inputs; with `codes`, codes below it. `view`: transposed."""

    def make(g):
        seed = int(torch.randint(0, 10_000, (1,), generator=g, device=g.device))
        text = HEAD.format(seed=seed) + "".join(f"        {line}\n" for line in parts.split("\n"))
        text += "    def forward(self, x):\n"
        text += "".join(f"        {line}\n" for line in forward.split("\n")) + "net = Net()\n"
        if codes:
            return text, torch.randint(0, codes, size, generator=g, device=g.device), widths
        numbers = torch.randn(*size, generator=g, device=g.device, dtype=torch.float64)
        return text, numbers.t().contiguous().t() if view else numbers, widths

    return Case(name, make)


CASES = (
    case(
        "two layers with biases",
        "self.one = nn.Linear(64, 96)\nself.two = nn.Linear(96, 20)\nself.norm = nn.RMSNorm(96)",
        "return 4 * self.two(self.norm(self.one(x)).relu())",
        (30, 64),
        (3, 5, 8),
    ),
    case(
        "an embedding that gives the logits",
        "self.embedding = nn.Embedding(30, 64)\nself.up = nn.Linear(64, 96)\n"
        "self.down = nn.Linear(96, 64)\nself.head = nn.Linear(64, 30, bias=False)\n"
        "self.head.weight = self.embedding.weight",
        "y = self.embedding(x)\nreturn self.head(y + self.down(self.up(y).tanh())) / 4",
        (4, 10),
        (8, 4, 3),
        codes=30,
    ),
    case(
        "layers that are never called",
        "self.spare = nn.Linear(32, 32)\nself.one = nn.Linear(64, 32)\n"
        "self.unused = nn.Embedding(8, 32)\nself.two = nn.Linear(32, 7)\n"
        "self.last = nn.Linear(32, 3)",
        "return 9 * self.two(self.one(x).sin())",
        (3, 5, 64),
        (6, 3),
    ),
    case(
        "large logits",
        "self.embedding = nn.Embedding(12, 32)\nself.one = nn.Linear(32, 64, bias=False)\n"
        "self.two = nn.Linear(64, 9)",
        "return 2000 * self.two(self.one(self.embedding(x)))",
        (2, 9),
        (4, 8),
        codes=12,
    ),
    case(
        "an order that the widths change",
        "self.one = nn.Linear(32, 12, bias=False)\nself.two = nn.Linear(32, 12, bias=False)\n"
        "self.three = nn.Linear(32, 12, bias=False)\n"
        "for layer, top in ((self.one, 7), (self.two, 3)):\n"
        "    w = torch.randint(-top, top + 1, (12, 32)).float()\n"
        "    w[:, 0] = top\n"
        "    layer.weight.data = w / top",
        "return (self.three(x) + self.one(x)) / 8 + self.two(x)",
        (40, 32),
        (4, 3, 8),
    ),
    case(
        "rows of zeros, and inputs that are a view",
        "self.one = nn.Linear(64, 32)\nself.two = nn.Linear(32, 10)\n"
        "self.one.weight.data[:5] = 0\nself.two.weight.data[:, :32] *= torch.arange(10)[:, None]",
        "return self.two(self.one(x).relu())",
        (25, 64),
        (3, 4, 6),
        view=True,
    ),
    Case(
        "the draft model",
        lambda g: ("net = tiny_lm.load('draft')\n", int4_pass.text(1)[:, :64].contiguous(), (3, 5)),
    ),
)
