import functools

import torch

from tutor.judge.cases import int4_pass, tiny_lm
from tutor.judge.cases.weight_bits import BUDGET, FIELDS, matrices, one_thread
from tutor.judge.spec import Case, Work

MOST = 0.01  # of the perplexity's rise; 5 bits each have 1.15 %, and take more bytes than are allowed


def reference(source, seen, asked, budget):
    kept = len(matrices(int4_pass.network(source)))
    return torch.tensor([kept] + [0] * (len(FIELDS) - 1))


eager = reference


def scale(source, seen, asked, budget):
    return 0.0


def work(source, seen, asked, budget):
    size = seen.numel() * seen.element_size() + asked.numel() * asked.element_size()
    return Work(bytes=2 * size + len(source) + 8 * len(FIELDS), flops=0)


SAYS = {
    "matrices": "{} of {} matrices of the network are in the dict.",
    "others": "{} names of the dict are none of `matrices(net)`.",
    "changed": "`compress` changed what it was given: the network or `seen`.",
    "form": "{} of the matrices have another form than (int8 [N, K], float16 [N, K // 32], bits).",
    "steps": "{} steps do not fit the bits that their matrix is said to have.",
    "bytes over the budget": "Steps and scales take {} bytes more than the budget allows.",
    "too far off": "On other inputs the divergence is not at most half of what equal widths have.",
}


def explain_wrong(got, source, seen, asked, budget):
    """Say of the first field that is not 0 what it means."""
    if tuple(got.shape) != (len(FIELDS),):
        return None
    want = reference(source, seen, asked, budget).tolist()
    for name, number, right in zip(FIELDS, got.tolist(), want, strict=True):
        if number != right:
            return SAYS[name].format(f"{number:,}", right)
    return None


@functools.cache
def usual():
    with one_thread():
        return tiny_lm.perplexity(tiny_lm.load("target"))


def check_found(found):
    """(code, sentence) where the tiny model has become too large or too bad, else None."""
    size, perplexity, _ = found["yours"]
    norms = found["float32"][0] - 4 * 313_344
    if size > BUDGET + norms:
        return "wrong-values", (
            f"The tiny model takes {size - norms:,.0f} bytes of steps and scales; {BUDGET:,} are"
            " allowed."
        )
    rise = perplexity / usual() - 1
    if not rise <= MOST:
        return "wrong-values", (
            f"The tiny model's perplexity on text that you have not seen rises by {rise:.2%};"
            f" {MOST:.0%} is allowed."
        )
    return None


def figures(found):
    """The measured points as rows of a table, those that no other beats with a mark."""
    points = {name: (size, p, round(ratio, 1)) for name, (size, p, ratio) in found.items()}

    def is_beaten(one):
        return any(
            other != one and all(a <= b for a, b in zip(other, one, strict=True))
            for other in points.values()
        )

    rows = {"build": "bytes | of float32 | perplexity | rise | time | front"}
    whole = found["float32"][0]
    for name, (size, perplexity, time) in sorted(points.items(), key=lambda item: item[1]):
        rise = perplexity / found["float32"][1] - 1
        mark = "" if is_beaten((size, perplexity, time)) else "*"
        rows[name] = (
            f"{size:,.0f} | {size / whole:.3f} | {perplexity:.3f} | {rise:+.1%} | {time:.1f} | {mark}"
        )
    return rows


HEAD = "torch.manual_seed({seed})\nclass Net(nn.Module):\n    def __init__(self):\n"
HEAD += "        super().__init__()\n"


def case(name, parts, forward, size, budget, codes=0):
    """A network of random weights, inputs to measure on and others to ask with."""

    def make(g):
        seed = int(torch.randint(0, 10_000, (1,), generator=g, device=g.device))
        text = HEAD.format(seed=seed) + "".join(f"        {line}\n" for line in parts.split("\n"))
        text += "    def forward(self, x):\n"
        text += "".join(f"        {line}\n" for line in forward.split("\n")) + "net = Net()\n"
        if codes:
            seen, asked = (
                torch.randint(0, codes, size, generator=g, device=g.device) for _ in range(2)
            )
        else:
            loud = 2.0 ** torch.randn(size[-1], generator=g, device=g.device)
            seen, asked = (
                torch.randn(*size, generator=g, device=g.device) * loud for _ in range(2)
            )
        return text, seen, asked, budget

    return Case(name, make)


def share(numbers, bits):
    """Bytes of so many numbers at so many bits a number, with their scales."""
    return int(numbers * (bits / 8 + 2 / 32))


CASES = (
    case(
        "a loud branch and a quiet one",
        "self.one = nn.Linear(64, 64)\nself.two = nn.Linear(64, 64)\nself.three = nn.Linear(64, 64)\n"
        "self.head = nn.Linear(64, 12)",
        "x = x + 0.1 * self.one(x).tanh() + 6 * self.three(x).tanh()\n"
        "return self.head(x + 0.5 * self.two(x).tanh())",
        (120, 64),
        share(13056, 4.2),
    ),
    case(
        "an embedding that gives the logits",
        "self.embedding = nn.Embedding(30, 64)\nself.body = nn.Sequential(nn.Linear(64, 128), "
        "nn.SiLU(), nn.Linear(128, 64))\nself.head = nn.Linear(64, 30, bias=False)\n"
        "self.head.weight = self.embedding.weight\nself.spare = nn.Linear(64, 64)",
        "y = self.embedding(x)\nreturn self.head(y + 0.3 * self.body(y)) / 4",
        (20, 12),
        share(22400, 4.6),
        codes=30,
    ),
    case(
        "rows of zeros, and a layer that is called twice",
        "self.one = nn.Linear(32, 32, bias=False)\nself.up = nn.Linear(32, 96)\n"
        "self.down = nn.Linear(96, 20)\nself.up.weight.data[:7] = 0\n"
        "self.down.weight.data[3] = 0\nself.quiet = nn.Linear(32, 64)\nself.last = nn.Linear(64, 20)",
        "x = self.one(self.one(x))\n"
        "return 5 * self.down(self.up(x).relu()) + self.last(self.quiet(x).tanh()) / 8",
        (150, 32),
        share(9344, 5.0),
    ),
    case(
        "a branch that hardly counts",
        "self.embedding = nn.Embedding(24, 32)\nself.one = nn.Linear(32, 96)\n"
        "self.two = nn.Linear(32, 96)\nself.norm = nn.RMSNorm(96)\n"
        "self.out = nn.Linear(96, 24, bias=False)",
        "y = self.embedding(x)\n"
        "return 3 * self.out(self.norm(self.one(y).tanh() / 50 + self.two(y)))",
        (25, 16),
        share(9216, 5.1),
        codes=24,
    ),
    case(
        "six branches, each twice as loud as the one before",
        "self.branches = nn.ModuleList(nn.Linear(64, 64) for _ in range(6))\n"
        "self.head = nn.Linear(64, 10)",
        "y = sum((1 << i) * branch(x).sin() for i, branch in enumerate(self.branches))\n"
        "return self.head(y) / 4",
        (100, 64),
        share(25216, 4.4),
    ),
    Case(
        "the draft model",
        lambda g: (
            "net = tiny_lm.load('draft')\n",
            int4_pass.text(4)[:, :64].contiguous(),
            tiny_lm.windows(tiny_lm.held_out(), 6)[0][:, :64].contiguous(),
            27_500,
        ),
    ),
)
