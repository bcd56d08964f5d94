import torch
from torch.utils._pytree import tree_map

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
        # A tensor without data. It has the shape, strides, dtype and device of the tensor it wraps,
        # because operators that are written in other operators look at them.
        out = torch.Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype, device=held.device,
        )  # fmt: skip
        out.held = held
        return out

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        python_calls.append(func.__name__)
        # The parent's method calls `func` with this hook switched off, so it does not come back.
        return super().__torch_function__(func, types, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        aten_calls.append(str(func))
        # Tensors may stand in lists (`cat`) and in keyword arguments, and results may be tuples
        # (`max`) or no tensors at all (`item`). tree_map walks through all of that.
        out = func(*tree_map(unwrapped, args), **tree_map(unwrapped, kwargs or {}))
        # A result that is not wrapped would leave the log: nobody hears what is done with it.
        return tree_map(wrapped, out)


def unwrapped(value):
    return value.held if isinstance(value, Logged) else value


def wrapped(value):
    return Logged(value) if isinstance(value, torch.Tensor) else value


def through(program: str, x: torch.Tensor) -> torch.Tensor:
    """Return the program's `f` of x, computed by way of a `Logged`."""
    f = made(program)
    return f(Logged(x)).held
