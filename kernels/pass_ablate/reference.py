import functools
import runpy
from pathlib import Path

import torch

from tutor.judge.cases import int4_pass, tiny_lm
from tutor.judge.cases.int4_pass import FIELDS, PAIRS, SETTINGS, expect_ablation
from tutor.judge.spec import Case, Work

NETWORK = runpy.run_path(str(Path(__file__).with_name("probe.py")))["NETWORK"]
MOST = 0.02  # of the perplexity's rise with all parts on
LESS = 0.003  # of the perplexity: what a part has to bring at least


def reference(source, seen):
    return expect_ablation(source)


eager = reference


def scale(source, seen):
    return 0.0


def work(source, seen):
    return Work(bytes=2 * seen.numel() * seen.element_size() + len(source) + 400, flops=0)


COLUMNS = (*FIELDS, "more")


def explain_wrong(got, source, seen):
    """Say of the first setting that is not as it should be what was measured."""
    want = expect_ablation(source)
    if got.shape != want.shape:
        return None
    for (name, _), row, right in zip(SETTINGS, got.tolist(), want.tolist(), strict=True):
        said = say_wrong(
            dict(zip(COLUMNS, row, strict=True)), dict(zip(COLUMNS, right, strict=True))
        )
        if said:
            return f"With {name} switched off, {said}"
    return None


def say_wrong(got, want):
    if got["changed"]:
        return "the pass changes what it was given: the graph, its modules or numbers, or `seen`."
    kernels = "int4 kernels", "other kernels"
    if any(got[name] != want[name] for name in kernels):
        return (
            f"a forward runs {got['int4 kernels']} kernels of int4 and {got['other kernels']} others; "
            f"{want['int4 kernels']} and {want['other kernels']} are right."
        )
    for name in ("int4 bytes", "scale bytes", "float bytes"):
        if got[name] != want[name]:
            return f"the graph keeps {got[name]:,} {name}; {want[name]:,} are right."
    if got["rounded"]:
        return "a float tensor is none of the given graph's: what has no four bits stays."
    if got["wrong"]:
        return (
            "the results are not those of four bits: their error is more than 4 times that of rounding "
            "to nearest, or nearly none, or a row's result depends on the other rows."
        )
    if got["no better"] > want["no better"]:
        return (
            "the squared error on `seen` is more than 85 % of that of rounding to nearest in these "
            "groups. There has to be feedback."
        )
    if got["no better"] < want["no better"]:
        return (
            "the squared error on `seen` is less than 85 % of that of rounding to nearest in these "
            "groups. Each number goes to nearest there."
        )
    if got["more"]:
        return (
            "the results are not those of rounding to nearest in these groups."
            if want["no better"]
            else "the results are others than with the kernel. Only the kernels may change."
        )
    return None


@functools.cache
def usual():
    return int4_pass.perplexity(int4_pass.trace_network(tiny_lm.load("target")))


def check_found(found):
    """(code, sentence) where two switches change more than they name, or a part brings nothing."""
    want = expect_ablation(NETWORK, PAIRS).tolist()
    for (name, _), row, right in zip(PAIRS, found["pairs"], want, strict=True):
        if said := say_wrong(
            dict(zip(COLUMNS, row, strict=True)), dict(zip(COLUMNS, right, strict=True))
        ):
            return "wrong-values", f"With {name} switched off, {said}"
    rows = found["rows"]
    whole = rows["nothing"]
    rise = whole["perplexity"] / usual() - 1
    if not rise <= MOST:
        return "wrong-values", (
            f"With all parts on, the tiny model's perplexity rises by {rise:.1%}; {MOST:.0%} are "
            "allowed."
        )
    for name in ("groups", "feedback"):
        less = rows[name]["perplexity"] / whole["perplexity"] - 1
        if not less >= LESS:
            return "wrong-values", (
                f"With {name} switched off, the tiny model's perplexity rises by {less:.2%} only. All "
                f"parts on must be the best by {LESS:.1%} at least."
            )
    if not rows["kernel"]["bytes moved a forward"] > whole["bytes moved a forward"]:
        return "wrong-values", "With the kernel switched off, no more bytes are moved."
    return None


def written(name, number):
    return f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"


def figures(found):
    """What was measured with all parts on, by the names that the plan has, and the table."""
    whole = found["rows"]["nothing"]
    out = {name: written(name, number) for name, number in whole.items()}
    out["perplexity"] = f"{whole['perplexity']:.3f} (float: {usual():.3f})"
    out["switched off"] = "perplexity | bits a weight | kernels | bytes moved"
    for name, row in found["rows"].items():
        rise = row["perplexity"] / usual() - 1
        out[name] = (
            f"{row['perplexity']:.3f} ({rise:+.1%}) | {row['bits a weight']:.3g} | "
            f"{row['kernels a forward']} | {row['bytes moved a forward']:,}"
        )
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
    case(
        "one layer of five groups", "self.one = nn.Linear(160, 24)", "return self.one(x)", (90, 160)
    ),
)
