"""Gradients are off, so that AOTAutograd lowers the forward pass alone."""

import torch
from functorch.compile import aot_module_simplified, make_boxed_func
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


def forward_compiler(aten, inputs):
    lowered.append(aten)
    return make_boxed_func(torch.fx.Interpreter(aten).run)


def backend(graph, inputs):
    captured.append(graph)
    return aot_module_simplified(graph, inputs, fw_compiler=forward_compiler)


compiled = torch.compile(model, backend=backend)


def walk(x):
    with torch.no_grad():
        return compiled(x)


def generated(x):
    torch._dynamo.reset()
    with torch.no_grad():
        known = len(PyCodeCache.modules)
        torch.compile(model)(x)
    new = PyCodeCache.modules[known:] + PyCodeCache.modules[:known][::-1]
    return next(module.__file__ for module in new if callable(getattr(module, "call", None)))
