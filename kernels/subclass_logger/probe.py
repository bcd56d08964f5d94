"""Wraps tensors in the learner's `Logged` and reads both logs. Plain values only leave the process."""

import torch

PROGRAMS = {
    "relu of a linear layer": "def f(x):\n    return F.relu(F.linear(x, torch.ones(5, 4)))",
    "a list of tensors": "def f(x):\n    return torch.cat([x, x * 2, torch.ones(1, 4)])",
    "the first of two results": "def f(x):\n    return x.max(dim=1)[0] - x.mean()",
    "a conversion and views": "def f(x):\n    return x.T.to(torch.float64).reshape(-1)[1:].exp()",
    "softmax of a product": "def f(x):\n    return torch.softmax(x @ x.T, dim=-1) @ x",
    "a number taken out": "def f(x):\n    return x * x.sum().item()",
    "a detached tensor": "def f(x):\n    return x.detach().view_as(x) * 2",
    "an alias": "def f(x):\n    return torch.ops.aten.alias(x) + 1",
    "in place": "def f(x):\n    y = x.clone()\n    y.add_(1)\n    return y * 2",
    "sizes": "def f(x):\n    return x.reshape(x.size(0), -1) * x.dim()",
    "an operator of prims": "def f(x):\n    return torch.ops.prims.sin(x) + 1",
    "where": "def f(x):\n    return torch.where(x > 0, x, 0.5 * x)",
}


def texts(names):
    return [str(name) for name in list(names)[:100]]


def run_through(module, lists):
    """Return what `through` notes of one product, the type of what it returns, and if that is what
    the `Logged` holds."""
    for one in lists:
        one.clear()
    out = module.through("def f(x):\n    return x * 2", torch.ones(3))
    noted = [texts(one) for one in lists]
    whole = torch.ones(3)
    same = module.through("def f(x):\n    return x", whole) is whole
    return [*noted, type(out).__name__, same]


def probe(module, device):
    lists = (getattr(module, "python_calls", None), getattr(module, "aten_calls", None))
    kind = getattr(module, "Logged", None)
    found = {
        "is_subclass": isinstance(kind, type) and issubclass(kind, torch.Tensor),
        "has_lists": all(isinstance(one, list) for one in lists),
    }
    if not all(found.values()):
        return found
    whole = torch.linspace(-1, 1, 12).reshape(3, 4)
    found["held"] = getattr(kind(whole), "held", None) is whole
    view = kind(whole[1:, 1:])
    found["layout"] = (tuple(view.stride()), view.storage_offset())
    found["logs"] = {}
    for name, text in PROGRAMS.items():
        names = {"torch": torch, "F": torch.nn.functional}
        exec(text, names)
        x = kind(torch.linspace(-1, 1, 12).reshape(3, 4))
        for one in lists:
            one.clear()
        out = names["f"](x)
        found["logs"][name] = [texts(one) for one in lists] + [isinstance(out, kind)]
    found["through"] = run_through(module, lists)
    return found
