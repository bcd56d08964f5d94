import torch

from tutor.judge.spec import Case, Work

OFF = 1e-4  # the results are below 10, and their sums short


def reference(x, weight, bias):
    return torch.relu(x @ weight + bias)


eager = reference


def work(x, weight, bias):
    n, k, m = *x.shape, weight.shape[1]
    return Work(bytes=4 * (n * k + k * m + m + n * m), flops=2 * n * k * m)


def scale(x, weight, bias):
    return x.abs() @ weight.abs() + bias.abs()


def check_found(found):
    """(code, sentence) where a model was imported or run otherwise than asked, else None."""
    one = found.pop("a tuple of one")
    for name, each in found.items():
        about = f"Of the model with {name}"
        if each["functions"] != ["main"]:
            names = ", ".join(f"`{n}`" for n in each["functions"][:4])
            return (
                "wrong-values",
                f"{about} the module has the functions {names}. Only `main` is asked for, in Relax.",
            )
        if each["lowered"]:
            return (
                "wrong-values",
                f"{about} `main` calls `{each['lowered'][0]}`, no operation of Relax on tensors.",
            )
        if len(each["parameters"]) != each["inputs"]:
            return "wrong-values", (
                f"{about} `main` has {len(each['parameters'])} parameters for "
                f"{each['inputs']} "
                f"{'input' if each['inputs'] == 1 else 'inputs'}. Weights are to be constants."
            )
        if each["results"] == 1 and each["tuple"]:
            return (
                "wrong-values",
                f"{about} `main` returns a tuple of {each['tuple']}. One result is a tensor.",
            )
        if each["results"] > 1 and each["tuple"] != each["results"]:
            return (
                "wrong-values",
                f"{about} `main` does not return a tuple of its {each['results']} results.",
            )
        if told := told_of(each, about, each["results"]):
            return told
        if not each["modes kept"]:
            return (
                "wrong-values",
                f"{about} some part is in another mode after the call than before.",
            )
        if each["exchanged"] and not each["exchanged"]["off"] <= OFF:
            return "wrong-values", (
                "A module is run, its `main` is exchanged, and it is run again. `run` does not return "
                "the results of the new `main`: it has kept something from the call before."
            )
    return told_of(one, "Of a module whose `main` returns a tuple of one", 1)


def told_of(each, about, results):
    if each["got"] != "list":
        return "wrong-values", f"{about} `run` returns no list: {each['got']}."
    if each["count"] == -1:
        return (
            "wrong-values",
            f"{about} `run` returns a list of {each['kinds'][0]}. Tensors of PyTorch are asked for.",
        )
    if each["count"] == -2:
        got, want = each["kinds"]
        return "wrong-values", f"{about} `run` returns a tensor of {got}. The model's is of {want}."
    if each["count"] != results:
        return (
            "wrong-values",
            f"{about} `run` returns {each['count']} results in place of {results}.",
        )
    if not each["off"] <= OFF:
        return "wrong-values", f"{about} the results are not those of the model in eval mode."
    return None


def drawn(n, k, m):
    def make(g):
        return tuple(torch.randn(*s, generator=g, device=g.device) for s in ((n, k), (k, m), (m,)))

    return make


def views(g):
    x, weight, bias = drawn(12, 7, 9)(g)
    return x.T.contiguous().T, torch.stack([weight, weight], 2)[:, :, 1], bias


CASES = (
    Case("one number", drawn(1, 1, 1)),
    Case("one row", drawn(1, 20, 6)),
    Case("a square", drawn(8, 8, 8)),
    Case("a long sum", drawn(3, 300, 5)),
    Case("more columns than rows", drawn(4, 6, 33)),
    Case("views", views),
)
