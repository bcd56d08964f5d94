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
        # Made here, not in the class body: there, one list would serve all counters.
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        # Under inference_mode a composite operator arrives whole: nobody above has taken it apart.
        # Its pieces come back here, because `with self` switches the mode on for them.
        with self:
            out = func.decompose(*args, **(kwargs or {}))
        if out is not NotImplemented:
            return out
        # `func` is one overload of one operator; its text is namespace, operator, overload.
        self.calls.append(str(func))
        # The mode is off while this method runs, so the call does not come back here. Without the
        # keyword arguments a conversion would lose its dtype.
        return func(*args, **(kwargs or {}))


def count(program: str, names: str) -> torch.Tensor:
    """A row [arrivals forwards, arrivals backwards] a name, int64."""
    step = made(program)
    with OpCounter() as forward:
        loss = step()
    # The backward pass is made of operators too. It begins with the gradient of the loss itself,
    # `ones_like`, and ends with a `detach` at each leaf.
    with OpCounter() as backward:
        loss.backward()
    passes = (forward.calls, backward.calls)
    rows = [[calls.count(name) for calls in passes] for name in names.split()]
    return torch.tensor(rows)
