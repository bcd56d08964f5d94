import importlib.util
import tempfile
from pathlib import Path

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

BLOCK = 256  # elements of one program

# ATen's names, and what to write for them. {0} and {1}
# are the arguments.
FORMULAS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "rsub": "{1} - {0}",
    "mul": "{0} * {1}",
    "neg": "-{0}",
    "sin": "tl.sin({0})",
    "cos": "tl.cos({0})",
    "exp": "tl.exp({0})",
    "detach": "{0}",
}


def load(source: str):
    """The kernel of a text, by way of a file. Leave it as it is."""
    path = Path(tempfile.mkdtemp()) / "generated.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def write(graph: torch.fx.GraphModule) -> str:
    """The text of a module with one kernel for the whole graph."""
    # Write it. A load for each input, a line for each
    # call, a store for each output.
    return ""


def compiler(graph: torch.fx.GraphModule, inputs):
    """Return the function that runs a graph of either half."""
    # This runs the graph as it is. Write, load and
    # launch one kernel in its place.
    return make_boxed_func(graph.forward)


backend = aot_autograd(fw_compiler=compiler)


def step(x: torch.Tensor, y: torch.Tensor, formula: str) -> torch.Tensor:
    """A formula's result and both gradients. Leave it as it is."""
    function = eval(f"lambda x, y: {formula}", {"torch": torch})
    given = [t.detach().requires_grad_() for t in (x, y)]
    torch._dynamo.reset()
    out = torch.compile(function, backend=backend)(*given)
    out.sum().backward()
    grads = [torch.zeros_like(t) if t.grad is None else t.grad for t in given]
    return torch.stack([out.detach(), *grads])
