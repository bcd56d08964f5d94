"""Captures the learner's function in five ways. Plain values only leave the process."""

import contextlib
import io
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx


class Wrapped(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


def exported(f, x):
    rows = {0: torch.export.Dim.DYNAMIC}
    return torch.export.export(Wrapped(f), (x,), dynamic_shapes=(rows,)).module()


def compiled(f, x):
    torch._dynamo.reset()
    g = torch.compile(f, backend="eager", fullgraph=True)
    g(x)
    return g


WAYS = {
    "make_fx": lambda f, x: make_fx(f)(x),
    "symbolic_trace": lambda f, x: torch.fx.symbolic_trace(f),
    "export": exported,
    "dynamo": compiled,
    "jit_trace": lambda f, x: torch.jit.trace(f, (x,)),
}


def probe(module, device):
    f = module.centred
    x = torch.linspace(1, 3, 20, device=device).reshape(5, 4)
    y = torch.linspace(-9, 2, 36, device=device).cos().mul(3).reshape(9, 4)
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        outcomes = {name: outcome(way, f, x, y) for name, way in WAYS.items()}
        right = set(outcomes.values()) == {"right"}
        return {"outcomes": outcomes, "foreign": foreign(f, x) if right else []}


def foreign(f, x):
    """Names of what the graphs of make_fx and symbolic_trace call beside PyTorch's own operations."""
    own = ("aten", "prims", "prim")
    names = [
        str(call) for call in calls(make_fx(f)(x)) if getattr(call, "namespace", "aten") not in own
    ]
    return names + [
        getattr(call, "__name__", str(call))
        for call in calls(torch.fx.symbolic_trace(f))
        if call.__module__.split(".")[0] == f.__module__.split(".")[0]
    ]


def calls(traced):
    return [node.target for node in traced.graph.nodes if node.op == "call_function"]


def outcome(way, f, x, y):
    try:
        captured = way(f, x.clone())
    except Exception as error:
        return f"refuses: {first_sentence(error)}"
    try:
        answer = captured(y.clone())
    except Exception as error:
        return f"stops: {first_sentence(error)}"
    want = f(y.clone())
    same = answer.shape == want.shape and torch.allclose(answer, want, atol=1e-5)
    return "right" if same else "wrong"


def first_sentence(error):
    """The error's type and the whole sentences in the first 240 characters of its first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = (lines or ["no message"])[0]
    if len(text) > 240:
        text = text[: max(text[:240].rfind(". "), 0) or 240]
    return f"{type(error).__name__}: {text.rstrip('.')}."
