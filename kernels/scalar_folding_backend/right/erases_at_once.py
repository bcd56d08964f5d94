"""Erases the inner node at once, and repeats until nothing changes."""

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd

aten = torch.ops.aten


def scaled(node):
    """A product or sum of a node and a number, without keyword arguments."""
    return (
        isinstance(node, torch.fx.Node)
        and node.target in (aten.mul.Tensor, aten.add.Tensor)
        and not node.kwargs
        and isinstance(node.args[0], torch.fx.Node)
        and isinstance(node.args[1], int | float)
    )


def kept(number, a, b):
    """The number survives float32: it neither overflows nor vanishes."""
    there = torch.tensor(number, dtype=torch.float32)
    return bool(there.isfinite()) and (there != 0 or number == 0)


def fold(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace pairs of scalar products, and of scalar sums, by one."""
    # In the graph's order the inner node of a pair is finished when the outer one comes, so a
    # chain of any length shrinks from its beginning, in one walk.
    for node in list(graph.graph.nodes):
        inner = node.args[0] if scaled(node) else None
        if not scaled(inner) or inner.target is not node.target or len(inner.users) > 1:
            continue
        a, b = inner.args[1], node.args[1]
        number = a * b if node.target is aten.mul.Tensor else a + b
        if kept(number, a, b):
            # The outer node reads past the inner one, which loses its only user.
            node.args = (inner.args[0], number)
            graph.graph.erase_node(inner)
    graph.recompile()  # without it the old code would run
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
