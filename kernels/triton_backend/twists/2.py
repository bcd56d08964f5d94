import importlib.util
import tempfile
from pathlib import Path

import torch
import triton
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

BLOCK = 256
LOADED = {}  # kernels by their text

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


def write(graph: torch.fx.GraphModule) -> str:
    """The text of a module with one kernel for the whole graph."""
    place, inputs, outputs, lines = {}, [], [], []
    for node in graph.graph.nodes:
        name = f"v{len(place)}"
        if node.op == "placeholder":
            inputs.append(f"in{len(inputs)}")
            lines.append(f"{name} = tl.load({inputs[-1]} + at, mask=mask)")
        elif node.op == "call_function":
            # A number is written into the text, for this graph only.
            args = [place.get(a) or repr(float(a)) for a in node.args]
            if "alpha" in node.kwargs:
                args[1] = f"({args[1]} * {float(node.kwargs['alpha'])!r})"
            operator = node.target._schema.name.removeprefix("aten::")
            lines.append(f"{name} = {FORMULAS[operator].format(*args)}")
        else:
            for each in filter(None, node.args[0]):
                to = f"out{len(outputs)}"
                outputs.append(to)
                lines.append(f"tl.store({to} + at, {place[each]}, mask=mask)")
        # Each value is a name, and so a register.
        place[node] = name
    text = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    pointers = ", ".join(inputs + outputs)
    text += f"def kernel({pointers}, n, BLOCK: tl.constexpr):\n"
    begin = ["at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)"]
    begin.append("mask = at < n")
    return text + "".join(f"    {line}\n" for line in begin + lines)


def compiler(graph: torch.fx.GraphModule, inputs):
    """Return the function that runs a graph of either half: one launch."""
    text = write(graph)
    if text not in LOADED:
        LOADED[text] = load(text)
    kernel = LOADED[text]
    (output,) = graph.graph.find_nodes(op="output")
    wanted = [node is not None for node in output.args[0]]

    def run(*args):
        # The kernel counts elements in one line, so each input has to be one.
        args = [arg.contiguous() for arg in args]
        n = args[0].numel()
        results = [torch.empty_like(args[0]) for each in wanted if each]
        kernel[(triton.cdiv(n, BLOCK),)](*args, *results, n, BLOCK=BLOCK)
        left = iter(results)
        return [next(left) if each else None for each in wanted]

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
