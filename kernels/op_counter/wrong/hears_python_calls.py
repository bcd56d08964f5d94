# expect: wrong-values
import torch
from torch.overrides import TorchFunctionMode


def made(program: str):
    """The function `step` of a program's text."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec(program, names)
    return names["step"]


class OpCounter(TorchFunctionMode):
    """Keeps the full names of all operators that arrive, in `calls`."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.calls.append(f"aten.{func.__name__}.default")
        return func(*args, **(kwargs or {}))


def count(program: str, names: str) -> torch.Tensor:
    """A row [arrivals forwards, arrivals backwards] a name, int64."""
    step = made(program)
    with OpCounter() as forward:
        loss = step()
    with OpCounter() as backward:
        loss.backward()
    passes = (forward.calls, backward.calls)
    rows = [[calls.count(name) for calls in passes] for name in names.split()]
    return torch.tensor(rows)
