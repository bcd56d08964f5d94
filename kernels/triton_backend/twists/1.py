import importlib.util
import tempfile
from pathlib import Path

import torch
import triton
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

BLOCK = 256

# ATen's names, and what to write for them. {0} and {1} are the arguments.
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


class Writer(torch.fx.Interpreter):
    """Runs a graph on names: each call leaves a line behind and returns its name."""

    def __init__(self, graph):
        super().__init__(graph)
        self.lines, self.inputs = [], []

    def line(self, text):
        self.lines.append(f"t{len(self.lines)} = {text}")
        return f"t{len(self.lines) - 1}"

    def placeholder(self, target, args, kwargs):
        self.inputs.append(f"p{len(self.inputs)}")
        return self.line(f"tl.load({self.inputs[-1]} + at, mask=mask)")

    def call_function(self, target, args, kwargs):
        args = [a if isinstance(a, str) else repr(float(a)) for a in args]
        if kwargs.get("alpha", 1) != 1:
            args[1] = f"({args[1]} * {float(kwargs['alpha'])!r})"
        return self.line(FORMULAS[target._schema.name.split("::")[1]].format(*args))


def write(graph):
    writer = Writer(graph)
    names = [
        name for name in writer.run(*["-"] * 20, enable_io_processing=False) if name is not None
    ]
    stores = [f"tl.store(o{i} + at, {name}, mask=mask)" for i, name in enumerate(names)]
    params = ", ".join([*writer.inputs, *(f"o{i}" for i in range(len(names)))])
    lines = [
        "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        "mask = at < n",
        *writer.lines,
        *stores,
    ]
    head = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    return (
        head + f"def kernel({params}, n, BLOCK: tl.constexpr):\n    " + "\n    ".join(lines) + "\n"
    )


def compiler(graph, inputs):
    kernel = load(write(graph))
    output = next(node for node in graph.graph.nodes if node.op == "output").args[0]

    def run(*args):
        args = [arg.contiguous() for arg in args]
        out = [None if each is None else torch.empty_like(args[0]) for each in output]
        grid = (triton.cdiv(args[0].numel(), BLOCK),)
        kernel[grid](*args, *(o for o in out if o is not None), args[0].numel(), BLOCK=BLOCK)
        return out

    return make_boxed_func(run)


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
