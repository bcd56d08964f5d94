import torch
import torch.nn.functional as F

from tutor.judge.cases.fx_graphs import draw, fault, net, trace_text
from tutor.judge.spec import Case, Work

SPELLINGS = {
    "call_function": "a function",
    "call_method": "a method",
    "call_module": "a submodule",
}


class Operated(torch.fx.Interpreter):
    """Runs a graph as it is, and computes as if it had been operated on.

    `relus` and `products` are the kinds of node that are changed; with `returned` a product that the
    output alone reads is not.
    """

    def __init__(
        self, module, relus=tuple(SPELLINGS), products=tuple(SPELLINGS), returned=False
    ):
        super().__init__(module)
        self.relus, self.products, self.returned = relus, products, returned

    def run_node(self, n):
        kind = type(self.module.get_submodule(n.target)) if n.op == "call_module" else None
        name = getattr(n.target, "__name__", n.target)
        if n.op in self.relus and (kind is torch.nn.ReLU or name == "relu"):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return F.silu((*args, *kwargs.values())[0])
        out = super().run_node(n)
        product = n.op in self.products and (kind is torch.nn.Linear or name == "matmul")
        if not product or (self.returned and all(user.op == "output" for user in n.users)):
            return out
        return out.clamp(-1, 1)


def reference(x, source, **changed):
    return Operated(trace_text(source).to(x.dtype), **changed).run(x)


def explain_wrong(got, x, source):
    """Name the kind of node with which, left as it was, the graph has this result."""
    want = reference(x.double(), source)

    def same(**changed):
        other = reference(x.double(), source, **changed)
        if other.shape != got.shape or torch.allclose(other, want, atol=1e-3):
            return False
        return torch.allclose(got.double(), other, atol=1e-5)

    if same(returned=True):
        return (
            "The result is that of a graph in which a product that only the output reads is not clamped."
        )
    for left, spelling in SPELLINGS.items():
        others = tuple(op for op in SPELLINGS if op != left)
        if same(relus=others):
            return f"The result is that of a graph in which {spelling} (`{left}`) is a ReLU still."
        if same(products=others):
            return (
                f"The result is that of a graph in which a product that is {spelling} (`{left}`) is not "
                "clamped."
            )
    if same(relus=(), products=()):
        return "The result is that of the graph before any change."
    if same(products=()):
        return "The result is that of a graph in which no product is clamped."
    return None


eager = reference


def work(x, source):
    return Work(bytes=2 * x.nbytes, flops=len(source) * x.numel())


def scale(x, source):
    return 4 * x.abs().amax() + 4


WANTED = {  # of probe.py's graphs: nodes, clamps and silus afterwards, and what is special
    "one relu": (3, 0, 1, "The ReLU's node makes room for the new one."),
    "four spellings": (
        6,
        0,
        4,
        "Function, torch.nn.functional, method and submodule are all ReLUs.",
    ),
    "a product with two users": (6, 1, 0, "One clamp serves all who read the product."),
    "a product that is returned": (4, 1, 0, "The output reads the product as well."),
    "two layers": (7, 2, 1, "One submodule Linear is called twice, and each call is a product."),
    "product, then relu": (5, 1, 1, "Clamped first, then SiLU."),
    "an unread value": (5, 0, 1, "The sine that nobody reads is not your business; it stays."),
    "nothing to do": (4, 0, 0, "There is neither a ReLU nor a product."),
    "a ReLU inside a submodule": (4, 0, 1, "`block.act` is a submodule of a submodule."),
    "functions with like names": (
        5,
        0,
        0,
        "`F.linear`, `F.relu6` and `torch.mm` are not on the task's list.",
    ),
    "submodules with like names": (
        4,
        0,
        0,
        "`torch.nn.ReLU6` and `torch.nn.LeakyReLU` are other submodules than `torch.nn.ReLU`.",
    ),
}


def check_found(found):
    """(code, sentence) for the first graph that is not operated on as asked, else None."""
    for name, (nodes, clamps, silus, why) in WANTED.items():
        got = found[name]
        if wrong := fault({**got, "differs": ""}, "operate", f"“{name}”"):
            return wrong
        names = [each[1] for each in got["nodes"]]
        kinds = [each[0] for each in got["nodes"]]
        if "act" in names:
            return (
                "wrong-graph",
                f"“{name}” still calls a submodule where a ReLU was. Each ReLU becomes one call of "
                "`torch.nn.functional.silu`, a submodule too.",
            )
        functions = [each[1] for each in got["nodes"] if each[0] == "call_function"]
        counts = (
            (functions.count("clamp"), clamps, "calls of `torch.clamp`"),
            (functions.count("silu"), silus, "calls of `torch.nn.functional.silu`"),
        )
        for have, want, what in counts:
            if have != want:
                return (
                    "wrong-graph",
                    f"“{name}” has {have} {what} afterwards; it must have {want}. {why}",
                )
        if "relu" in names or any("act" in each for each in got["modules"]):
            kind = "node" if "relu" in names else "submodule"
            return "wrong-graph", f"In “{name}” a ReLU is left as a {kind}. {why}"
        if len(kinds) != nodes:
            more = "more" if len(kinds) > nodes else "fewer"
            return "wrong-graph", f"“{name}” has {len(kinds)} nodes, {more} than {nodes}. {why}"
    return None


LINEAR = """
self.act = torch.nn.ReLU()
self.lin = torch.nn.Linear(3, 3)
self.lin.weight.data = torch.arange(-4.0, 5.0).reshape(3, 3) / 4
self.lin.bias.data = torch.tensor([0.5, -0.5, 1.0])
self.net = torch.nn.Sequential(self.lin, torch.nn.ReLU())
"""


def case(what, forward, *shape):
    def make(g):
        text = net(forward.replace("K", str(draw(g, 2, 9))), LINEAR)
        return torch.randn(shape, generator=g, device=g.device), text

    return Case(what, make)


CASES = (
    case("a function", "return torch.relu(x) * K", 5, 3),
    case("torch.nn.functional", "return F.relu(x - K) + x", 5, 3),
    case("a keyword", "return F.relu(input=x) * K", 5, 3),
    case("a method", "return (x * K).relu() + 1", 5, 3),
    case("a submodule", "return self.act(x) - x * K", 5, 3),
    case("a product", "return x @ x * K", 3, 3),
    case("torch.matmul", "return torch.matmul(x, x.t()) - K", 4, 3),
    case("a linear layer", "return self.lin(x * K)", 4, 3),
    case("a submodule of a submodule", "return self.net(x * K)", 4, 3),
    case("a product with two users", "p = x @ x\nreturn p * K + p.sin()", 3, 3),
    case("a product within a list", "p = (5 * x) @ x\nreturn torch.cat([p, p * K])", 3, 3),
    case("a product by a keyword, and twice",
         "p = (5 * x) @ x\nreturn torch.add(input=p, other=x) * K - p * p", 3, 3),
    case("ReLUs within a list", "return torch.cat([x.relu(), torch.relu(x * K)])", 4, 3),
    case("a submodule twice", "return self.act(self.act(x) * K - 1)", 4, 3),
    case("a residual block", "h = self.act(self.lin(x))\nreturn x + self.lin(h) * K", 4, 3),
    case("a ReLU with two users", "r = x.relu()\nreturn r @ r + r * K", 3, 3),
    Case("transposed view", lambda g: (
        torch.randn(3, 5, generator=g, device=g.device).t(),
        net("return self.lin(x).relu() @ x.t()", LINEAR))),
    case("nothing to do", "return x.sin() + K", 4, 3),
)  # fmt: skip
