import re

import torch

from tutor.judge.spec import Case, Work

HOST_OPERATIONS = ("*",)  # `step` calls `torch.compile`
MOST_LAUNCHES = 2  # forward and backward


def reference(x, y, formula):
    function = eval(f"lambda x, y: {formula}", {"torch": torch})
    with torch.enable_grad():
        x, y = (t.detach().clone().requires_grad_() for t in (x, y))
        out = function(x, y)
        out.sum().backward()
    grads = [torch.zeros_like(out) if t.grad is None else t.grad for t in (x, y)]
    return torch.stack([out.detach(), *grads])


eager = reference


def explain_wrong(got, x, y, formula):
    """Say where else `alpha` stands in the formula that has this result."""
    found = re.search(r"torch\.(add|sub)\((.*), y, alpha=([\d.]+)\)", formula)
    if not found:
        return None
    name, first, alpha = found.groups()
    want = reference(x, y, formula)[0]
    for other, sentence in (
        (
            f"torch.{name}({first}, y)",
            "The result is that of the formula without `alpha`. It multiplies the second argument.",
        ),
        (
            f"torch.{name}({alpha} * {first}, y)",
            "The result is that of `alpha` times the first argument. It multiplies the second.",
        ),
    ):
        result = reference(x, y, formula.replace(found[0], other))[0]
        if torch.allclose(got[0], result, rtol=1e-4, atol=1e-4) and not torch.allclose(
            result, want, rtol=1e-2, atol=1e-2
        ):
            return sentence
    return None


def work(x, y, formula):
    return Work(bytes=5 * x.numel() * x.element_size(), flops=30 * x.numel())


def scale(x, y, formula):
    want = reference(x, y, formula)
    return want.abs().flatten(1).amax(1).view(3, *[1] * x.dim()) + x.abs().amax() + y.abs().amax()


def check_found(found):
    """(code, sentence) where a step has other than two kernels, or PyTorch computes; else None."""
    count = found["kernels"]
    if count != 2:
        kernels = "1 kernel" if count == 1 else f"{count or 'no'} kernels"
        return "wrong-graph", (
            f"A training step loaded {kernels}. There are two graphs, forward and backward, and each "
            "becomes one kernel of your backend."
        )
    if found["second"]:
        return "wrong-graph", (
            f"A second training step of the same compiled function loaded {found['second']} more: a "
            "text is written and loaded while a graph is compiled, and not at each run."
        )
    if found["ran"]:
        return "wrong-graph", (
            "For a graph of products, sines, exponentials and a difference your function lets PyTorch "
            f"run {', '.join(found['ran'])}. The kernel that you write computes all of a graph."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def case(formula, *shape):
    return lambda g: (normal(g, *shape), normal(g, *shape), formula)


CASES = (
    Case("a sine and a factor", case("x.sin() * 2 + y", 256)),
    Case("one past the block", case("(x * y).sin() + x.exp() * 0.654321", 257)),
    Case("one gradient for both", case("x + y", 256)),
    Case("one element", case("x * y - x", 1)),
    Case("three dimensions", case("(x - y).cos() * x", 3, 7, 50)),
    Case("a number first", case("2 - x * y", 256)),
    Case("a scaled sum", case("torch.add(x, y, alpha=3) * y", 256)),
    Case("a scaled difference", case("torch.sub(x.exp(), y, alpha=0.5).sin()", 1)),
    Case("no gradient for y", lambda g: (
        normal(g, 300), normal(g, 300), "x.sin() * y.detach() + x")),
    Case("no gradient for x", case("x.detach().cos() * y", 100)),
    Case("one tensor kept twice", case("(x.exp() * y).exp() * x", 100)),
    Case("transposed view", lambda g: (normal(g, 20, 15).T, normal(g, 15, 20), "x * y + y.sin()")),
    Case("y transposed, x contiguous", lambda g: (
        normal(g, 15, 20), normal(g, 20, 15).T, "x.exp() * y - x")),
    Case("every second column", lambda g: (
        normal(g, 9, 60)[:, ::2], normal(g, 9, 60)[:, 1::2], "(-x).exp() * y")),
)  # fmt: skip
