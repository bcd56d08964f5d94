import torch

from tutor.judge.spec import Case, Work

OWN_OPERATORS = ("tutor.softclip.default",)


def softclip(x, limit):
    return x / (1 + x.abs() / limit)


def reference(x, y):
    return torch.relu(softclip(x * 2 + y, 3.0)) - softclip(y, 0.5)


eager = reference


def work(x, y):
    out = torch.broadcast_shapes(x.shape, y.shape).numel()
    moved = (x.numel() + y.numel() + out) * x.element_size()
    return Work(bytes=moved, flops=11 * out)


def scale(x, y):
    return torch.full_like(x * y, 3.0)  # softclip is below its limit


def check_graph(ops):
    """Return one sentence where `fn` no longer calls the operator, else None."""
    if sum("softclip" in op for op in ops) == 2:
        return None
    return (
        "The captured graph does not call `tutor.softclip` twice: `fn` has changed, or the operator "
        "has. Leave both and register a lowering."
    )


def check_found(found):
    """(code, sentence) where Inductor's code for `fn` is not one kernel without calls, else None."""
    if "error" in found:
        error = found["error"].partition(" target: ")[0].rpartition("LoweringException: ")[2]
        said = f"Inductor stopped while it lowered `fn`: {error.rstrip('.')}."
        if "not TensorBox" in error or "not OpsValue" in error:
            said += (
                " What your lowering gets, and what its loader returns, are formulas and no tensors: "
                "no function of torch takes them. Compute with `ops` in `inner_fn`."
            )
        return "crash", said
    kernels, calls = found["kernels"], found["calls"]
    if calls:
        return "wrong-graph", (
            f"For an H100 Inductor wrote {kernels} kernels and {calls} calls of an operator: it has no "
            "lowering for `tutor.softclip.default`, or yours hands the work back to the operator."
        )
    if kernels != 1:
        return "wrong-graph", (
            f"For an H100 Inductor wrote {kernels} kernels. No call is left, so your lowering is used. "
            "It stores something on the way that the next formula could take in."
        )
    if found["wrong"]:
        x, y, got, want = found["at"]
        return "wrong-values", (
            f"One kernel, and its formula is another one: at x = {x:g} and y = {y:g} the "
            f"kernel that Inductor wrote gives {got:g}, and `fn` gives {want:g}."
        )
    if "dtype" in found:
        given, got = found["dtype"]
        return "wrong-values", (
            f"One kernel, and its result for {given} is {got}: the box that your lowering returns has "
            "another dtype than the box that it gets."
        )
    if found["limits"] is not None:
        return "wrong-values", (
            "One kernel, and it is right for the two limits of `fn`. For softclip(x, "
            f"{found['limits']:g}) your lowering gives another formula."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def pair(n, m, factor=1.0, dtype=torch.float32):
    return lambda g: ((factor * normal(g, n, m)).to(dtype), (factor * normal(g, m)).to(dtype))


CASES = (
    Case("33 rows of 60", pair(33, 60)),
    Case("the same shape, times 1000", pair(33, 60, 1000.0)),
    Case("the same shape, nothing but zeros", pair(33, 60, 0.0)),
    Case("the same shape, negative", lambda g: (-normal(g, 33, 60).abs(), -normal(g, 60).abs())),
    Case("another shape", pair(5, 17)),
    Case("a third shape", pair(8, 129)),
    Case("every second column", lambda g: (normal(g, 9, 80)[:, ::2], normal(g, 40))),
    Case("half precision", pair(33, 60, 2.0, torch.float16)),
)
TIMING = Case("16 Mi elements", pair(4096, 4096))
TIMING_CPU = Case("1 Mi elements", pair(1024, 1024))
