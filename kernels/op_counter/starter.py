import torch
from torch.utils._python_dispatch import TorchDispatchMode


def made(program: str):
    """The function `step` of a program's text."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec(program, names)
    return names["step"]


class OpCounter(TorchDispatchMode):
    """Keeps the full names of all operators that arrive, in `calls`."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        # Note the name, or those of the pieces. Run
        # the operator, return its result.
        return func(*args)


def count(program: str, names: str) -> torch.Tensor:
    """A row [arrivals forwards, arrivals backwards] a name, int64."""
    step = made(program)
    loss = step()
    loss.backward()
    # Listen to both passes and count.
    return torch.zeros(len(names.split()), 2, dtype=torch.int64)
