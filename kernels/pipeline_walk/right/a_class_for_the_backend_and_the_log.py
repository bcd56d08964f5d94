"""A backend that is an object; the path is what `output_code` logs."""

import logging
import re

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.decomposition import select_decomp_table


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


class Backend:
    def __call__(self, graph, inputs):
        captured.append(graph)
        lower = aot_autograd(
            fw_compiler=self.forward,
            inference_compiler=self.forward,
            decompositions=select_decomp_table(),
        )
        return lower(graph, inputs)

    def forward(self, aten, inputs):
        lowered.append(aten)
        return make_boxed_func(aten)


backend = Backend()


@torch.compile(backend=backend, dynamic=True)
def by_this_backend(x):
    return model(x)


def walk(x):
    return by_this_backend(x).detach()


class Kept(logging.Handler):
    def __init__(self):
        super().__init__(logging.DEBUG)
        self.text = ""

    def emit(self, record):
        self.text += record.getMessage() + "\n"


def generated(x):
    torch._dynamo.reset()
    torch._logging.set_logs(output_code=True)
    kept = Kept()
    logger = logging.getLogger("torch._inductor")
    logger.addHandler(kept)
    try:
        with torch._inductor.config.patch(fx_graph_cache=False):
            torch.compile(model)(x)
    finally:
        logger.removeHandler(kept)
        torch._logging.set_logs()
    return re.findall(r"Output code written to: (\S+)", kept.text)[-1]
