import torch

from tutor.judge.cases.fx_effects import draws, is_call, memories, touched, writes
from tutor.judge.cases.fx_graphs import (
    WEIGHTS,
    draw,
    fault,
    graph_of,
    module,
    net,
    shown,
)
from tutor.judge.spec import Case, Work

WHY = {  # of probe.py's graphs: what each is about
    "one product": "The product reads a weight and a number.",
    "three in a row": "What reads a folded call is constant as well.",
    "weights and input": "Every call here depends on x.",
    "x as a keyword": "What a keyword gives is read as well.",
    "a constant that is written": "The buffer would keep what the first call has added.",
    "a weight that is written": "At the second call w is another one.",
    "one of two weights is written": "Nothing writes s, so what reads it alone is constant.",
    "a view is folded": "A view of a weight that nobody writes is constant.",
    "a method with keywords": "A method has keyword arguments as a function has.",
    "what remains is dead": "The product has been read only by what is folded.",
}


def reference(x, source):
    return module(source).to(x.dtype)(x.clone())


eager = reference


def work(x, source):
    return Work(bytes=2 * x.nbytes, flops=len(source) * x.numel())


COUNTED = ("call_function", "call_method", "call_module")


def left(text):
    """Count the calls that may stay: those not constant, and of the rest those that are returned."""
    graph = graph_of(text)
    bad, known = touched(graph), set()
    memory = memories(graph)
    returned = {memory[node] for node in graph.output_node().all_input_nodes}
    for node in graph.nodes:
        pure = is_call(node) and not draws(node) and not writes(node)
        if node in bad or (is_call(node) and memory[node] in returned):
            continue
        if node.op == "get_attr" or (pure and known.issuperset(node.all_input_nodes)):
            known.add(node)
    return sum(is_call(node) and node not in known for node in graph.nodes)


def check_found(found):
    """(code, sentence) for the first graph that is wrong or too long, else None."""
    for name, (text, got) in found.items():
        what = shown(text) if name.startswith("drawn") else f"“{name}”"
        why = WHY.get(name, "")
        if name.startswith("a draw"):
            why = "Each call draws other numbers."
        if name.startswith("a constant is written through"):
            why = "The view shares memory with the product."
        if wrong := fault(got, "fold", what):
            return wrong[0], f"{wrong[1]} {why}".strip()
        most = left(text)
        have = sum(kind in COUNTED for kind, _, _ in got["nodes"])
        if have > most:
            return "wrong-graph", f"{what}: {have} calls are left, {most} would do. {why}".strip()
        unread = [
            target for kind, target, users in got["nodes"] if kind == "get_attr" and not users
        ]
        if unread:
            return "wrong-graph", f"{what}: `{unread[0]}` is fetched, and nobody reads it any more."
    return None


def case(what, forward):
    def make(g):
        text = net(forward.replace("K", str(draw(g, 2, 9))), WEIGHTS)
        x = torch.randn(3, 3, generator=g, device=g.device)
        return (x.t() if what.startswith("transposed") else x), text

    return Case(what, make)


CASES = (
    case('a product', 'return self.w * K + x'),
    case('a chain', 'return (self.w * K - self.s).sin() + x'),
    case('a keyword', 'return torch.sum(self.w * K, dim=0, keepdim=True) + x'),
    case('x as a keyword', 'return torch.add(self.w * K, other=x) * self.s'),
    case('nothing constant', 'return (x + self.w) * K'),
    case('a constant that is written', 'y = self.w * K\ny.add_(x)\nreturn y.sin()'),
    case('a view of a constant is written', 'y = self.w * K\nv = y.t()\nv.add_(x)\nreturn y.sin()'),
    case('transposed view', 'return x @ (self.w.t() * K)'),
)  # fmt: skip
