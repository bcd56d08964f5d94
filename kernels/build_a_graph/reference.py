import torch
import torch.nn.functional as F

from tutor.judge.spec import Case, Work

OPS = {
    "MatMul": lambda a, b: a @ b,
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Relu": lambda a: a.clamp(min=0),
    "Softmax": lambda a, axis=-1: a.softmax(axis),
    "LeakyRelu": lambda a, alpha=0.01: F.leaky_relu(a, alpha),
}


def lines_of(text):
    """Yield (name, operator, inputs, attributes) of each line but the last."""
    for line in text.splitlines()[:-1]:
        name, _, call = line.partition(" = ")
        op, _, inside = call.rstrip(")").partition("(")
        parts = [part.partition("=") for part in inside.split(", ")]
        yield name, op, [p[0] for p in parts if not p[1]], {p[0]: eval(p[2]) for p in parts if p[1]}


def results_of(text):
    return text.splitlines()[-1].removeprefix("return ").split(", ")


def reference(text, x, w, b):
    values = {"x": x, "w": w, "b": b}
    for name, op, inputs, attributes in lines_of(text):
        values[name] = OPS[op](*(values[each] for each in inputs), **attributes)
    out = [values[name] for name in results_of(text)]
    return torch.stack(out) if len(out) > 1 else out[0]


eager = reference


def scale(text, x, w, b):
    largest = max(each.abs().max() for each in (x, w, b))
    return (1 + largest) ** 3 * x.shape[-1]


def work(text, x, w, b):
    return Work(bytes=2 * x.nbytes + w.nbytes + b.nbytes, flops=2 * x.numel() * len(w))


KINDS = {"placeholder": "an input", "get_attr": "a weight", "call_function": "a row"}


def check_found(found):
    """(code, sentence) for the first graph that is not built as asked, else None."""
    for text, got in zip(TEXTS, found["graphs"], strict=True):
        shown = text.replace("\n", "; ")
        if "type" in got:
            return "wrong-graph", f"`build` returned {got['type']}; it must be a GraphModule."
        if "error" in got:
            return "wrong-graph", f"The graph of `{shown}` is not in order: {got['error']}"
        if sentence := differs(text, got["nodes"]):
            return "wrong-graph", f"`{shown}`: {sentence}"
        if got["other"]:
            name, called, asked = got["other"][0]
            return "wrong-graph", (
                f"`{shown}`: {name} calls another `{called}` than `TARGETS` gives, which is torch's "
                f"`{asked}`."
            )
        if got["traced"]:
            return "wrong-graph", f"`{shown}`: a tracer has made the graph. Make each node yourself."
    return None


def differs(text, nodes):
    """Return a sentence where the nodes, as (kind, name, target) triples, are not those of the text."""
    rows = list(lines_of(text))
    read = {name for row in rows for name in row[2]} | set(results_of(text))
    calls = [name for kind, name, _ in nodes if kind.startswith("call")]
    names = [row[0] for row in rows]
    for name in ("kernel", "shift") if text == OTHER else ("w", "b"):
        times = sum(kind == "get_attr" and target == name for kind, _, target in nodes)
        if times > 1:
            return (
                f"the graph fetches the weight {name} with {times} `get_attr` nodes. One node can "
                "have many users."
            )
        if times and name not in read:
            return f"the graph has a `get_attr` of {name}, and no row reads {name}."
        if not times and name in read:
            return (
                f"no `get_attr` node fetches the weight {name}. A tensor does not belong into a "
                "node's arguments; the graph names it, and the module holds it."
            )
    if missing := [name for name in names if name not in calls]:
        if len(calls) < len(names):
            return (
                f"the graph has {len(calls)} calls for {len(names)} rows; {missing[0]} is not among "
                "them. A row that nobody reads is imported too."
            )
        return f"no node is named {missing[0]}; the calls are named {', '.join(calls)}."
    if calls != names:
        return f"the calls come in the order {', '.join(calls)}, the rows as {', '.join(names)}."
    if any(kind == "call_method" or kind == "call_module" for kind, _, _ in nodes):
        return "a row has become a `call_method` or `call_module`; each is a `call_function`."
    inputs = [name for kind, name, _ in nodes if kind == "placeholder"]
    if inputs != ["x"]:
        return f"the placeholders are {inputs}; there is one input, x."
    return None


