import math

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, draw, graph_case, net
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(rtol=1e-4, unit="calls")
ROOT = "1.4142135623730951"
X = torch.linspace(-3, 3, 9).reshape(3, 3)

NAMED = (  # calls and GELUs that are left, the lines of a graph, and what it is about
    ("as in the books", 1, 1, "return 0.5 * x * (1 + torch.erf(x / ROOT))",
     "Five calls are one."),
    ("rounded numbers", 12, 2,
     "a = 0.5 * x * (1 + torch.erf(x / 1.4143))\nb = 0.5 * a * (1 + torch.erf(a * 0.7071))\n"
     "c = 0.5 * b * (1 + torch.erf(b / 1.4144))\nreturn 0.5 * c * (1 + torch.erf(c * 0.7074))",
     "1.4143 and 0.7071 are near enough, to within 0.0001; 1.4144 and 0.7074 are not."),
    ("sum first", 1, 1, "return (torch.erf(x / ROOT) + 1.0) * x * 0.5",
     "Factors and summands may come in any order."),
    ("grouped otherwise", 1, 1, "return x * (0.5 * (1 + torch.erf(x / ROOT)))",
     "A product of three may be grouped in two ways."),
    ("a method and a product", 1, 1, "return x * 0.5 * (1 + (x * 0.70710678).erf())",
     "The erf is a method, and x is multiplied by 1 / sqrt(2)."),
    ("the number first", 1, 1, "return 0.5 * x * (1 + torch.erf(0.70710678 * x))",
     "In the product with x the number may come first."),
    ("twice", 2, 2,
     "y = 0.5 * x * (1 + torch.erf(x / ROOT))\nreturn 0.5 * y * (1 + torch.erf(y / ROOT))",
     "The second formula's x is the first one's result."),
    ("a product of more", 2, 1, "return 0.5 * x * (1 + torch.erf(x * 0.70710678)) * self.w",
     "The weight multiplies what GELU gives."),
    ("x is a product", 2, 1, "y = x * self.w\nreturn y * 0.5 * (1 + torch.erf(y / ROOT))",
     "The product that is x has two readers and stays."),
    ("the erf is read elsewhere", 6, 0, "e = torch.erf(x / ROOT)\nreturn 0.5 * x * (1 + e) + e",
     "The erf is needed by itself, and F.gelu does not give it."),
    ("the half is read elsewhere", 6, 0, "h = 0.5 * x\nreturn h * (1 + torch.erf(x / ROOT)) - h",
     "Half of x is needed by itself."),
    ("the quotient is read elsewhere", 6, 0, "q = x / ROOT\nreturn 0.5 * x * (1 + torch.erf(q)) + q",
     "x / sqrt(2) is needed by itself."),
    ("the sum is read elsewhere", 6, 0, "s = 1 + torch.erf(x / ROOT)\nreturn 0.5 * x * s + s",
     "The sum is needed by itself."),
    ("the product is read elsewhere", 6, 0, "p = 0.5 * (1 + torch.erf(x / ROOT))\nreturn x * p + p",
     "The inner product is needed by itself."),
    ("two different x", 6, 0, "y = x + 1\nreturn 0.5 * y * (1 + torch.erf(x / ROOT))",
     "The factor is not the erf's x."),
    ("other numbers", 10, 0,
     "y = 0.501 * x * (1 + torch.erf(x / ROOT))\nreturn 0.5 * y * (1.01 + torch.erf(y / ROOT))",
     "A factor is 0.501, and a sum is 1.01 + erf."),
    ("numbers with other signs", 15, 0,
     "y = -0.5 * x * (1 + torch.erf(x / ROOT))\nz = 0.5 * y * (-1 + torch.erf(y / ROOT))\n"
     "return 0.5 * z * (1 + torch.erf(z / -ROOT))",
     "A factor is -0.5, a sum is -1 + erf, and a divisor is -sqrt(2)."),
    ("a difference", 5, 0, "return 0.5 * x * (1 - torch.erf(x / ROOT))", "A difference is no sum."),
    ("the numbers inside exchanged", 10, 0,
     "y = 0.5 * x * (1 + torch.erf(x * ROOT))\nreturn 0.5 * y * (1 + torch.erf(0.70710678 / y))",
     "sqrt(2) divides, and 1 / sqrt(2) multiplies."),
    ("a quotient by 1 / sqrt(2)", 5, 0, "return 0.5 * x * (1 + torch.erf(x / 0.70710678))",
     "sqrt(2) divides, and 1 / sqrt(2) multiplies."),
    ("x times the sum is read elsewhere", 6, 0, "p = x * (1 + torch.erf(x / ROOT))\nreturn 0.5 * p + p",
     "The inner product is needed by itself."),
    ("x is a factor twice", 6, 0, "return 0.5 * x * x * (1 + torch.erf(x / ROOT))",
     "The formula has one x beside the sum."),
    ("erfc in the place of erf", 5, 0, "return 0.5 * x * (1 + torch.erfc(x / ROOT))",
     "`erfc` is another function."),
    ("dead code beside it", 2, 1, "z = x.sin()\nreturn 0.5 * x * (1 + torch.erf(x / ROOT))",
     "What was dead before is not yours to remove."),
)  # fmt: skip
TEXTS = {name: lines.replace("ROOT", ROOT) for name, _, _, lines, _ in NAMED}
WANTED = {net(TEXTS[name], WEIGHTS): (calls, gelus) for name, calls, gelus, _, _ in NAMED}


def check_rewrite(program, before, after):
    made = [each for each in after if each.kind.startswith("call")]
    found = sum((each.kind, each.name) == ("call_function", "gelu") for each in made)
    calls, gelus = WANTED.get(program, (len(made), found))
    if found != gelus:
        return f"`torch.nn.functional.gelu` is called {found} times; {gelus} is right."
    if len(made) != calls:
        return f"{len(made)} calls are left; there should be {calls}."
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


def spelled_case(name, forward, *shape):
    def make(g):
        text = forward.replace("GELU", spelled(g)).replace("K", str(draw(g, 2, 9)))
        return net(text, WEIGHTS), torch.randn(shape, generator=g, device=g.device)

    return Case(name, make)


CASES = (
    spelled_case("GELU", "return GELU", 4, 5),
    spelled_case("GELU, spelled otherwise", "return GELU", 30),
    spelled_case("GELU and a sum", "y = GELU\nreturn y + K", 4, 5),
    spelled_case("no GELU", "return torch.erf(x) * K", 4, 5),
    spelled_case("nearly GELU", "return 0.5 * x * (1 + torch.erf(x / 1.K))", 4, 5),
    spelled_case("another factor", f"return 0.K5 * x * (1 + torch.erf(x / {ROOT}))", 4, 5),
    spelled_case("another x", f"y = x + K\nreturn 0.5 * y * (1 + torch.erf(x / {ROOT}))", 4, 5),
    spelled_case("the quotient upside down", f"return 0.5 * x * (1 + torch.erf({ROOT} / x))", 4, 5),
    *(graph_case(name, TEXTS[name], why, X) for name, _, _, _, why in NAMED),
)
