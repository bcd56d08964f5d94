import contextlib
import io
import logging
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx

# `len(x)` is a Python number, the example's. make_fx and jit.trace keep it and check nothing later;
# of `x.shape[0]` jit.trace would have kept a question. A proxy has no length, so symbolic_trace
# refuses. export checks the size at each call, and Dynamo guards it and captures again.
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
    # Runs f on x, and notes each ATen operator that arrives. Python leaves no note.
    return make_fx(f)(x)


def by_symbolic_trace(f, x):
    # Runs f on a stand-in that notes what is done to it. It has no example, so it has no values.
    return torch.fx.symbolic_trace(f)


def by_export(f, x):
    # Runs f on tensors without data. All or nothing, and the sizes are checked at each call.
    return torch.export.export(Wrapped(f), (x,)).module()


def by_dynamo(f, x):
    # Nothing is captured before the first call, so that call belongs to the capture.
    compiled = torch.compile(f, backend="eager")
    compiled(x)
    return compiled


def by_jit_trace(f, x):
    # Runs f on x and records the operators, as make_fx does, in TorchScript.
    return torch.jit.trace(f, (x,))


WAYS = (by_make_fx, by_symbolic_trace, by_export, by_dynamo, by_jit_trace)


def survey(source: str, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return how each capture ends: REFUSED, RIGHT, WRONG or STOPS, int64, in the order of WAYS."""
    # A module that can be imported: torch 2.11 imports the one that `__name__` names.
    names = {"torch": torch, "__name__": __name__}
    exec(source, names)
    f = names[source.split("(")[0].removeprefix("def ")]
    warnings.simplefilter("ignore")  # jit.trace says that it is deprecated
    logging.disable(logging.WARNING)  # export looks for the text of `f` in a file
    with contextlib.redirect_stderr(io.StringIO()):  # export logs why
        return torch.tensor([outcome(capture, f, x, y) for capture in WAYS])


def try_capture(capture, f, x):
    """Return what a capture gives for f on x, or None where it refuses."""
    try:
        return capture(f, x)
    except Exception:
        return None


def outcome(capture, f, x, y):
    captured = try_capture(capture, f, x)
    if captured is None:
        return REFUSED
    # A second `try`: what is raised here is no fault of the capture, which gave its answer.
    try:
        answer = captured(y)
    except Exception:
        return STOPS
    right = f(y)
    alike = answer.shape == right.shape and answer.dtype == right.dtype
    return RIGHT if alike and torch.allclose(answer, right) else WRONG
