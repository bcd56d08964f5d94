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


SHORT = {"torch.float32": "f32", "torch.int64": "i64"}


class Notes:
    def __init__(self, records):
        self.records = records

    def __call__(self, graph, inputs):
        record = {"ops": [], "inputs": [], "runs": 0}
        for node in graph.graph.nodes:
            if node.op == "call_method":
                record["ops"].append(node.target)
            elif node.op == "call_function":
                record["ops"].append(node.target.__name__)
        for value in inputs:
            text = "symbol"
            if isinstance(value, torch.Tensor):
                text = SHORT[str(value.dtype)] + "[" + ", ".join(f"{n}" for n in value.shape) + "]"
            record["inputs"].append(text)
        self.records.append(record)

        def counted(*args):
            record["runs"] += 1
            return graph(*args)

        return counted


backend = Notes(log)


def watch(x):
    return torch.compile(model, backend=backend)(x)
