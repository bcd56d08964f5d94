"""Fetches the weights before the rows, from a module."""

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

    class Root(torch.nn.Module):
        pass

    root = Root()
    for name, tensor in weights.items():
        root.register_buffer(name, tensor)
    graph = torch.fx.Graph(root)
    read_names = {name for row in rows for name in row.inputs} | set(results)
    nodes = {"x": graph.create_node("placeholder", "x", name="x")}
    nodes |= {name: graph.get_attr(name) for name in weights if name in read_names}
    for name, op, inputs, attributes in rows:
        target, names = TARGETS[op]
        given = {**DEFAULTS.get(op, {}), **attributes}
        nodes[name] = graph.create_node(
            "call_function",
            target,
            args=tuple(map(nodes.__getitem__, inputs)),
            kwargs={names[key]: given[key] for key in given},
            name=name,
        )
    out = [nodes[name] for name in results]
    graph.output(out[0] if not out[1:] else tuple(out))
    graph.lint()
    return torch.fx.GraphModule(root, graph)


def run(text: str, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Build the text's graph and run it. Leave it as it is."""
    out = build(*read(text), {"w": w, "b": b})(x)
    return torch.stack(out) if isinstance(out, tuple) else out
