# expect: wrong-graph
import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.codecache import PyCodeCache


class TinyModel(torch.nn.Module):
    """A linear layer, relu, and one half of it."""

    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(64, 32)
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
    captured.append(torch.fx.symbolic_trace(model))

    def keep(aten, aten_inputs):
        lowered.append(aten)
        return make_boxed_func(aten.forward)

    return aot_autograd(fw_compiler=keep)(graph, inputs)


def walk(x):
    """The model's output, computed by way of your backend."""
    return torch.compile(model, backend=backend)(x)


def generated(x):
    """The path of the Python file that Inductor writes for this model."""
    torch._dynamo.reset()
    torch.compile(model)(x)
    written = [module for module in PyCodeCache.modules if hasattr(module, "call")]
    return written[-1].__file__
