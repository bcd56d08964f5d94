"""`torch.autocast("cuda")` for tensors of the CPU that stand for the device's.

Autocast is a dispatch key of each device, and its C++ kernels leave other devices' tensors alone.
Inside a region for the device the CPU's key does it here, by the lists of operations that torch uses
on a device (`AT_FORALL_…` in the installed torch/include/ATen/autocast_mode.h).
"""

from __future__ import annotations

import contextlib
import functools
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from tutor.xray.fake_gpu.fake_gpu import private, replace_private
from tutor.xray.fake_gpu.tensor_methods import map_values

_ENTER = "torch.amp._enter_autocast"
_REGISTERED = "torch._C._dispatch_get_registrations_for_dispatch_key"
_APPEND_DTYPE = ("norm.Scalar", "norm.ScalarOpt_dim")  # these sum in float32
_KEY = torch._C.DispatchKey.AutocastCPU
_LIST = r"#define AT_FORALL_{}\(_\)(.*?)\n\n"
_NAME = re.compile(r"_\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)")


@contextmanager
def autocast_on_device() -> Iterator[None]:
    """Inside, Dynamo's regions of autocast for "cuda" cast, and those for "cpu" do not."""
    original = private(_ENTER)
    libraries: list[Any] = []

    def enter(device: str, dtype: Any = None, enabled: bool = True, cache: Any = None) -> Any:
        if device != "cuda":  # a device's tensors are not the CPU's
            return contextlib.nullcontext()
        if not libraries:
            libraries.append(_by_device_lists())
        dtype = dtype or torch.get_autocast_dtype("cuda")
        # not `original`: below a mode of torch functions it would come back here, for the CPU
        region = torch.autocast("cpu", dtype, enabled, cache)
        region.__enter__()  # type: ignore[no-untyped-call]
        return region

    functools.update_wrapper(enter, original)
    try:
        with replace_private(_ENTER, enter):
            yield
    finally:
        for library in libraries:
            library._destroy()


def replace_autocast(module: torch.fx.GraphModule) -> None:
    """Have Dynamo's graph enter autocast as `torch.amp` says now. Call it in `autocast_on_device`."""
    for node in module.graph.nodes:
        if getattr(node.target, "__name__", "") == "_enter_autocast":
            node.target = torch.amp._enter_autocast  # type: ignore[attr-defined]


@functools.cache
def operations(policy: str) -> tuple[str, ...]:
    """Return names such as "mm" or "sum.dim_IntList" of one list, such as "LOWER_PRECISION_FP"."""
    header = Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h"
    try:
        text = header.read_text("utf-8")
    except OSError:
        return ()
    match = re.search(_LIST.format(policy), text, re.DOTALL)
    names = _NAME.findall(match[1]) if match else []
    return tuple(f"{name}.{overload}" if overload else name for name, overload in names)


def _by_device_lists() -> Any:
    """Register kernels of the device's lists at the CPU's key; the other operations stay uncast."""
    library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    policies: dict[str, Callable[..., Any]] = {
        "LOWER_PRECISION_FP": _lower,
        "FP32": _full,
        "FP32_SET_OPT_DTYPE": _full_result,
        "PROMOTE": _promote,
    }
    done: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that a kernel is replaced, as is meant
        for policy, cast in policies.items():
            for name in operations(policy):
                _register(library, name, cast)
                done.add(name)
        for name in _APPEND_DTYPE:
            _register(library, name, _full)
            done.add(name)
        registered = private(_REGISTERED)("AutocastCPU")
        for name in [full_name.removeprefix("aten::") for full_name in registered]:
            if name not in done:
                _register(library, name, _call_unchanged)
    return library


def _register(library: Any, name: str, cast: Callable[..., Any]) -> None:
    packet, _, overload = name.partition(".")
    operation = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
    if operation is None:
        return

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(_KEY)):
            return cast(operation, args, kwargs)

    with contextlib.suppress(RuntimeError):
        library.impl(operation, kernel, "AutocastCPU")


def _cast(values: Any, dtype: torch.dtype) -> Any:
    def one(value: Any) -> Any:
        return value.to(dtype) if _is_eligible(value) and value.dtype != dtype else value

    return map_values(values, one)


def _is_eligible(value: Any) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype != torch.float64
    )


def _lower(operation: Any, args: Any, kwargs: Any) -> Any:
    dtype = torch.get_autocast_dtype("cpu")
    return operation(*_cast(args, dtype), **_cast(kwargs, dtype))


def _full(operation: Any, args: Any, kwargs: Any) -> Any:
    return operation(*_cast(args, torch.float32), **_cast(kwargs, torch.float32))


def _full_result(operation: Any, args: Any, kwargs: Any) -> Any:
    if args and _is_eligible(args[0]) and kwargs.get("dtype") is None:
        places = [argument.name for argument in operation._schema.arguments]
        at = places.index("dtype")
        if at >= len(args):
            kwargs = {**kwargs, "dtype": torch.float32}
        elif args[at] is None:
            args = (*args[:at], torch.float32, *args[at + 1 :])
    return operation(*args, **kwargs)


def _promote(operation: Any, args: Any, kwargs: Any) -> Any:
    given: list[torch.dtype] = []
    map_values((args, kwargs), lambda v: given.append(v.dtype) if _is_eligible(v) else None)
    dtype = torch.get_autocast_dtype("cpu")
    if torch.float32 in given:
        dtype = torch.float32
    return operation(*_cast(args, dtype), **_cast(kwargs, dtype))


def _call_unchanged(operation: Any, args: Any, kwargs: Any) -> Any:
    return operation(*args, **kwargs)
