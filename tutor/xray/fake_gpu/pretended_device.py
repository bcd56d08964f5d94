"""Ordinary Python that names a GPU, run where there is none: its tensors are the CPU's.

`x.is_cuda`, `x.device` and `torch.empty(8, device="cuda")` answer as if the device were there. Used
while a learner's file is loaded, and while a function is called for the kernels that it launches.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.host_answers import answering_host


@contextmanager
def device_of(target: Target) -> Iterator[None]:
    """Inside, tensors of the CPU stand for those of `target`, as Python code sees them."""
    with answering_host(target, present=True), _types_on_cpu(), _mode():
        yield


@contextmanager
def memory_on_cpu(wrap: Callable[..., Any] = lambda function: function) -> Iterator[None]:
    """Inside, memory that is asked for on a GPU is the CPU's: all factories, and `to`, ask for it here.

    `wrap` is put around the functions that make it.
    """
    import torch
    from torch.fx.node import map_aggregate

    aten: Any = torch.ops.aten
    map_values: Any = map_aggregate
    convert = torch.Tensor.to

    def of_cpu(named: dict[str, Any]) -> dict[str, Any]:
        return {**named, "device": torch.device("cpu"), "pin_memory": None}

    def empty(size: Any, **named: Any) -> Any:
        return aten.empty.memory_format(size, **of_cpu(named))

    def empty_strided(size: Any, stride: Any, **named: Any) -> Any:
        return aten.empty_strided.default(size, stride, **of_cpu(named))

    def to(tensor: Any, *args: Any, **named: Any) -> Any:
        return convert(tensor, *map(device_on_cpu, args), **map_values(named, device_on_cpu))

    def cuda(tensor: Any, *args: Any, **named: Any) -> Any:
        return tensor

    torch_library: Any = torch.library
    library = torch_library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():  # a CUDA build has both, and warns that they are replaced
            warnings.simplefilter("ignore")
            library.impl("empty.memory_format", wrap(empty), "CUDA", allow_override=True)
            library.impl("empty_strided", wrap(empty_strided), "CUDA", allow_override=True)
        with (
            mock.patch.object(torch.Tensor, "to", to),
            mock.patch.object(torch.Tensor, "cuda", cuda),
            _types_on_cpu(),
            mock.patch.object(torch.cuda, "_lazy_init", return_value=None),
        ):
            yield
    finally:
        library._destroy()


@contextmanager
def _types_on_cpu() -> Iterator[None]:
    """Inside, `torch.cuda.FloatTensor` and its kin are the CPU's: without a GPU they only raise."""
    import torch

    kinds = {
        name: getattr(torch, name)
        for name in dir(torch.cuda)
        if name.endswith("Tensor") and hasattr(torch, name)
    }
    with mock.patch.multiple(torch.cuda, **kinds):
        yield


def device_on_cpu(value: Any) -> Any:
    """Return the CPU for a device or a string that names a GPU, `torch.FloatTensor` for the type of
    tensors `torch.cuda.FloatTensor`, every other value as it is."""
    import torch

    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and value.startswith("torch.cuda."):
        return value.replace("cuda.", "", 1)
    return "cpu" if isinstance(value, str) and value.split(":")[0] == "cuda" else value


def _mode() -> Any:
    import torch
    from torch.overrides import TorchFunctionMode

    cuda = torch.device("cuda", 0)
    tensor: Any = torch.Tensor
    is_cuda, device, kind = tensor.is_cuda.__get__, tensor.device.__get__, tensor.type

    def on_cpu(value: Any) -> Any:
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
            return type(value)(map(on_cpu, value))
        return device_on_cpu(value)

    class OnDevice(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, kinds: Any, args: Any = (), named: Any = None
        ) -> Any:
            if function is torch.device:
                return function(*args, **(named or {}))
            if function == is_cuda:
                return True
            if function == device:
                result = function(*args)
                return cuda if result.type == "cpu" else result
            if function is kind and len(args) == 1 and not named:
                return function(*args).replace("torch.", "torch.cuda.", 1)
            if function is torch.Tensor.cuda:
                return args[0]
            if function is torch.Tensor.get_device:
                return 0
            named = {name: on_cpu(value) for name, value in (named or {}).items()}
            return function(*map(on_cpu, args), **named)

    return OnDevice()
