"""A registered backend, a decorated function, and the file looked for on the disk."""

import sys
from pathlib import Path

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_compiler
from torch._inductor.codecache import cache_dir


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


@make_boxed_compiler
def keep(aten, inputs):
    lowered.append(aten)
    return aten


lower = aot_autograd(fw_compiler=keep, bw_compiler=keep)


@torch._dynamo.register_backend
def keeps_both(graph, inputs):
    captured.append(graph)
    return lower(graph, inputs)


backend = keeps_both


def walk(x):
    return torch.compile(model, backend="keeps_both", fullgraph=True)(x)


def generated(x):
    torch._dynamo.reset()
    with torch._inductor.config.patch(fx_graph_cache=False):
        torch.compile(model)(x)
    # Files of other programs lie there too: this one's are loaded, with its shapes and its relu.
    shapes = ("(32, 64)", f"({len(x)}, 64)", "addmm(", "relu", "def call(")
    loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    files = [p for p in Path(cache_dir()).rglob("*.py") if str(p) in loaded]
    files = [p for p in files if holds(p.read_text("utf-8"), shapes)]
    return max(files, key=lambda p: p.stat().st_mtime_ns)


def holds(text, words):
    return all(word in text for word in words)
