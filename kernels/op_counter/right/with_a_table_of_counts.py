"""The names are looked up in two tables of counts, made from the lists."""

from collections import Counter

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
        with self:
            out = func.decompose(*args, **(kwargs or {}))
        if out is not NotImplemented:
            return out
        self.calls.append(str(func))
        return func(*args, **(kwargs or {}))


def count(program: str, names: str) -> torch.Tensor:
    """A row [arrivals forwards, arrivals backwards] a name, int64."""
    step = made(program)
    with OpCounter() as forward:
        loss = step()
    with OpCounter() as backward:
        loss.backward()
    passes = (Counter(forward.calls), Counter(backward.calls))
    wanted = names.split()
    columns = [torch.tensor([table[name] for name in wanted]) for table in passes]
    return torch.stack(columns, dim=1)
