import torch

from tutor.judge.spec import Case, Work

MOST_ACTIVATIONS = 20
MOST_CALLS = 64
LAYERS = 32


def reference(x, weights):
    start = x.detach().clone().requires_grad_()
    h = start
    for weight in weights:
        h = torch.sin(h @ weight)
    (gradient,) = torch.autograd.grad(h.sum(), start)
    return gradient


eager = reference


def work(x, weights):
    rows, width = x.shape
    moved = (2 * x.numel() + weights.numel()) * x.element_size()
    return Work(bytes=moved, flops=3 * 2 * rows * width * width * len(weights))


def check_found(found):
    """(code, sentence) where the run over 32 layers took too much memory or work, else None."""
    if found["peak"] > MOST_ACTIVATIONS:
        return "out-of-memory", (
            f"With 32 layers {found['peak']:g} activations were alive at once, and at most "
            f"{MOST_ACTIVATIONS} are allowed. Kept all the time: one for each segment. Kept while one "
            "segment is in its backward pass: one for each of its layers."
        )
    if found["calls"] > MOST_CALLS:
        return "wrong-values", (
            f"With 32 layers `layer` was called {found['calls']} times, and at most {MOST_CALLS} are "
            "allowed: once forward and once again in the backward pass."
        )
    if found["calls"] < LAYERS:
        return "wrong-values", (
            f"With {LAYERS} layers `layer` was called {found['calls']} times. Call it by its name, for "
            "each layer: the judge counts the work by it."
        )
    if found["sines"] > found["calls"]:
        return "wrong-values", (
            f"With {LAYERS} layers the sine of a layer was computed {found['sines']} times, and `layer` "
            f"was called {found['calls']} times. Call it by its name each time, also when a layer runs "
            "again: the judge counts the work by it."
        )
    if found["again"]:
        first, second = found["again"]
        return "wrong-values", (
            "A second call with the same `x` returned the tensor of the first one, and changed it: its "
            f"sum was {first:.4g} and is {second:.4g}. The result is a new tensor at each call; "
            "`x.grad` belongs to `x`, and `backward()` adds to it."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def chain(layers, rows, width):
    return lambda g: (normal(g, rows, width), normal(g, layers, width, width) / width**0.5)


CASES = (
    Case("one layer", chain(1, 5, 8)),
    Case("two layers", chain(2, 5, 8)),
    Case("three layers", chain(3, 1, 4)),
    Case("7 layers, one column", chain(7, 9, 1)),
    Case("16 layers", chain(16, 6, 8)),
    Case("17 layers", chain(17, 6, 8)),
    Case("60 layers", chain(60, 4, 6)),
    Case("x a transposed view", lambda g: (normal(g, 8, 5).T, normal(g, 10, 8, 8) / 3)),
)
