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


def fold(graph):
    new, place = torch.fx.Graph(), {}
    for node in graph.graph.nodes:
        copy = new.node_copy(node, place.__getitem__)
        place[node] = copy
        if not scaled(node) or not scaled(node.args[0]) or len(node.args[0].users) > 1:
            continue
        before = copy.args[0]
        if before.target is node.target and scaled(before):
            a, b = before.args[1], copy.args[1]
            number = a * b if node.target is aten.mul.Tensor else a + b
            if kept(number, a, b):
                copy.args = (before.args[0], number)
    new.eliminate_dead_code()
    graph.graph = new
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
