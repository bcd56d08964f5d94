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
        right = outcomes["make_fx"] == "right"
        return {"outcomes": outcomes, "foreign": foreign(f, x) if right else []}


def foreign(f, x):
    """Names of what the graph of make_fx calls beside the operators of PyTorch itself."""
    calls = [node.target for node in make_fx(f)(x).graph.nodes if node.op == "call_function"]
    own = ("aten", "prims", "prim")
    return [str(call) for call in calls if getattr(call, "namespace", "aten") not in own]


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
