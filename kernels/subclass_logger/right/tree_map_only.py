"""`tree_map_only` picks the leaves by their type."""

import torch
from torch.utils._pytree import tree_map_only

python_calls = []  # what Python called: func.__name__
aten_calls = []  # what arrived below autograd: str(func)


def made(program: str):
    """The function `f` of a program's text."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec(program, names)
    return names["f"]


class Logged(torch.Tensor):
    """A tensor that wraps another, `held`, and notes what happens to it."""

    @staticmethod
    def __new__(cls, held):
        out = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=held.device,
        )
        out.held = held
        return out

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        python_calls.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        aten_calls.append(str(func))
        args, kwargs = tree_map_only(cls, lambda t: t.held, (args, kwargs or {}))
        return tree_map_only(torch.Tensor, cls, func(*args, **kwargs))


def through(program: str, x: torch.Tensor) -> torch.Tensor:
    """What the program's `f` makes of x, computed by way of a `Logged`."""
    f = made(program)
    return f(Logged(x)).held
