import torch

from tutor.judge.spec import Case, Work


def reference(x, weight, y, batch, most, sizes):
    return torch.tanh(x @ weight) * y


eager = reference


def work(x, weight, y, batch, most, sizes):
    n, k, m = *x.shape, weight.shape[1]
    return Work(bytes=4 * (n * k + k * m + 2 * n * m), flops=2 * n * k * m)


def scale(x, weight, y, batch, most, sizes):
    return (x.abs() @ weight.abs()) * y.abs() + 1


def check_found(found):
    """(code, sentence) where a model was imported or called otherwise than asked, else None."""
    for name, each in found.items():
        if told := fault_of(each):
            return "wrong-values", f"The model with {name}: {told}"
    return None


def fault_of(each):
    """A sentence on what is not as asked, or ""."""
    if each["unknown"] != 1:
        return f"`main` has {each['unknown']} unknown sizes. The batch is the only one."
    if each["sizes"] != each["wanted sizes"]:
        asked = each["wanted sizes"]
        return f"the inputs of `main` have the sizes {each['sizes']}, and {asked} are asked for."
    if each["bounds"] != each["wanted bounds"]:
        return (
            f"the bounds in the attributes of `main` are {each['bounds']}. "
            f"Asked for are {each['wanted bounds']}."
        )
    if each["functions"] != each["wanted functions"]:
        have, want = (", ".join(each[key]) for key in ("functions", "wanted functions"))
        return f"`specialise` gives the functions {have}. Asked for are {want}."
    if each["main changed"]:
        return "`main` is another function after `specialise` than before."
    if each["given changed"]:
        return "`specialise` changes the module that it gets."
    for name, sizes in each["bound"].items():
        if sizes != each["wanted bound"][name]:
            return f"the inputs of `{name}` have the sizes {sizes}."
        if each["letters"][name]:
            return f"some size in `{name}` is still unknown."
        if each["called"][name]:
            return (
                f"`{name}` calls `{each['called'][name][0]}`, where the batch is unknown. It is to "
                "compute by itself."
            )
    for batch, (called, off) in each["calls"].items():
        wanted = each["wanted calls"][batch]
        if called != [wanted]:
            was = ", ".join(f"`{name}`" for name in called) or "nothing"
            return f"for a batch of {batch} `run` calls {was}. Asked for is `{wanted}`, once."
        if not off <= 1e-4:
            return f"for a batch of {batch} the result is not the model's."
    for batch, (called, said) in each["refused"].items():
        if called:
            return f"for a batch of {batch} `run` calls `{called[0]}`. Asked for is a ValueError."
        if said != "ValueError":
            return f"for a batch of {batch} `run` raises {said}. Asked for is a ValueError."
    if each["touched"]:
        return "an example or an input is another one after the call."
    return ""


def drawn(n, k, m, batch, most, sizes):
    def make(g):
        x, weight, y = (
            torch.randn(*s, generator=g, device=g.device) for s in ((n, k), (k, m), (n, m))
        )
        return x, weight, y, batch, most, sizes

    return make


CASES = (
    Case("a batch of its own", drawn(5, 6, 4, 3, 16, (5,))),
    Case("no function of its own", drawn(7, 6, 4, 3, 16, (5,))),
    Case("one row, and an example of one row", drawn(1, 6, 4, 1, 16, ())),
    Case("the largest batch", drawn(12, 3, 20, 2, 12, (4, 12))),
    Case("sizes that are equal by chance", drawn(4, 4, 4, 4, 4, ())),
    Case("an example of all rows", drawn(7, 8, 8, 7, 32, (3,))),
)
