import torch

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
        out = func(*mapped(unwrapped, args), **mapped(unwrapped, kwargs or {}))
        return mapped(wrapped, out)


def mapped(f, value):
    """`value` with `f` applied to everything in its lists, tuples and dictionaries."""
    if isinstance(value, dict):
        return {key: mapped(f, each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(mapped(f, each) for each in value)
    return f(value)


def unwrapped(value):
    return value.held if isinstance(value, Logged) else value


def wrapped(value):
    return Logged(value) if isinstance(value, torch.Tensor) else value


def through(program: str, x: torch.Tensor) -> torch.Tensor:
    """What the program's `f` makes of x, computed by way of a `Logged`."""
    f = made(program)
    return f(Logged(x)).held
