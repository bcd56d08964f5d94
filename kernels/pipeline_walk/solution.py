import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.codecache import PyCodeCache


class TinyModel(torch.nn.Module):
    """A linear layer, relu, and one half of it."""

    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(64, 32)
        # Fixed weights, so that everybody's model is the same one.
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
    captured.append(graph)  # torch-level: linear, relu, mul, and the parameters as inputs

    def keep(aten, aten_inputs):
        lowered.append(aten)  # t, addmm, relu, mul: the same work in ATen operators
        return make_boxed_func(aten.forward)  # AOTAutograd hands over one list of arguments

    # The parameters want gradients, so AOTAutograd traces forward and backward together and splits
    # them; fw_compiler gets the forward. Without bw_compiler the same function would get the other
    # half, at the first backward().
    return aot_autograd(fw_compiler=keep)(graph, inputs)


def walk(x):
    """The model's output, computed by way of your backend."""
    return torch.compile(model, backend=backend)(x)


def generated(x):
    """The path of the Python file that Inductor writes for this model."""
    torch._dynamo.reset()  # forget our own backend's code
    torch.compile(model)(x)
    # Inductor loads what it wrote as a module. Those without a `call` are helpers.
    written = [module for module in PyCodeCache.modules if hasattr(module, "call")]
    return written[-1].__file__
