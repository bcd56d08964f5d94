import torch

from tutor.judge.spec import Case, Work


def reference(x, training=True):
    y = x.sin()
    if x.sum() > 0:
        y = y * 2
    other = y.cos()
    return other if other.sum() < y.sum() else y


eager = reference


def work(x, training=True):
    # Both sums need all of their numbers before the first output can be written, so x is read
    # twice. Per number: sine, cosine, doubling, three additions.
    return Work(bytes=3 * x.numel() * x.element_size(), flops=6 * x.numel())


def scale(x, training=True):
    return torch.full_like(x, 2.0)  # no value on the way is larger


def check_graph(ops):
    """Return one sentence where the graph lacks the work, else None. `ops`: names of its calls."""
    seen = [op for op in ops if "sin" in op or "cos" in op]
    hidden = next((op for op in ops if "." in op and not op.startswith("aten.")), None)
    if any("sin" in op for op in seen) and any("cos" in op for op in seen):
        return None
    if len(seen) > 1 and hidden is None:  # a cosine may be written as a shifted sine
        return None
    return (
        "One graph, but the sine and the cosine are not in it: the compiler sees "
        f"`{hidden or 'nothing of them'}` and can fuse nothing across it."
    )


def about(middle):
    """Numbers near `middle`, which decides both questions far from a tie."""
    return lambda g, *shape: middle + 0.1 * torch.randn(shape, generator=g, device=g.device)


POSITIVE = about(0.5)  # sum above zero, doubled: 0.96, and its cosine 0.57
LARGE = about(4.5)  # doubled: -1.96, and its cosine -0.38
NEGATIVE = about(-1.3)  # not doubled: -0.96, and its cosine 0.57
FAR_BELOW = about(-5.0)  # not doubled: 0.96, and its cosine 0.57


def sum_of_zero(g):
    half = torch.tensor([0.5, 1.0, 2.0, 0.25], device=g.device)
    return (torch.cat([half, -half]),)


def one_spike(g):
    x = torch.zeros(3, device=g.device)
    x[int(torch.randint(0, 3, (1,), generator=g, device=g.device))] = 100.0
    return (x,)


CASES = (
    Case("doubled, the cosine is smaller", lambda g: (POSITIVE(g, 1000),)),
    Case("doubled, the sine is smaller", lambda g: (LARGE(g, 1000),)),
    Case("not doubled, the sine is smaller", lambda g: (NEGATIVE(g, 1000),)),
    Case("not doubled, the cosine is smaller", lambda g: (FAR_BELOW(g, 1000),)),
    Case("one element", lambda g: (LARGE(g, 1),)),
    Case("two elements near 5", lambda g: (5 + 0.1 * POSITIVE(g, 2),)),
    Case("three elements, one a spike", one_spike),
    Case("nothing but zeros", lambda g: (0 * POSITIVE(g, 500),)),
    Case("times 10,000", lambda g: (1e4 * POSITIVE(g, 3001),)),
    Case("a sum of exactly zero", sum_of_zero),
    Case("both signs, sum above zero", lambda g: (torch.cat([LARGE(g, 600), NEGATIVE(g, 400)]),)),
    Case("not doubled, few numbers with the smaller sine", lambda g: (
        torch.cat([FAR_BELOW(g, 900), NEGATIVE(g, 100)]),)),
    Case("not training", lambda g: (POSITIVE(g, 1000), False)),
    Case("a matrix whose rows differ", lambda g: (
        torch.cat([LARGE(g, 20, 65), NEGATIVE(g, 13, 65)]),)),
    Case("transposed view", lambda g: (FAR_BELOW(g, 65, 33).T,)),
    Case("starting at element 3", lambda g: (NEGATIVE(g, 1003)[3:],)),
    Case("every third element", lambda g: (LARGE(g, 3001)[1::3],)),
)
TIMING = Case("16 Mi elements", lambda g: (POSITIVE(g, 1 << 24),))
TIMING_CPU = Case("1 Mi elements", lambda g: (POSITIVE(g, 1 << 20),))
