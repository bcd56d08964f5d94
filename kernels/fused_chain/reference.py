import torch

from tutor.judge.spec import Budget, Case, Work


def reference(x):
    return torch.relu(x) * 0.5 + 1.0


def eager(x):
    return torch.relu(x) * 0.5 + 1.0


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=3 * x.numel())


def scale(x):
    # Two roundings, of numbers no larger than the result: every term is positive.
    return torch.nan_to_num(torch.relu(x) * 0.5 + 1.0, nan=0.0, posinf=0.0)


def check_module(constants):
    """Return one sentence on the learner's top-level constants where they are wrong, else None."""
    if "PREDICTED_SPEEDUP" not in constants:
        return "The file must say what you expect: PREDICTED_SPEEDUP = … at its top level."
    value = constants["PREDICTED_SPEEDUP"]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"PREDICTED_SPEEDUP must be a number, not {type(value).__name__}."
    if not 2.95 <= value <= 3.05:  # 3 kernels × (read + write) over 1 kernel × (read + write)
        return (
            f"PREDICTED_SPEEDUP is {value:g}, and counting bytes gives another number: what the eager "
            "kernels read and write, over what the fused one must still move."
        )
    return None


# What makes an element of its result from several elements is a kernel of its own.
APART = ("sort", "argsort", "topk", "cum", "matmul", "mm", "bmm", "linear", "einsum", "conv", "scatter",
         "gather", "index", "nonzero", "roll", "flip", "fft")  # fmt: skip
COMPILATIONS = Budget(first=4, most=2)  # four vectors of three lengths


def check_graph(ops):
    """Return one sentence where the graph cannot become one kernel, else None."""
    name = next((op for op in ops if op.split(".")[-1].startswith(APART)), None)
    if name is None:
        return None
    return (
        f"The captured graph calls {name}, which needs other elements than its own: it cannot become "
        "one kernel with the rest. Each of the three operations is one on single elements."
    )


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def one(*shape):
    return lambda g: (normal(g, *shape),)


def three_with_a_spike(g):
    x = normal(g, 3)
    x[int(torch.randint(0, 3, (1,), generator=g, device=g.device))] = 100.0
    return (x,)


def with_nan_and_infinities(g):
    x = normal(g, 1500)
    x[0], x[700], x[1499] = float("nan"), float("inf"), float("-inf")
    return (x,)


NEAR_MISSES = (
    ("1 is added before the scaling", lambda x: (torch.relu(x) + 1.0) * 0.5),
    ("the ReLU is left out", lambda x: x * 0.5 + 1.0),
    ("the ReLU comes last", lambda x: torch.relu(x * 0.5 + 1.0)),
    ("the factor 0.5 is left out", lambda x: torch.relu(x) + 1.0),
    ("the summand 1 is left out", lambda x: torch.relu(x) * 0.5),
    ("the absolute value stands for the ReLU", lambda x: x.abs() * 0.5 + 1.0),
    ("the factor and the summand have changed places", lambda x: torch.relu(x) + 0.5),
)


CASES = (
    Case("1000 elements", one(1000)),
    Case("the same size again", one(1000)),
    Case("another size", one(1023)),
    Case("a third size", one(4099)),
    Case("one element", one(1)),
    Case("two elements near 5", lambda g: (5 + normal(g, 2),)),
    Case("three elements, one a spike", three_with_a_spike),
    Case("a single zero, without a dimension", lambda g: (0 * normal(g),)),
    Case("nothing but negative numbers, three dimensions", lambda g: (-1 - normal(g, 8, 5, 50).abs(),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 3001),)),
    Case("NaN and infinities", with_nan_and_infinities),
    Case("a matrix", one(33, 65)),
    Case("another matrix", one(40, 50)),
    Case("transposed view", lambda g: (normal(g, 65, 33).T,)),
    Case("starting at element 3", lambda g: (normal(g, 2003)[3:],)),
    Case("1000 elements once more", one(1000)),
)
TIMING = Case("16 Mi elements", one(1 << 24))
TIMING_CPU = Case("4 Mi elements", one(1 << 22))
