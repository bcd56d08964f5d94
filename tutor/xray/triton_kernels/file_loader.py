"""A learner's file loaded as on a machine with the target: Triton's tutorials load as published."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.launch_recorder import record_launches
from tutor.xray.fake_gpu.pretended_device import device_of
from tutor.xray.fake_gpu.pretended_driver import driver_of

# What a text must hold for a device to be pretended while it is loaded.
_ASKS = re.compile(r"\bcuda\b|driver\.active|\.is_cuda\b")
_TORCH = re.compile(r"^\s*(?:import|from)\s.*\btorch\b", re.MULTILINE)
_TRITON = re.compile(r"^\s*(?:import|from)\s.*\btriton\b", re.MULTILINE)


_LIBRARIES = ("torch", "triton")

# What torch and Triton say where there is no GPU.
_LACKS = re.compile(r"CUDA|NVIDIA|\bGPU|active drivers?\b|HIP\b")


def has_asked(error: BaseException) -> bool:
    """Return True if a file whose loading raised this error may be loaded with a pretended device: a
    module that it imports asked for one."""
    said = f"{error} {error.__context__}"  # what loads a file raises an error of its own
    return {"torch", "triton"} <= set(sys.modules) and bool(_LACKS.search(said))


def is_of_machine(error: BaseException) -> bool:
    """Return True if loading stopped at a module, a name to import or a file: what is computed with the
    pretended device does not lead there."""
    return isinstance(error.__context__ or error, ImportError | OSError)


def defines(text: str, name: str) -> bool:
    """Return True if the text defines a function or class of this name at its top level."""
    return bool(re.search(rf"^(?:async +)?(?:def|class) +{re.escape(name)}\b", text, re.MULTILINE))


@dataclass
class Loading:
    """How a file is loaded. `pretended`: with a device that is not here; from the first question on, if
    it is a module that asks."""

    pretended: bool


@contextmanager
def loading_on(target: Target, text: str, asks: bool = False) -> Iterator[Loading]:
    """Inside, a file with this text can be loaded. Nothing is imported that it does not import.

    A device is pretended for a file that names one, with `asks`, and once a module that the file
    imports asks whether there is one. Kernels do not run then, and what the file computes below its
    definitions means nothing.
    """
    launches = bool(_TRITON.search(text) and _TORCH.search(text))
    loading = Loading(asks or (launches and bool(_ASKS.search(text))))
    with ExitStack() as stack:
        if asks or _TRITON.search(text):
            stack.enter_context(driver_of(target))
        if loading.pretended:
            _pretend(target, stack)
        elif launches:
            stack.enter_context(_pretending_when_asked(target, loading))
        yield loading


def _pretend(target: Target, stack: ExitStack) -> None:
    stack.enter_context(record_launches([]))
    stack.enter_context(_without_benchmarks())
    stack.enter_context(_without_libraries())
    stack.enter_context(device_of(target))


@contextmanager
def _pretending_when_asked(target: Target, loading: Loading) -> Iterator[None]:
    """Inside, a device is pretended from the first time on that a module asks whether there is one.

    The libraries themselves ask, too, and are told what is here.
    """
    import torch

    watching = [True]
    with ExitStack() as stack, ExitStack() as later:
        later.callback(watching.clear)

        def watch(owner: Any, name: str) -> None:
            told = getattr(owner, name)

            def answer(*args: Any, **named: Any) -> Any:
                asker = sys._getframe(1).f_globals.get("__name__", "").split(".")[0]
                if asker in _LIBRARIES or not watching:  # a module may have taken it by name
                    return told(*args, **named)
                if not loading.pretended:
                    loading.pretended = True
                    _pretend(target, later)
                return getattr(owner, name)(*args, **named)

            stack.enter_context(mock.patch.object(owner, name, answer))

        for owner, name in (
            (torch.cuda, "is_available"),
            (torch.cuda, "device_count"),
            (torch.accelerator, "is_available"),
            (torch.accelerator, "current_accelerator"),
        ):
            watch(owner, name)
        yield


@contextmanager
def _without_benchmarks() -> Iterator[None]:
    """Inside, Triton's benchmarks, which a file may run as it is loaded, time nothing."""
    import triton.testing as testing

    with (
        mock.patch.object(testing.Mark, "run", return_value=None),
        mock.patch.object(testing, "do_bench", return_value=1.0),
    ):
        yield


@contextmanager
def _without_libraries() -> Iterator[None]:
    """Inside, the handles of cuBLAS and hipBLAS that Triton makes call nothing."""
    from triton._C.libtriton import amd, nvidia

    with ExitStack() as stack:
        for place, name in ((nvidia, "cublas.CublasLt"), (amd, "hipblas.HipblasLt")):
            library, _, handle = name.partition(".")
            if hasattr(getattr(place, library, None), handle):
                stack.enter_context(mock.patch.object(getattr(place, library), handle, _Handle))
        yield


class _Handle:
    """Stands for a handle of a library: each of its methods does nothing."""

    def __init__(self, workspace: object) -> None:
        self.workspace = workspace

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: None
