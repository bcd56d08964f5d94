import torch

aten = torch.ops.aten


def fold(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replace pairs of scalar products, and of scalar sums, by one."""
    # Write it. Which nodes form a pair, and in which
    # order do you look at them?
    return graph


def backend(graph, inputs):
    # Dynamo's graph. Let AOTAutograd make ATen of it,
    # and fold what it makes.
    return graph.forward


def run(x: torch.Tensor, formula: str) -> torch.Tensor:
    """The formula of x by way of the backend, and the gradient of its sum. Leave it as it is."""
    function = eval(f"lambda x: {formula}", {"torch": torch})
    x = x.detach().clone().requires_grad_()
    torch._dynamo.reset()
    out = torch.compile(function, backend=backend)(x)
    out.sum().backward()
    return torch.stack((out.detach(), x.grad))
