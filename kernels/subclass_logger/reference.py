import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROGRAMS = runpy.run_path(str(Path(__file__).with_name("probe.py")))["PROGRAMS"]


def function_of(program):
    names = {"torch": torch, "F": torch.nn.functional}
    exec(program, names)
    return names["f"]


def reference(program, x):
    return function_of(program)(x)


def eager(program, x):
    return function_of(program)(x)


def work(program, x):
    return Work(bytes=x.numel() * x.element_size() + len(program), flops=0)


class Watched(torch.Tensor):
    """The trusted twin of the learner's class; its logs belong to it."""

    python, aten = [], []

    @staticmethod
    def __new__(cls, held):
        layout = {"strides": held.stride(), "storage_offset": held.storage_offset()}
        out = torch.Tensor._make_wrapper_subclass(
            cls, held.shape, dtype=held.dtype, device=held.device, **layout
        )
        out.held = held
        return out

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.python.append(func.__name__)
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.aten.append(str(func))
        return dressed(func(*bare(args), **bare(kwargs or {})))


def bare(value):
    if isinstance(value, list | tuple):
        return type(value)(bare(each) for each in value)
    if isinstance(value, dict):
        return {key: bare(each) for key, each in value.items()}
    return value.held if isinstance(value, Watched) else value


def dressed(value):
    if isinstance(value, list | tuple):
        return type(value)(dressed(each) for each in value)
    return Watched(value) if isinstance(value, torch.Tensor) else value


def logs(program):
    """Return what Python calls and what arrives while `f` runs, in order."""
    Watched.python.clear()
    Watched.aten.clear()
    function_of(program)(Watched(torch.linspace(-1, 1, 12).reshape(3, 4)))
    return list(Watched.python), list(Watched.aten)


def check_found(found):
    """(code, sentence) for the first log that is not exact, else None."""
    if not found["is_subclass"]:
        return "wrong-values", "`Logged` is no subclass of torch.Tensor."
    if not found["has_lists"]:
        return (
            "wrong-values",
            "`python_calls` and `aten_calls` must be lists at the top of the file.",
        )
    if not found["held"]:
        return "wrong-values", (
            "`Logged(t).held` is not the tensor `t` but another one: what is written into one of "
            "the two does not show in the other."
        )
    strides, offset = found["layout"]
    if (*strides, offset) != (4, 1, 5):
        return "wrong-values", (
            f"Of a view with the strides (4, 1) that begins at element 5, the `Logged` has the strides "
            f"{tuple(strides)} and begins at element {offset}."
        )
    for name, text in PROGRAMS.items():
        python, aten, is_logged = found["logs"][name]
        for listed, got, want in zip(
            ("python_calls", "aten_calls"), (python, aten), logs(text), strict=True
        ):
            if got != want:
                return "wrong-values", f"On {name}, `{listed}` {difference(got, want)}"
        if not is_logged:
            return "wrong-values", f"On {name}, the result is no `Logged`: its log ends there."
    *noted, kind, same = found["through"]
    if not all(noted):
        return "wrong-values", (
            "`through` ran `f` on x as it is: of `x * 2` nothing was noted. `f` gets a `Logged`."
        )
    if kind != "Tensor":
        return "wrong-values", f"`through` returned a {kind}. It returns the plain tensor held."
    if not same:
        return "wrong-values", (
            "Of an `f` that returns its x, `through` returned a copy. It returns the tensor held itself."
        )
    return None


def difference(got, want):
    """The end of a sentence on the first place where two lists of names differ."""
    for at, (mine, right) in enumerate(zip(got, want, strict=False)):
        if mine != right:
            return f"has {mine!r} at place {at}, and {right!r} comes there."
    if len(got) < len(want):
        return f"ends after {len(got)} names; {want[len(got)]!r} comes next."
    return f"has {len(got)} names, and there are {len(want)}; the first too many is {got[len(want)]!r}."


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def case(name, expression, make=lambda g: normal(g, 5, 4)):
    """A case of one function, which returns `expression`."""
    return Case(name, lambda g: (f"def f(x):\n    return {expression}", make(g)))


CASES = (
    case("one product", "x * 2"),
    case("a chain", "(x.exp() + 1).sqrt() * x - 3"),
    case("a linear layer with plain weights",
         "F.linear(x, torch.ones(3, 4).to(x.dtype), torch.ones(3).to(x.dtype))"),
    case("a plain tensor first", "torch.ones(5, 4) - x"),
    case("a list of tensors", "torch.cat([x, x * 2], dim=1)"),
    case("a list with a plain tensor", "torch.stack([x, torch.ones(5, 4).to(x.dtype)]).sum(dim=0)"),
    case("the first of two results", "x.max(dim=1)[0] + 1"),
    case("both of two results", "torch.add(*torch.var_mean(x, dim=1, correction=0))"),
    case("the last of several parts", "x.split(2, dim=0)[-1] * 2"),
    case("keywords", "torch.sum(input=x, dim=1, keepdim=True) * torch.full_like(x, 2.0)"),
    case("a tensor as a keyword", "torch.add(input=x, other=x * x, alpha=3)"),
    case("a tensor as a keyword of the operator",
         "torch.searchsorted(x[0], x[1:], sorter=x[0].argsort())"),
    case("a conversion there and back", "(x.to(torch.float64) * 3).to(torch.float32) + x"),
    case("where", "torch.where(x > 0, x, 0.5 * x)"),
    case("attention", "torch.softmax(x @ x.T / 2, dim=-1) @ x"),
    case("layer norm", "F.layer_norm(x, (4,))"),
    case("a number for a result", "(x * x).mean()"),
    case("a number taken out", "x / x.abs().sum().item()"),
    case("a detached tensor", "x.detach() * x"),
    case("a transposed view", "x.reshape(-1)[1:] * 2", lambda g: normal(g, 4, 5).T),
    case("every second column", "x.T @ x", lambda g: normal(g, 6, 8)[:, ::2]),
    case("the strides of a view", "x * x.stride(0) + x.stride(1)", lambda g: normal(g, 4, 6).T),
    case("in place on a copy", "x.clone().add_(1).mul_(x)"),
    Case("a function that remembers its calls", lambda g: (
        "seen = []\ndef f(x):\n    seen.append(1)\n    return x * len(seen)", normal(g, 5, 4))),
)  # fmt: skip