BLOCK = "h = MatMul(x, w)\na = Add(h, b)\nr = Relu(a)\ny = Add(r, x)\nreturn y"
SHORT = "h = Relu(x)\nreturn h"
TWICE = "h = MatMul(x, w)\nr = Relu(h)\ng = MatMul(r, w)\nd = Sub(g, b)\ny = Add(d, b)\nreturn y"
DEAD = "h = MatMul(x, w)\nunread = Mul(h, h)\ny = Sub(h, x)\nreturn y"
BOTH = "h = Mul(x, b)\ns = Softmax(h, axis=0)\nt = Softmax(h)\nreturn t, h, s"
LATE = "a = Relu(x)\ns = Softmax(a)\nm = MatMul(x, w)\ny = Add(s, m)\nreturn y"
OTHER = "h = MatMul(x, kernel)\ny = Add(h, shift)\nreturn y"
TEXTS = (BLOCK, SHORT, TWICE, DEAD, BOTH, LATE, OTHER)  # probe.py has the same


def given(g, text, n, k):
    normal = [torch.randn(s, generator=g, device=g.device) for s in ((n, k), (k, k), (k,))]
    return text, *normal


def _turned(text, x, *weights):
    return text, x.t(), *weights


def case(what, text, n, k):
    return Case(what, lambda g: given(g, text, n, k))


def written_by_dice(g):
    """A text of eight rows over what came before."""
    names, lines = ["x", "x"], []
    for i in range(8):
        op = ("Add", "Sub", "Mul", "Relu", "LeakyRelu", "Softmax", "MatMul")[draw(g, 7)]
        left, right = names[draw(g, len(names))], (*names, "b")[draw(g, len(names) + 1)]
        more = {
            "Relu": "", "LeakyRelu": f", alpha=0.{draw(g, 9)}", "Softmax": ("", ", axis=0")[draw(g, 2)],
            "MatMul": ", w",
        }.get(op, f", {right}")  # fmt: skip
        if op in ("Mul", "MatMul"):
            lines.append(f"c{i} = Softmax({left})")  # so that numbers stay small
            left = f"c{i}"
        lines.append(f"v{i} = {op}({left}{more})")
        names.append(f"v{i}")
    return given(g, "\n".join([*lines, "return v7, v5"]), 4, 3)


def draw(g, bound):
    return int(torch.randint(bound, (1,), generator=g, device=g.device))


CASES = (
    case("a residual block", BLOCK, 3, 4),
    case("one row", SHORT, 5, 2),
    case("a difference", "d = Sub(x, b)\nreturn d", 3, 3),
    case("a weight that is read twice", TWICE, 2, 5),
    case("a row that nobody reads", DEAD, 3, 3),
    Case("transposed view", lambda g: _turned(*given(g, BLOCK, 4, 4))),
    case("an axis in the text", "h = Softmax(x, axis=0)\nreturn h", 5, 3),
    case("no axis in the text", "h = Softmax(x)\nreturn h", 5, 3),
    case("a slope in the text", "h = LeakyRelu(x, alpha=0.3)\nreturn h", 5, 3),
    case("the default slope", "h = LeakyRelu(x)\nreturn h", 5, 3),
    case("two results", "h = Add(x, b)\nr = Relu(h)\nreturn r, h", 4, 3),
    case("the input among the results", "h = Mul(x, b)\nreturn x, h", 4, 3),
    Case("written by dice", written_by_dice),
    Case("written by dice again", written_by_dice),
)  # fmt: skip
