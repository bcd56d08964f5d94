import contextlib
import io
import logging
import warnings

import torch

SILENT = ""  # which captures answer wrongly for by_size, without an error?

REFUSED, RIGHT, WRONG, STOPS = range(4)


def by_size(x):
    return x * 2 if x.shape[0] > 2 else x + 10


def by_make_fx(f, x):
    # Write the five captures: each returns something
    # that is called with one tensor.
    raise NotImplementedError


def by_symbolic_trace(f, x):
    raise NotImplementedError


def by_export(f, x):
    raise NotImplementedError


def by_dynamo(f, x):
    raise NotImplementedError


def by_jit_trace(f, x):
    raise NotImplementedError


WAYS = (by_make_fx, by_symbolic_trace, by_export, by_dynamo, by_jit_trace)


def survey(source: str, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return how each capture ends: REFUSED, RIGHT, WRONG or STOPS, int64, in the order of WAYS."""
    # A module that can be imported: torch 2.11 imports
    # the one that `__name__` names.
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
    return RIGHT if answer.shape == right.shape and torch.allclose(answer, right) else WRONG
