import torch

from tutor.judge.spec import Case, Work


def reference(x):
    return torch.linalg.vector_norm(x, dim=1)


eager = reference


def work(x):
    return Work(bytes=(x.numel() + x.shape[0]) * x.element_size(), flops=2 * x.numel())


def check_found(found):
    """(code, sentence) for the first part of the registration that is missing or wrong, else None."""
    if not found["registered"]:
        return "wrong-graph", (
            "There is no operator `tutor::row_norm`: torch.ops.tutor does not know it after your file "
            "was loaded. A plain function is not registered."
        )
    if not found["kept"]:
        return (
            "wrong-values",
            "`norm_rows` is not the routine of the starter any more. Leave it as it is.",
        )
    if not found["asked"]:
        return "wrong-values", (
            "The operator returns right numbers, and not those of `norm_rows`: with a routine that "
            "gives twice the norm in its place it does not return twice the norm."
        )
    if found.get("needs_fake"):
        return "graph-break", (
            "`torch.compile` stops at the operator: it has no fake implementation, so the compiler "
            "does not know the shape of the result."
        )
    if found["graphs"] != 1:
        return "graph-break", (
            f"A function around `row_norm` was captured as {found['graphs']} graphs, and must be one. "
            f"{found.get('error', '')}".strip()
        )
    if found["operators"] != ["tutor::row_norm"]:
        return "wrong-graph", (
            "The captured graph does not call `tutor::row_norm`: `row_norm(x)` computes the norm by "
            "another way than the operator that you registered."
        )
    for name, which in (("called", ""), ("called_for_gradient", " for x that needs a gradient")):
        if not found[name]:
            return "wrong-graph", (
                f"Without a compiler, `row_norm(x)` does not call `tutor::row_norm`{which}: it computes "
                "the norm by another way than the operator that you registered."
            )
    if not found["returned"]:
        return "wrong-values", (
            "`row_norm(x)` calls the operator and returns other numbers than the operator gives it."
        )
    return _fake_fault(found) or _gradient_fault(found) or _opcheck_fault(found)


def _fake_fault(found):
    for given, fake, real in found["fakes"]:
        if fake[0] == "an error":
            return "wrong-graph", f"The fake implementation fails for x of {given}: {fake[1]}"
        if fake[0] != real[0]:
            return "wrong-shape", (
                f"For x of {given} the fake implementation says {fake[0]}, and the operator returns "
                f"{real[0]}."
            )
        if fake[1] != real[1]:
            return "wrong-dtype", (
                f"The fake implementation says {fake[1]}, and the operator returns {real[1]}."
            )
    if found.get("fixed_rows"):
        return "wrong-shape", (
            "The number of rows was a symbol, as for a size that stays open, and the fake "
            f"implementation said {found['fixed_rows']}: it made a number of it, as `int()` and `len()` "
            "do."
        )
    return None


def _gradient_fault(found):
    if found["gradient"] == "none":
        return "wrong-values", f"No gradient reaches x: {found['error'].rstrip('.')}."
    if found["gradient"] == "shape":
        return "wrong-shape", f"The gradient has the shape {found['error']}."
    if found["zero_row"]:
        return "nan-handling", (
            "The gradient of a row of zeros is NaN: x / n divides 0 by 0 there. It must be zero."
        )
    if not found["slope_right"]:
        row, column, got, want = found["worst"]
        return "wrong-values", (
            f"The gradient at [{row}, {column}] is {got:.4g}, and autograd finds {want:.4g} for the "
            "same formula: what arrives for the row, times x / n."
        )
    return None


def _opcheck_fault(found):
    for name, reason in found["failed"]:
        if "data-dependent" in reason:
            return "wrong-graph", (
                f"opcheck's {name} fails: while the gradient or the fake implementation is traced, "
                f"Python asks for a number of a tensor, as `if` does. PyTorch says: {reason}"
            )
        return "wrong-graph", f"opcheck's {name} fails: {reason}"
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def one(*shape):
    return lambda g: (normal(g, *shape),)


CASES = (
    Case("one element", one(1, 1)),
    Case("one row of 300", one(1, 300)),
    Case("one column", one(45, 1)),
    Case("square", one(8, 8)),
    Case("7 rows of 33", one(7, 33)),
    Case("rows of zeros", lambda g: (0 * normal(g, 4, 9),)),
    Case("a transposed view", lambda g: (normal(g, 33, 7).T,)),
    Case("every second column", lambda g: (normal(g, 12, 40)[:, ::2],)),
    Case("times 1000", lambda g: (1e3 * normal(g, 6, 50),)),
    Case("no columns", one(5, 0)),
)
