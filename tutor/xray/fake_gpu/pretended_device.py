"""Ordinary Python that names a GPU, run where there is none: its tensors are the CPU's.

`x.is_cuda`, `x.device` and `torch.empty(8, device="cuda")` answer as if the device were there. Used
while a learner's file is loaded, and while a function is called for the kernels that it launches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.host_answers import answering_host


@contextmanager
def device_of(target: Target) -> Iterator[None]:
    """Inside, tensors of the CPU stand for those of `target`, as Python code sees them."""
    with answering_host(target, present=True), _mode():
        yield


def device_on_cpu(value: Any) -> Any:
    """Return the CPU for a device or a string that names a GPU, every other value as it is."""
    import torch

    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and value.split(":")[0] == "cuda" else value


def _mode() -> Any:
    import torch
    from torch.overrides import TorchFunctionMode

    cuda = torch.device("cuda", 0)
    tensor: Any = torch.Tensor
    is_cuda, device = tensor.is_cuda.__get__, tensor.device.__get__

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
            if function is torch.Tensor.cuda:
                return args[0]
            if function is torch.Tensor.get_device:
                return 0
            named = {name: on_cpu(value) for name, value in (named or {}).items()}
            return function(*map(on_cpu, args), **named)

    return OnDevice()
