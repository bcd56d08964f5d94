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


def backend(graph, inputs):
    """Append a record to `log`, and return what runs the graph."""
    # Write it. What is known now, and what only at
    # each run?
    return graph.forward


def watch(x):
    """The model's output, computed by way of your backend."""
    return torch.compile(model, backend=backend)(x)
