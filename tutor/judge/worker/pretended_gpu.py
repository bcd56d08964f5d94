"""A GPU for the launchers of kernels that the interpreter runs: its target answers their questions.

Tensors stay the CPU's, and `x.device` says so; one that is asked for on a GPU is the CPU's too. A
launcher may be compiled by torch.compile, which has nothing to compile around an interpreted kernel:
the function itself runs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
import triton.testing
from triton.runtime.jit import JITFunction

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.host_answers import answering_host, refuse_benchmark
from tutor.xray.fake_gpu.pretended_device import memory_on_cpu
from tutor.xray.fake_gpu.pretended_driver import driver_of
from tutor.xray.triton_kernels.compiler import is_gluon


@contextmanager
def launching_on(target: Target, *, compiling: bool = False) -> Iterator[None]:
    """Inside, functions that launch interpreted kernels find `target` where they ask for a GPU.

    With `compiling` torch.compile compiles, for an exercise that is about what it does.
    """
    compile_function = torch.compile if compiling else _leave_uncompiled
    with (
        driver_of(target, "cpu"),
        answering_host(target, present=False),
        memory_on_cpu(),
        mock.patch.object(torch, "compile", compile_function),
        mock.patch.object(triton.testing, "do_bench", refuse_benchmark),
        mock.patch.object(triton.testing, "do_bench_cudagraph", refuse_benchmark),
        mock.patch.object(JITFunction, "run", _refuse_compiled),
    ):
        yield


def _refuse_compiled(kernel: Any, *args: Any, **named: Any) -> Any:
    """Stand for a launch of a kernel that the interpreter does not run. Raises `CannotHere`."""
    what = "written in Gluon, which" if is_gluon(kernel) else "made to be compiled, and"
    raise CannotHere(
        f"`{kernel.fn.__name__}` is {what} Triton's interpreter does not run: this needs a GPU"
    )


def _leave_uncompiled(model: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Return the function that `torch.compile` was given, as it stands."""
    return model if model is not None else lambda function: function
