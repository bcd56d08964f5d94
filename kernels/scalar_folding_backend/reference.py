import torch

from tutor.judge.spec import Case, Work

LEFT = {  # calls that are left of each of probe.py's graphs, and what it is about
    "x * 2 * 3": (1, "Two products by numbers are one."),
    "x * 2 * 3 * 0.25 * 5": (1, "A chain of any length is one product."),
    "x + 1 + 2 + 3": (1, "Sums are folded as products are."),
    "x * 0.1 * 0.3": (1, "The product may be rounded to float32: it is finite and not 0."),
    "x + 0.1 + 0.2": (1, "The sum may be rounded to float32: it is finite and not 0."),
    "x - 1 - 2": (2, "Differences are neither of the two kinds of pairs, so they stay as they are."),
    "x / 2 / 4": (2, "Quotients are neither of the two kinds of pairs, so they stay as they are."),
    "x * 2 * 3 + 1 + 2": (2, "The products are one, and the sums are one."),
    "x * 2 + 1 * 3 + 1": (4, "In (x * 2 + 1) * 3 + 1 no product stands on a product."),
    "y = x * 2; y * 3 + y": (3, "The two x * 2 are two nodes, and one has a product on it."),
    "y = x * 2; y * 3, y": (2, "The inner product has another user, so it stays."),
    "two tensors": (2, "A product of two tensors has no number in it."),
    "alpha": (2, "The inner sum adds 2 * 3: its `alpha` is a keyword argument."),
    "alpha of the outer sum": (2, "The outer sum adds 2 * 4: its `alpha` is a keyword argument."),
    "1e30 * 1e30": (2, "As one float32 number the product would be infinite."),
    "1e-30 * 1e-30": (2, "As one float32 number the product would be 0."),
    "1e-30 * -1e-30": (2, "As one float32 number this product would be 0, too."),
    "1e-30 * 1e-12": (1, "As one float32 number the product is very small and not 0."),
    "3e38 + 3e38": (2, "As one float32 number the sum would be infinite."),
    "1e-50 + 2e-50": (2, "As one float32 number the sum would be 0."),
    "times 0": (1, "One of the two numbers is 0, so 0 is right."),
    "back to nothing": (1, "The numbers add up to 0. A sum with 0 is left, which is allowed."),
    "times one": (3, "Only pairs are folded: all else stays as it is."),
    "around a sine": (3, "Both pairs are folded, with the sine between them."),
}  # fmt: skip


def function_of(formula):
    return eval(f"lambda x: {formula}", {"torch": torch})


def reference(x, formula):
    with torch.enable_grad():
        x = x.detach().clone().requires_grad_()
        out = function_of(formula)(x)
        out.sum().backward()
    return torch.stack((out.detach(), x.grad))


eager = reference


def work(x, formula):
    return Work(bytes=3 * x.numel() * x.element_size(), flops=len(formula) * x.numel())


def scale(x, formula):
    return reference(x, formula).abs().amax() + x.abs().amax()


def check_found(found):
    """(code, sentence) for the first graph that is not folded as asked, else None."""
    for name, got in found["graphs"].items():
        want, why = LEFT[name]
        if "type" in got:
            return "wrong-graph", (
                f"`fold` returned {got['type']}; it must be the GraphModule that was given."
            )
        if "error" in got:
            return (
                "wrong-graph",
                f"The folded graph of `{name}` does not run: {got['error'].rstrip('.')}.",
            )
        if got["stale"]:
            return "wrong-graph", (
                f"The nodes of `{name}` are folded, and the module still runs its old code. "
                "`recompile()` writes `forward` anew."
            )
        if not got["same"]:
            return "wrong-values", f"The folded graph of `{name}` computes something else. {why}"
        left = got["calls"]
        if left != want:
            calls = "1 call is" if left == 1 else f"{left} calls are"
            asked = "would do" if left > want else "is needed" if want == 1 else "are needed"
            return "wrong-graph", f"{calls} left of `{name}`, {want} {asked}. {why}"
    if found["graphs"]["y = x * 2; y * 3, y"]["readers"] > 1:
        return "wrong-graph", (
            "In `y = x * 2; y * 3, y` you fold a product that another node needs as well. Nothing is "
            "saved, and x is read by two nodes."
        )
    if found["uses"] < 2:
        return "wrong-graph", (
            f"In a training step `fold` was called {'once' if found['uses'] else 'never'}. The backend "
            "has to give it the forward graph and the backward graph."
        )
    if not found["runs"]:
        return "wrong-graph", (
            "With each result doubled in the graph that `fold` returned, the backend gave what it gave "
            "before: it does not run the graph that it has folded."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def case(formula, *shape):
    return lambda g: (normal(g, *shape), formula)


CASES = (
    Case("two products", case("x * 2 * 3", 20)),
    Case("products and sums", case("x * 2 * 3 + 1 + 2", 4, 5)),
    Case("one element", case("x + 1.5 + 2.5", 1)),
    Case("a sine between", case("(x * 2 * 3).sin() * 0.5 * 4", 30)),
    Case("nothing to fold", case("x * x + 1", 30)),
    Case("a product that is used twice", lambda g: (
        normal(g, 17), "(lambda y: y * 3 * 5 + y)(x * 2)")),
    Case("a scaled sum", case("torch.add(torch.add(x, 3, alpha=2), 4) * x", 30)),
    Case("every third element", lambda g: (normal(g, 60)[::3], "x * 2 * 3 * x")),
    Case("transposed view", lambda g: (normal(g, 7, 5).T, "x.exp() * 0.5 * 0.5")),
    Case("nothing but zeros", lambda g: (0 * normal(g, 9), "(x + 1 + 2) * 4 * 5")),
)  # fmt: skip
