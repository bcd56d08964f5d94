"""Collects the numbers of a chain from its last node."""

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

aten = torch.ops.aten


def number_of(node, target):
    plain = isinstance(node, torch.fx.Node) and node.target is target and not node.kwargs
    if plain and isinstance(node.args[1], int | float) and isinstance(node.args[0], torch.fx.Node):
        return node.args[1]
    return None


def small(value):
    return torch.tensor(value, dtype=torch.float32).item()


def fold(graph):
    for target in (aten.mul.Tensor, aten.add.Tensor):
        for node in reversed(list(graph.graph.nodes)):
            value = number_of(node, target)
            if value is None:
                continue
            base = node.args[0]
            while len(base.users) == 1 and (other := number_of(base, target)) is not None:
                new = value * other if target is aten.mul.Tensor else value + other
                lost = small(new) == 0 and new != 0
                if lost or abs(small(new)) == float("inf"):
                    break
                value, base = new, base.args[0]
            node.args = (base, value)
            graph.graph.eliminate_dead_code()
    graph.recompile()
    return graph


def compiler(graph, inputs):
    """AOTAutograd calls this for the forward graph, and for the backward graph if there is one."""
    return make_boxed_func(fold(graph).forward)


backend = aot_autograd(fw_compiler=compiler)


def run(x: torch.Tensor, formula: str) -> torch.Tensor:
    """The formula of x by way of the backend, and the gradient of its sum. Leave it as it is."""
    function = eval(f"lambda x: {formula}", {"torch": torch})
    x = x.detach().clone().requires_grad_()
    torch._dynamo.reset()
    out = torch.compile(function, backend=backend)(x)
    out.sum().backward()
    return torch.stack((out.detach(), x.grad))
