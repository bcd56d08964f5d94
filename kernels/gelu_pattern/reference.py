import math

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, draw, fault, module, net
from tutor.judge.spec import Case, Work

WANTED = {  # of probe.py's graphs: calls and GELUs that are left, and what each is about
    "as in the books": (1, 1, "Five calls are one."),
    "rounded numbers": (
        12,
        2,
        "1.4143 and 0.7071 are near enough, to within 0.0001; 1.4144 and 0.7074 are not.",
    ),
    "sum first": (1, 1, "Factors and summands may come in any order."),
    "grouped otherwise": (1, 1, "A product of three may be grouped in two ways."),
    "a method and a product": (1, 1, "The erf is a method, and x is multiplied by 1 / sqrt(2)."),
    "twice": (2, 2, "The second formula's x is the first one's result."),
    "a product of more": (2, 1, "The weight multiplies what GELU gives."),
    "x is a product": (2, 1, "The product that is x has two readers and stays."),
    "the erf is read elsewhere": (
        6,
        0,
        "The erf is needed by itself, and F.gelu does not give it.",
    ),
    "the half is read elsewhere": (6, 0, "Half of x is needed by itself."),
    "the quotient is read elsewhere": (6, 0, "x / sqrt(2) is needed by itself."),
    "the sum is read elsewhere": (6, 0, "The sum is needed by itself."),
    "the product is read elsewhere": (6, 0, "The inner product is needed by itself."),
    "two different x": (6, 0, "The factor is not the erf's x."),
    "other numbers": (10, 0, "A factor is 0.3, and a sum is 2 + erf."),
    "erfc in the place of erf": (5, 0, "`erfc` is another function."),
    "dead code beside it": (2, 1, "What was dead before is not yours to remove."),
}


def reference(x, source):
    return module(source).to(x.dtype)(x)


eager = reference


def work(x, source):
    return Work(bytes=2 * x.nbytes, flops=len(source) * x.numel())


def scale(x, source):
    return x.abs().amax() + 1


def check_found(found):
    """(code, sentence) for the first graph that is not as asked, else None."""
    for name, (calls, gelus, why) in WANTED.items():
        got = found[name]
        names = [target for kind, target, _ in got["nodes"] if kind.startswith("call")]
        if names.count("gelu") != gelus:
            return (
                "wrong-graph",
                f"“{name}” calls gelu {names.count('gelu')} times; {gelus} is right. {why}",
            )
        if wrong := fault(got, "recognise", f"“{name}”"):
            return wrong[0], f"{wrong[1]} {why}"
        if len(names) != calls:
            return "wrong-graph", f"“{name}” has {len(names)} calls; it should have {calls}. {why}"
    return None


def spelled(g):
    """A text of GELU in one of its spellings."""
    root = math.sqrt(2)
    inner = (f"x / {root}", f"x * {1 / root}", f"{1 / root} * x", "x / 1.41421")[draw(g, 0, 4)]
    erf = (f"torch.erf({inner})", f"({inner}).erf()")[draw(g, 0, 2)]
    total = (f"(1 + {erf})", f"({erf} + 1.0)")[draw(g, 0, 2)]
    parts = ["x", "0.5", total]
    a, b, c = (parts[i] for i in torch.randperm(3, generator=g, device=g.device).tolist())
    return (f"{a} * {b} * {c}", f"{a} * ({b} * {c})")[draw(g, 0, 2)]


def case(what, forward, *shape):
    def make(g):
        text = forward.replace("GELU", spelled(g)).replace("K", str(draw(g, 2, 9)))
        x = torch.randn(shape, generator=g, device=g.device)
        return (x.t() if what.startswith("transposed") else x), net(text, WEIGHTS)

    return Case(what, make)


CASES = (
    case("GELU", "return GELU", 4, 5),
    case("GELU, spelled otherwise", "return GELU", 30),
    case("GELU and a sum", "y = GELU\nreturn y + K", 4, 5),
    case("no GELU", "return torch.erf(x) * K", 4, 5),
    case("nearly GELU", "return 0.5 * x * (1 + torch.erf(x / 1.K))", 4, 5),
    case("another factor", "return 0.K5 * x * (1 + torch.erf(x / 1.4142135623730951))", 4, 5),
    case("another x", "y = x + K\nreturn 0.5 * y * (1 + torch.erf(x / 1.4142135623730951))", 4, 5),
    case("the quotient upside down", "return 0.5 * x * (1 + torch.erf(1.4142135623730951 / x))", 4, 5),
    case("transposed view", "return GELU", 4, 5),
)  # fmt: skip
