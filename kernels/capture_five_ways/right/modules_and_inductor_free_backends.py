import contextlib
import io
import logging
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx

SILENT = "make_fx, jit_trace"

REFUSED, RIGHT, WRONG, STOPS = range(4)


def over_len(x):
    return x * 10 / len(x)


class Wrapped(torch.nn.Module):
    """A function as a module, which is what export wants."""

    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


def by_make_fx(f, x):
    return make_fx(f)(x)


def by_symbolic_trace(f, x):
    return torch.fx.GraphModule(torch.nn.Module(), torch.fx.Tracer().trace(f))


def by_export(f, x):
    return torch.export.export(Wrapped(f), (x,)).module()


def by_dynamo(f, x):
    compiled = torch.compile(f, backend=lambda graph, inputs: graph.forward)
    compiled(x)
    return compiled


def by_jit_trace(f, x):
    return torch.jit.trace(f, (x,))


WAYS = (by_make_fx, by_symbolic_trace, by_export, by_dynamo, by_jit_trace)


def survey(source: str, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return what comes of each capture: REFUSED, RIGHT, WRONG or STOPS, int64, in the order of WAYS."""
    names = {"torch": torch, "__name__": __name__}
    exec(source, names)
    f = names[source.split("(")[0].removeprefix("def ")]
    warnings.simplefilter("ignore")  # jit.trace says that it is deprecated
    logging.disable(logging.WARNING)  # export looks for the text of `f` in a file
    with contextlib.redirect_stderr(io.StringIO()):  # export logs where it stopped
        return torch.tensor([outcome(capture, f, x, y) for capture in WAYS])


def outcome(capture, f, x, y):
    try:
        captured = capture(f, x)
    except Exception:
        return REFUSED
    try:
        answer = captured(y)
    except Exception:
        return STOPS
    right = f(y)
    alike = answer.shape == right.shape and answer.dtype == right.dtype
    return RIGHT if alike and torch.allclose(answer, right) else WRONG
