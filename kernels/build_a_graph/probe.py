"""Gives texts to the learner's `build` and notes the nodes. Plain values leave it."""

import torch
import torch.nn.functional as F

FUNCTIONS = {
    "MatMul": torch.matmul, "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Relu": torch.relu,
    "Softmax": torch.softmax, "LeakyRelu": F.leaky_relu,
}  # fmt: skip
BLOCK = "h = MatMul(x, w)\na = Add(h, b)\nr = Relu(a)\ny = Add(r, x)\nreturn y"
SHORT = "h = Relu(x)\nreturn h"
TWICE = "h = MatMul(x, w)\nr = Relu(h)\ng = MatMul(r, w)\nd = Sub(g, b)\ny = Add(d, b)\nreturn y"
DEAD = "h = MatMul(x, w)\nunread = Mul(h, h)\ny = Sub(h, x)\nreturn y"
BOTH = "h = Mul(x, b)\ns = Softmax(h, axis=0)\nt = Softmax(h)\nreturn t, h, s"
LATE = "a = Relu(x)\ns = Softmax(a)\nm = MatMul(x, w)\ny = Add(s, m)\nreturn y"
OTHER = "h = MatMul(x, kernel)\ny = Add(h, shift)\nreturn y"


def probe(module, device):
    texts = (BLOCK, SHORT, TWICE, DEAD, BOTH, LATE, OTHER)
    return {"graphs": [_built(module, text) for text in texts]}


def _built(module, text):
    square, vector = ("kernel", "shift") if text == OTHER else ("w", "b")
    weights = {square: torch.eye(2), vector: torch.ones(2)}
    graph = module.build(*module.read(text), weights)
    if not isinstance(graph, torch.fx.GraphModule):
        return {"type": type(graph).__name__}
    try:
        graph.graph.lint()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    traced = getattr(graph.graph, "_tracer_cls", None) is not None  # a tracer leaves its class there
    asked = {row.name: FUNCTIONS[row.op] for row in module.read(text)[0]}
    other = [
        (n.name, str(getattr(n.target, "__name__", n.target))[:60], asked[n.name].__name__)
        for n in graph.graph.nodes
        if n.op == "call_function" and n.name in asked and n.target is not asked[n.name]
    ]
    nodes = [(n.op, n.name, str(n.target)) for n in graph.graph.nodes]
    return {"nodes": nodes, "other": other[:1], "traced": traced}
