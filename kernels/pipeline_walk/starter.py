import torch


class TinyModel(torch.nn.Module):
    """A linear layer, relu, and one half of it."""

    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(64, 32)
        # Fixed weights, so that everybody's model is
        # the same one.
        with torch.no_grad():
            self.project.weight.copy_(torch.linspace(-1, 1, 32 * 64).sin().reshape(32, 64))
            self.project.bias.copy_(torch.linspace(-0.5, 0.5, 32))

    def forward(self, x):
        hidden = self.project(x)
        return 0.5 * torch.relu(hidden)


model = TinyModel()
captured = []  # Dynamo's graphs
lowered = []  # AOTAutograd's graphs


def backend(graph, inputs):
    """Keep Dynamo's graph, have it lowered to ATen, keep that too, return what runs it."""
    # Write the backend.


def walk(x):
    """The model's output, computed by way of your backend."""
    return model(x)


def generated(x):
    """The path of the Python file that Inductor writes for this model."""
    # Write how you find it.
