import torch

from tutor.judge.cases.fx_effects import draws, is_call, memories, touched, writes
from tutor.judge.cases.fx_graphs import WEIGHTS, draw, fault, graph_of, module, net, shown, traced
from tutor.judge.spec import Case, Work

WHY = {  # of probe.py's graphs: what each is about
    "2 and 2.0": "For whole numbers `x * 2` is a whole number and `x * 2.0` is not.",
    "twice the same": "The second x + 1 is the first one.",
    "two steps deep": "The sines are equal once their inputs are one node.",
    "six steps deep": "Each step is equal once the step before is one node.",
    "a weight read twice": "A sum and a product are two.",
    "other keywords": "The two sums run along different dimensions.",
    "an argument that is no node": "The slices differ; the two reshapes are equal.",
    "1 and True in an index": "`x[1, :]` is a row, and `x[True, :]` is x with one more dimension.",
    "one of two is written": "The two have one value when they are made, and later not.",
    "read before and after a write": "The two products read y at different times.",
    "something else is written": "Nothing writes x or x + 1.",
}


def reference(x, source):
    return module(source).to(x.dtype)(x.clone())


eager = reference


def explain_wrong(got, x, source):
    """Say so where this is what merging gives that does not look for writes."""
    graph, first = traced(source), {}
    for node in list(graph.graph.nodes):
        if is_call(node) and not writes(node) and not draws(node):
            kept = first.setdefault((node.target, repr(node.args), repr(node.kwargs)), node)
            if kept is not node:
                node.replace_all_uses_with(kept)
                graph.graph.erase_node(node)
    graph.recompile()
    if touched(traced(source).graph) and torch.allclose(graph(x.clone()).to(got.dtype), got):
        return (
            "Two calls are one here, and memory that one of them has or reads is written. They do "
            "the same, but their values are not the same for the whole run."
        )
    return None


def work(x, source):
    return Work(bytes=2 * x.nbytes, flops=len(source) * x.numel())


COUNTED = ("call_function", "call_method", "call_module")


def left(text):
    """Count the calls that stay: each different value once, and what the output reads too.

    PyTorch's pass keeps the latter and the views that share its memory, and so may a learner's.
    """
    graph = graph_of(text)
    bad, numbers, number_of = touched(graph), {}, {}
    memory = memories(graph)
    returned = {memory[node] for node in graph.output_node().all_input_nodes}
    for node in graph.nodes:
        own = not is_call(node) or draws(node) or writes(node) or memory[node] in returned
        if own or bad.intersection((node, *node.all_input_nodes)):
            key = node
        else:
            read = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: f"#{number_of[n]}")
            key = (node.op, str(node.target), repr(read))
        number_of[node] = numbers.setdefault(key, len(numbers))
    return len({number_of[node] for node in graph.nodes if is_call(node)})


def check_found(found):
    """(code, sentence) for the first graph that is wrong or too long, else None."""
    for name, (text, got) in found.items():
        what = shown(text) if name.startswith("drawn") else f"“{name}”"
        why = WHY.get(name, "")
        if name.startswith("two draws"):
            why = "Two draws are two values."
        if name.startswith("written through"):
            why = "The view shares the memory of y."
        if wrong := fault(got, "merge", what):
            return wrong[0], f"{wrong[1]} {why}".strip()
        most = left(text)
        have = sum(kind in COUNTED for kind, _, _ in got["nodes"])
        if have > most:
            return "wrong-graph", f"{what}: {have} calls are left, {most} would do. {why}".strip()
    return None


def case(what, forward):
    def make(g):
        text = net(forward.replace("K", str(draw(g, 2, 9))), WEIGHTS)
        x = torch.randn(3, 3, generator=g, device=g.device)
        return (x.t() if what.startswith("transposed") else x), text

    return Case(what, make)


CASES = (
    case('twice the same', 'return (x + K) * (x + K)'),
    case('two steps deep', 'return (x + K).sin() - (x + K).sin() + x'),
    case('nothing in common', 'return (x + K) * (x - K)'),
    case('a weight read twice', 'return (x + self.w) * K - (x * self.w)'),
    case('other keywords', 'return torch.sum(x, dim=0) * K - torch.sum(x, dim=1)'),
    case('one of two is written', 'a = x * K\nb = x * K\na.add_(1)\nreturn a - b'),
    case('written through a view', 'y = x + K\na = y.sin()\ny.t().add_(1)\nreturn a - y.sin()'),
    case('operands exchanged', 'y = x + self.w\nreturn (x - y) * K - (y - x)'),
    case('transposed view', 'return (x + K) * (x + K)'),
)  # fmt: skip
