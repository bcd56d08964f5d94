import functools

import torch

from tutor.judge.cases import int4_pass, tiny_lm
from tutor.judge.cases.int4_pass import FIELDS, expect
from tutor.judge.spec import Case, Work

MOST = 0.02  # of the perplexity's rise; rounding to nearest has 0.028, feedback 0.009 to 0.016


def reference(source, seen):
    return expect(source)


eager = reference


def scale(source, seen):
    return 0.0


def work(source, seen):
    return Work(
        bytes=2 * seen.numel() * seen.element_size() + len(source) + 8 * len(FIELDS), flops=0
    )


def explain_wrong(got, source, seen):
    """Say of the first thing measured that is not as it should be what it means."""
    if tuple(got.shape) != (len(FIELDS),):
        return None
    got, want = (dict(zip(FIELDS, each.tolist(), strict=True)) for each in (got, expect(source)))
    if got["changed"]:
        return "The pass changed what it was given: the graph, its modules or numbers, or `seen`."
    kernels = got["int4 kernels"]
    if kernels != want["int4 kernels"] or got["other kernels"]:
        return (
            f"A forward runs {kernels} kernels of int4 and {got['other kernels']} others of the "
            f"project; {want['int4 kernels']} and none are right, one for each call of a layer that "
            "gets four bits."
        )
    for name in ("int4 bytes", "scale bytes", "float bytes"):
        if got[name] != want[name]:
            return (
                f"The graph that is returned keeps {got[name]:,} {name}; {want[name]:,} are right."
            )
    if got["rounded"]:
        return (
            "A float tensor of the graph that is returned is none of the given graph's: what has no "
            "four bits stays bit for bit."
        )
    if got["wrong"]:
        return (
            "The results are not those of four bits: their error is more than 4 times that of rounding "
            "to nearest, or nearly none, or a row's result depends on the other rows."
        )
    if got["no better"]:
        return (
            "The squared error of the results for `seen` is more than 85 % of that of weights rounded "
            "to nearest."
        )
    return None


@functools.cache
def usual():
    return int4_pass.perplexity(int4_pass.trace_network(tiny_lm.load("target")))


def check_found(found):
    """(code, sentence) where the tiny model has become too bad, else None."""
    rise = found["perplexity"] / usual() - 1
    if not rise <= MOST:
        return "wrong-values", (
            f"The tiny model's perplexity on text that the pass has not seen rises by {rise:.1%}; "
            f"{MOST:.0%} are allowed."
        )
    return None


def written(name, number):
    return f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"


def figures(found):
    """What was measured of the tiny model, by the names that the plan has."""
    out = {name: written(name, number) for name, number in found.items()}
    rise = found["perplexity"] / usual() - 1
    out["perplexity"] = f"{found['perplexity']:.3f} (float: {usual():.3f}; {rise:+.1%})"
    return out


HEAD = "torch.manual_seed({seed})\nclass Net(nn.Module):\n    def __init__(self):\n"
HEAD += "        super().__init__()\n"


def text_of(seed, parts, forward):
    lines = [f"        {line}\n" for line in parts.split("\n")]
    lines += ["    def forward(self, x):\n"] + [f"        {line}\n" for line in forward.split("\n")]
    return HEAD.format(seed=seed) + "".join(lines) + "net = Net()\n"


def case(name, parts, forward, size=(60, 64), codes=0):
    """A network of random weights, and inputs that go together; with `codes`, codes below it."""

    def make(g):
        seed = int(torch.randint(0, 10_000, (1,), generator=g, device=g.device))
        if codes:
            seen = torch.randint(0, codes, size, generator=g, device=g.device)
        else:
            mix = torch.randn(size[-1], size[-1], generator=g, device=g.device)
            loud = 4.0 ** torch.randn(size[-1], generator=g, device=g.device)
            seen = torch.randn(*size, generator=g, device=g.device) @ (mix * loud[:, None]) / 8
        return text_of(seed, parts, forward), seen

    return Case(name, make)


CASES = (
    case(
        "two layers with biases",
        "self.one = nn.Linear(64, 96)\nself.two = nn.Linear(96, 20)",
        "return self.two(self.one(x).relu())",
        (150, 64),
    ),
    case(
        "a layer that is called twice",
        "self.one = nn.Linear(64, 64, bias=False)\nself.norm = nn.RMSNorm(64)",
        "return self.one(self.norm(self.one(x)))",
        (90, 64),
    ),
    case(
        "inputs that 32 does not divide",
        "self.one = nn.Linear(40, 64)\nself.two = nn.Linear(64, 48)\nself.six = nn.Linear(48, 6)",
        "return self.six(self.two(self.one(x).tanh()).relu())",
        (120, 40),
    ),
    case(
        "an embedding that gives the logits",
        "self.embedding = nn.Embedding(30, 64)\nself.body = nn.Sequential(nn.Linear(64, 128), "
        "nn.SiLU(), nn.Linear(128, 64))\nself.head = nn.Linear(64, 30, bias=False)\n"
        "self.head.weight = self.embedding.weight\nself.spare = nn.Linear(64, 64)",
        "y = self.embedding(x)\nreturn self.head(y + self.body(y))",
        (24, 10),
        codes=30,
    ),
    case(
        "rows of zeros, three axes",
        "self.gate = nn.Linear(32, 64, bias=False)\nself.up = nn.Linear(32, 64)\n"
        "self.down = nn.Linear(64, 32, bias=False)\nself.gate.weight.data[:5] = 0\n"
        "self.down.weight.data[3, :32] = 0",
        "return x + self.down(F.silu(self.gate(x)) * self.up(x))",
        (7, 30, 32),
    ),
    Case(
        "the draft model",
        lambda g: ("net = tiny_lm.load('draft')\n", int4_pass.text(6)),
    ),
)
