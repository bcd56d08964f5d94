import torch

from tutor.judge.spec import Case, Work

NAMES = {
    "make_fx": "make_fx", "symbolic_trace": "torch.fx.symbolic_trace", "export": "torch.export",
    "dynamo": "torch.compile with fullgraph=True", "jit_trace": "torch.jit.trace",
}  # fmt: skip
WRONG = (
    "A number that Python read on the example, such as a size or an entry, stands in its graph as a "
    "constant."
)


def reference(x):
    out = x - x.mean(0)
    out = out / out.max().clamp(min=1.0)
    out[0] = 0.0
    return out


def eager(x):
    return reference(x)


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=4 * x.numel())


def scale(x):
    # A mean of numbers that may be larger than what is left of them.
    return x.abs() + x.abs().mean(0)


def check_found(found):
    """(code, sentence) for the first capture that refuses or answers wrongly, else None."""
    for way, name in NAMES.items():
        outcome = found["outcomes"][way]
        if outcome == "right":
            continue
        if outcome == "wrong":
            said = f"{name} captured your function on 5 rows, and on 9 rows it answers wrongly. {WRONG}"
        elif outcome.startswith("stops"):
            said = (
                f"{name} captured your function on 5 rows, and with 9 rows it stops: "
                f"{outcome.removeprefix('stops: ')} {WRONG}"
            )
        else:
            said = f"{name} refuses to capture your function: {outcome.removeprefix('refuses: ')}"
        return "wrong-graph", said
    if found["foreign"]:
        return "wrong-graph", (
            f"A captured graph calls {found['foreign'][0]}, an operator or function of your own. No "
            "capture sees what Python does inside it; the steps are to be operations on tensors."
        )
    return None


def finished(out, divisor=lambda out: out.max().clamp(min=1.0)):
    """Steps 2 and 3 on what step 1 leaves."""
    return torch.cat([torch.zeros_like(out[:1]), (out / divisor(out))[1:]])


NEAR_MISSES = (
    ("it is divided by its largest number even where that is not above 1", lambda x: (
        finished(x - x.mean(0), lambda out: out.max()))),
    ("it is divided by the largest magnitude, and not by the largest number", lambda x: (
        finished(x - x.mean(0), lambda out: out.abs().max().clamp(min=1.0)))),
    ("each column is divided by a largest number of its own", lambda x: (
        finished(x - x.mean(0), lambda out: out.amax(0).clamp(min=1.0)))),
    ("nothing is divided by the largest number", lambda x: finished(x - x.mean(0), lambda out: 1.0)),
    ("the mean of each row is subtracted, and not that of each column", lambda x: (
        finished(x - x.mean(1, keepdim=True)))),
    ("one mean of the whole matrix is subtracted", lambda x: finished(x - x.mean())),
    ("the first row is left out of the largest number", lambda x: (
        finished(x - x.mean(0), lambda out: max([1.0, *out[1:].flatten().tolist()])))),
    ("the first row is not set to 0", lambda x: (
        (x - x.mean(0)) / (x - x.mean(0)).max().clamp(min=1.0))),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def one(*shape):
    return lambda g: (normal(g, *shape),)


def one_spike(g):
    x = normal(g, 30, 5)
    x[int(torch.randint(1, 30, (1,), generator=g, device=g.device)), 3] = 1e3
    return (x,)


def largest_in_the_first_row(g):
    x = normal(g, 9, 4)
    x[0, 2] = 50.0
    return (x,)


CASES = (
    Case("5 rows", one(5, 4)),
    Case("another number of rows", one(12, 4)),
    Case("one row", one(1, 6)),
    Case("one column", one(40, 1)),
    Case("two rows of three", one(2, 3)),
    Case("many columns", one(7, 130)),
    Case("nothing above 1", lambda g: (0.1 * normal(g, 20, 7),)),
    Case("all near 5", lambda g: (5 + normal(g, 20, 7),)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 9, 5),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 30, 5),)),
    Case("one spike", one_spike),
    Case("the largest in the first row", largest_in_the_first_row),
    Case("transposed view", lambda g: (normal(g, 6, 25).T,)),
    Case("every second row", lambda g: (normal(g, 30, 4)[::2],)),
)
