"""Shapes from the graph's placeholders."""

import torch


class Net(torch.nn.Module):
    """Two layers with fixed weights. Leave it as it is."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.linspace(-1, 1, 256).sin().reshape(16, 16))

    def forward(self, x):
        return (x @ self.w).relu() * 0.5 + x


model = Net()
log = []  # one record a graph


SHORT = {torch.float32: "f32", torch.float16: "f16", torch.int64: "i64", torch.bool: "b8"}


def describe(value):
    """f32[8, 64] for a tensor; a symbolic size is an input as well, and has no dtype."""
    if not isinstance(value, torch.Tensor):
        return "symbol"
    return f"{SHORT[value.dtype]}[{', '.join(map(str, value.shape))}]"


def backend(graph, inputs):
    """Note what was captured, and run it as it is."""
    calls = [node.target for node in graph.graph.nodes if node.op.startswith("call_")]
    record = {
        # A method's target is a text. A function's text would be `<built-in function add>`.
        "ops": [each if isinstance(each, str) else each.__name__ for each in calls],
        "inputs": [
            describe(node.meta["example_value"])
            for node in graph.graph.nodes
            if node.op == "placeholder"
        ],
        "runs": 0,
    }
    log.append(record)

    def run(*args):
        record["runs"] += 1  # at each run; the lines above run once, while compiling
        return graph.forward(*args)

    return run


def watch(x):
    """The model's output, computed by way of your backend."""
    return torch.compile(model, backend=backend)(x)
