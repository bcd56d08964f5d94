# expect: wrong-graph

import importlib.util
import tempfile
from pathlib import Path

import torch
import triton
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

BLOCK = 256

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


def write(node) -> str:
    names = [f"in{i}" for i, a in enumerate(node.args) if isinstance(a, torch.fx.Node)]
    args = [f"v{i}" if isinstance(a, torch.fx.Node) else repr(float(a)) for i, a in enumerate(node.args)]
    if "alpha" in node.kwargs:
        args[1] = f"({args[1]} * {float(node.kwargs['alpha'])!r})"
    formula = FORMULAS[node.target._schema.name.removeprefix("aten::")]
    body = ["at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", "mask = at < n"]
    body += [f"v{name[2:]} = tl.load({name} + at, mask=mask)" for name in names]
    body += [f"out_v = {formula.format(*args)}", "tl.store(out + at, out_v, mask=mask)"]
    head = f"def kernel({', '.join([*names, 'out'])}, n, BLOCK: tl.constexpr):"
    top = ["import triton", "import triton.language as tl", "", "", "@triton.jit", head]
    return "\n".join(top + [f"    {line}" for line in body]) + "\n"


def compiler(graph: torch.fx.GraphModule, inputs):
    nodes = list(graph.graph.nodes)
    kernels = {node: load(write(node)) for node in nodes if node.op == "call_function"}

    def run(*args):
        values = {}
        given = iter(args)
        for node in nodes:
            if node.op == "placeholder":
                values[node] = next(given).contiguous()
            elif node.op == "call_function":
                tensors = [values[a] for a in node.args if isinstance(a, torch.fx.Node)]
                values[node] = torch.empty_like(tensors[0])
                n = tensors[0].numel()
                kernels[node][(triton.cdiv(n, BLOCK),)](*tensors, values[node], n, BLOCK=BLOCK)
            else:
                return [None if a is None else values[a] for a in node.args[0]]

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
