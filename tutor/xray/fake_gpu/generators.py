"""Random generators of a GPU that is not there: they draw as the CPU's do.

`torch.Generator(device="cuda")`, its seed and its state, `torch.cuda.default_generators` and the
functions that seed them answer as on the target. What is drawn is not what a GPU draws.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from tutor.base.errors import CannotHere

# What a generator has of a GPU alone: the place in its stream of numbers, and its use in CUDA graphs.
_OF_A_GPU = ("get_offset", "set_offset", "graphsafe_get_state", "graphsafe_set_state")


@contextmanager
def generators_on_cpu() -> Iterator[None]:
    """Inside, generators of a GPU can be made, seeded and drawn from."""
    import torch

    kind = _kind()
    one = kind("cuda")
    random: Any = torch.cuda.random
    answers = (
        (torch, "Generator", kind),
        (torch._C, "Generator", kind),  # Dynamo compares the type with this name
        (torch.cuda, "default_generators", (one,)),
        (random, "_lazy_init", lambda: None),
        (random, "_lazy_call", lambda function, **named: function()),
        (random, "current_device", lambda: 0),
        (random, "device_count", lambda: 1),
    )
    with ExitStack() as stack:
        for owner, name, value in answers:
            stack.enter_context(mock.patch.object(owner, name, value))
        yield


@functools.cache
def _kind() -> Any:
    """Return the class, one in a process: Dynamo remembers classes."""
    import torch

    original: Any = torch._C.Generator

    class Generator(original):  # type: ignore[misc]
        """A generator of the CPU, which may say that it is a GPU's."""

        def __new__(cls, device: Any = "cpu") -> Any:
            told = torch.device(device)
            made = super().__new__(cls, "cpu" if told.type == "cuda" else told)
            made._told = told
            return made

        @property
        def device(self) -> Any:
            if self._told.type == "cuda":
                return torch.device("cuda", self._told.index or 0)
            return self._told

        def clone_state(self) -> Any:
            clone = type(self)(self._told)
            clone.set_state(self.get_state())
            return clone

    for name in _OF_A_GPU:
        setattr(Generator, name, _refusing(name, getattr(original, name, None)))
    Generator.__module__, Generator.__qualname__ = original.__module__, original.__qualname__
    return Generator


def _refusing(name: str, original: Any) -> Any:
    def method(self: Any, *given: Any) -> Any:
        if self.device.type != "cuda":
            return original(self, *given)
        raise CannotHere(
            f"`torch.Generator.{name}` asks what a GPU has drawn, and there is none here: "
            "this needs a GPU"
        )

    return method
