"""Functions of one maker's GPUs (`tl.extra.cuda`, `tl.extra.hip`) in Triton's interpreter.

They are written in the GPU's assembly. To wait for the kernel before, or to let the next one begin,
changes no result where one kernel runs after the other. The others (a clock, the number of the
multiprocessor) are refused by name. `libdevice` has its own module.

Private names of Triton (3.6 and 3.7): the builtins of `triton.language.extra.cuda` and `.hip`.
"""

import functools
from collections.abc import Callable
from typing import Any

from triton.language.extra import cuda, hip

_IN_ORDER = ("gdc_wait", "gdc_launch_dependents")


def patch_device_functions() -> None:
    """Patch both makers' functions once and leave them patched, before the learner's file takes them."""
    for space, prefix in ((cuda, "tl.extra.cuda"), (hip, "tl.extra.hip")):
        for name, function in list(vars(space).items()):
            if getattr(function, "__triton_builtin__", False):
                replacement = _do_nothing if name in _IN_ORDER else _refuse(f"{prefix}.{name}")
                setattr(space, name, functools.wraps(function)(replacement))


def _do_nothing(*args: Any, **named: Any) -> None:
    """Return at once: the kernel before has ended."""


def _refuse(name: str) -> Callable[..., Any]:
    def refused(*args: Any, **named: Any) -> Any:
        raise NotImplementedError(f"{name} not supported in interpreter mode")

    return refused
