"""Gives the name after the node is made."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

TARGETS = {  # of an operator: the function, torch's names of attributes
    "MatMul": (torch.matmul, {}),
    "Add": (torch.add, {}),
    "Sub": (torch.sub, {}),
    "Mul": (torch.mul, {}),
    "Relu": (torch.relu, {}),
    "Softmax": (torch.softmax, {"axis": "dim"}),
    "LeakyRelu": (F.leaky_relu, {"alpha": "negative_slope"}),
}
DEFAULTS = {"Softmax": {"axis": -1}, "LeakyRelu": {"alpha": 0.01}}


class Row(NamedTuple):
    name: str
    op: str
    inputs: list[str]
    attributes: dict[str, float]


def read(text: str) -> tuple[list[Row], list[str]]:
    """Return a text's rows and the names of its results. Leave it as is."""
    rows, results = [], []
    for line in text.splitlines():
        if line.startswith("return "):
            results = line.removeprefix("return ").split(", ")
            continue
        name, call = line.split(" = ", 1)
        op, inside = call.rstrip(")").split("(")
        parts = inside.split(", ")
        inputs = [part for part in parts if "=" not in part]
        named = (part.split("=") for part in parts if "=" in part)
        rows.append(Row(name, op, inputs, {k: eval(v) for k, v in named}))
    return rows, results


def build(
    rows: list[Row], results: list[str], weights: dict[str, torch.Tensor]
) -> torch.fx.GraphModule:
    """Return the rows as an FX graph."""
    graph = torch.fx.Graph()
    nodes = {"x": graph.placeholder("x")}

    def value(name: str) -> torch.fx.Node:
        if name not in nodes:
            nodes[name] = graph.get_attr(name)
        return nodes[name]

    for row in rows:
        target, names = TARGETS[row.op]
        attributes = DEFAULTS.get(row.op, {}) | row.attributes
        args = tuple(value(each) for each in row.inputs)
        kwargs = {names[key]: number for key, number in attributes.items()}
        nodes[row.name] = graph.call_function(target, args, kwargs)
        nodes[row.name].name = row.name
    found = tuple(value(name) for name in results)
    graph.output(found[0] if len(found) == 1 else found)
    return torch.fx.GraphModule(weights, graph)


def run(text: str, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Build the text's graph and run it. Leave it as it is."""
    out = build(*read(text), {"w": w, "b": b})(x)
    return torch.stack(out) if isinstance(out, tuple) else out
