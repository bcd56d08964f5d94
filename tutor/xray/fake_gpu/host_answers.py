"""What `torch.cuda` and Triton's driver tell a program of its GPU, where there is none.

Published launchers make their device current, ask how many multiprocessors it has, wait for it and take
its stream. The judge's interpreter and the X-ray give them the same answers. What only a device knows
(a time, the bytes in use, a recorded graph) is refused in one sentence: `CannotHere`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.generators import generators_on_cpu

# What `torch.cuda` has for each of them is known only where kernels run.
_REFUSED = {
    "graph": "records what a GPU is given to do",
    "make_graphed_callables": "records what a GPU is given to do",
    "mem_get_info": "asks how much of a GPU's memory is free",
    "device_memory_used": "asks how much of a GPU's memory is used",
    "memory_snapshot": "asks what a GPU's memory holds",
    "cudart": "is the driver's own interface",
    "current_blas_handle": "is cuBLAS's own interface",
    "caching_allocator_alloc": "takes a GPU's memory",
    "utilization": "asks how busy a GPU is",
    "memory_usage": "asks how busy a GPU's memory is",
    "temperature": "asks how warm a GPU is",
    "power_draw": "asks what a GPU draws",
    "clock_rate": "asks how fast a GPU's clock is",
    "list_gpu_processes": "asks who uses a GPU",
}


def device_properties(target: Target) -> types.SimpleNamespace:
    """Return the fields of `torch.cuda.get_device_properties` that programs and torch read."""
    major, minor = target.capability
    return types.SimpleNamespace(
        name=target.name,
        major=major,
        minor=minor,
        gcnArchName=target.arch if target.vendor == "amd" else "",
        multi_processor_count=target.multiprocessors,
        warp_size=target.warp_size,
        max_threads_per_multi_processor=target.threads_per_multiprocessor,
        max_threads_per_block=target.threads_per_block,
        regs_per_multiprocessor=target.registers_per_multiprocessor,
        regs_per_block=target.registers_per_multiprocessor,
        shared_memory_per_block=target.shared_per_block,
        shared_memory_per_block_optin=target.shared_per_block_optin,
        shared_memory_per_multiprocessor=target.shared_per_multiprocessor,
        L2_cache_size=target.l2,
        total_memory=target.memory,
        clock_rate=target.clock,
        memory_clock_rate=target.memory_clock,
        memory_bus_width=target.memory_bus,
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def property_answers(target: Target) -> dict[str, Callable[..., Any]]:
    """Return the functions of `torch.cuda` that say what the device is, by name."""
    properties = device_properties(target)
    return {
        "current_device": lambda: 0,
        "synchronize": _constant(None),
        "get_device_properties": lambda *a, **k: properties,
        "get_device_capability": lambda *a, **k: target.capability,
        "get_device_name": lambda *a, **k: target.name,
    }


def handle_answers() -> dict[str, Any]:
    """Return what `torch.cuda` has to make a device or a stream current, by name.

    Each name gets an object of its own: Dynamo refuses one that has two names in torch.
    """
    return {
        **{name: _context(name) for name in ("device", "device_of", "stream")},
        **{name: _constant(None) for name in ("set_stream", "set_device")},
        "Stream": Stream,
        "Event": Event,
        "current_stream": lambda device=None: Stream(device),
        "default_stream": lambda device=None: Stream(device),
    }


@contextmanager
def answering_host(target: Target, *, present: bool) -> Iterator[None]:
    """Inside, Python code may ask for the device, its stream and its properties.

    With `present` the device also counts as available. Without it `torch.cuda.is_available()` stays
    False, so that a program that asks first keeps its tensors where they are.
    """
    import torch
    import torch.utils._triton as support

    nvidia, capability = target.vendor == "nvidia", target.capability
    answers: dict[str, Any] = {
        **property_answers(target),
        **{name: _refuse(f"torch.cuda.{name}", what) for name, what in _REFUSED.items()},
        **handle_answers(),
        **{name: _RefusedObject.named(name) for name in ("CUDAGraph", "MemPool", "GreenContext")},
        "init": _constant(None),
        "is_bf16_supported": lambda *a, **k: not nvidia or capability >= (8, 0),
        "is_tf32_supported": lambda: nvidia and capability >= (8, 0),
        "get_arch_list": lambda: [target.arch],
    }
    descriptors = nvidia and capability >= (9, 0)
    asked: dict[str, bool] = {
        "has_triton": True,
        "has_triton_tma": descriptors,
        "has_triton_tma_device": descriptors,
        "has_triton_stable_tma_api": descriptors,
        "has_triton_tensor_descriptor_host_tma": descriptors,
        "has_datacenter_blackwell_tma_device": nvidia and capability[0] == 10,
    }
    if present:
        answers |= {"is_available": lambda: True, "device_count": lambda: 1}
    with ExitStack() as stack:
        stack.enter_context(answering_cuda(answers))
        for name in ("synchronize", "set_stream", "set_device_index"):
            stack.enter_context(_replace(torch.accelerator, name, _constant(None)))
        stack.enter_context(_replace(torch.accelerator, "current_stream", lambda *a: Stream()))
        stack.enter_context(_replace(torch.accelerator, "current_device_index", lambda: 0))
        stack.enter_context(_replace(torch.accelerator, "device_index", _context("device_index")))
        if present:
            kind = torch.device("cuda")
            stack.enter_context(_replace(torch.accelerator, "is_available", lambda: True))
            stack.enter_context(_replace(torch.accelerator, "device_count", lambda: 1))
            stack.enter_context(
                _replace(torch.accelerator, "current_accelerator", lambda *a, **k: kind)
            )
        stack.enter_context(_answering_generated_files())
        stack.enter_context(generators_on_cpu())
        for name, value in asked.items():
            stack.enter_context(_replace(support, name, _constant(value)))
        yield


@contextmanager
def _answering_generated_files() -> Iterator[None]:
    """Answer what a file that Inductor wrote takes from torch, parts of which a CPU build lacks."""
    import torch

    def empty_strided(size: Any, stride: Any, dtype: Any) -> Any:
        return torch.empty_strided(size, stride, dtype=dtype)

    with ExitStack() as stack:
        raw = mock.patch.object(torch._C, "_cuda_getCurrentRawStream", _constant(0), create=True)
        stack.enter_context(raw)
        stack.enter_context(_replace(torch.cuda, "_DeviceGuard", _context("_DeviceGuard")))
        guards = torch._C._dynamo.guards
        stack.enter_context(_replace(guards, "_empty_strided_cuda", empty_strided))
        yield


@contextmanager
def answering_cuda(answers: Mapping[str, Any]) -> Iterator[None]:
    """Put each answer in the place of the name of `torch.cuda` that is its key."""
    import torch

    with ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(_replace(torch.cuda, name, answer))
        yield


class _DeviceContext:
    """`torch.cuda.device`, `device_of` and `stream`: there is one device, and kernels run in order."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.idx = 0

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


