"""Counts the kernels that a training step loads, and the operators that PyTorch runs. Plain values
only leave the learner's process."""

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode


def probe(module, device):
    texts, load = [], module.load

    def counting(source):
        texts.append(source)
        return load(source)

    module.load = counting
    x = torch.linspace(-1, 1, 300, device=device)
    module.step(x, x + 1, "(x * y).sin() + x.exp() * 0.123456")  # a text of its own
    first = len(texts)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: (x * 0.765).sin(), backend=module.backend)
    counts = []
    for _ in range(2):
        compiled(x.clone().requires_grad_()).sum().backward()
        counts.append(len(texts))
    module.load = load
    ran = _operators_run(module, x)
    return {"kernels": first, "second": counts[1] - counts[0], "ran": ran}


class Operators(TorchDispatchMode):
    """Notes the names of the operators that PyTorch runs."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.add(func._schema.name.removeprefix("aten::"))
        return func(*args, **(kwargs or {}))


def _operators_run(module, x):
    """Which operators PyTorch runs when what `compiler` returns is called: of a graph, of one with
    `alpha`, of one with `None`."""
    ran = set()
    for formula in (
        lambda x, y: [(x * y).sin() - x.exp()],
        lambda x, y: [torch.sub(x.exp(), (x * y).sin(), alpha=0.5)],
        lambda x, y: [(x * y).sin() - x.exp(), None],
    ):
        graph = make_fx(formula)(x, x + 1)
        function = module.compiler(graph, [x, x + 1])
        with Operators() as seen:
            function([x, x + 1])
        ran |= {"mul", "sin", "sub", "exp"} & seen.names
    return sorted(ran)