def _context(name: str) -> type:
    return type(name, (_DeviceContext,), {})


class Stream(_DeviceContext):
    """A stream whose work is done as soon as it is given."""

    cuda_stream = 0
    priority = 0

    def __init__(self, device: Any = None, priority: int = 0, **named: Any) -> None:
        super().__init__()
        self.device_index = 0

    @property
    def device(self) -> Any:
        import torch

        return torch.device("cuda", 0)

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        return True

    def wait_stream(self, stream: object) -> None:
        """Return at once."""

    def wait_event(self, event: object) -> None:
        """Return at once."""

    def record_event(self, event: Any = None) -> Any:
        return event if event is not None else Event()


class Event:
    """An event that has happened. How long after another one, only a GPU knows."""

    cuda_event = 0

    def __init__(self, *given: Any, **named: Any) -> None:
        """Take every setting."""
        self.elapsed_time = refuse_elapsed_time  # no method: Dynamo cannot put one back at a break

    def record(self, stream: object = None) -> None:
        """Return at once."""

    def wait(self, stream: object = None) -> None:
        """Return at once."""

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        return True


def refuse_elapsed_time(end: object) -> float:
    """Stand for the method of an event. Raises `CannotHere`."""
    raise _refusal("torch.cuda.Event.elapsed_time", "asks how long kernels took")


class _RefusedObject:
    """Stands for a class of `torch.cuda` whose objects are parts of a device."""

    _name = ""

    def __init__(self, *given: Any, **named: Any) -> None:
        raise _refusal(f"torch.cuda.{self._name}", "is a part of a running GPU")

    @classmethod
    def named(cls, name: str) -> type:
        return type(name, (cls,), {"_name": name})


def refuse_benchmark(*args: Any, **named: Any) -> Any:
    """Stand for a function that times kernels. Raises `CannotHere`."""
    raise _refusal("a benchmark of Triton's", "asks how long kernels take")


def _refuse(name: str, what: str) -> Callable[..., Any]:
    def refused(*args: Any, **named: Any) -> Any:
        raise _refusal(name, what)

    return refused


_refusals: list[CannotHere] = []  # while `noting_refusals`


@contextmanager
def noting_refusals() -> Iterator[list[CannotHere]]:
    """Give the refusals so far: code that catches every error goes on after one, and tells nobody."""
    _refusals.clear()
    try:
        yield _refusals
    finally:
        _refusals.clear()


def _refusal(name: str, what: str) -> CannotHere:
    subject = name if " " in name else f"`{name}`"
    said = f"{subject[0].upper()}{subject[1:]} {what}, and there is none here: this needs a GPU"
    _refusals[:] = [*_refusals[:7], error := CannotHere(said)]
    return error


def _replace(owner: Any, name: str, value: Any) -> Any:
    if not hasattr(owner, name):  # another version of torch: nobody can ask for it
        return ExitStack()
    return mock.patch.object(owner, name, value)


def _constant(value: int | None) -> Callable[..., int | None]:
    return lambda *args, **named: value
