"""The arguments of a call: tensors from what `--input` says, on the CPU or on the real device."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn import Module

from tutor.xray.fake_gpu.fake_gpu import private
from tutor.xray.model.input_specs import TensorSpec, map_tensors
from tutor.xray.model.stages import Device

_MOST_BYTES = 256 << 20  # of real values, all inputs together; above it tensors have no memory
_SEED = 0


@dataclass(frozen=True)
class Call:
    """A callable and the arguments of its call."""

    subject: Callable[..., Any]
    args: tuple[Any, ...]
    named: dict[str, Any]
    symbols: dict[str, int] = field(default_factory=dict)  # Dynamo's name of a size -> its number


def make_tensors(call: Call, grad: bool, device: Device, stack: ExitStack) -> Call:
    """The call with tensors in the place of `TensorSpec`s.

    They hold normal values where floating, 0 and 1 where integers (which may be indices), always the
    same. Above 256 MiB in all they have no values, and off the device no memory either: `stack` then
    holds the mode that makes them fake. On a real device all is there, the module copied. With
    `grad`, floating-point tensors need gradients.
    """
    specs: list[TensorSpec] = []
    map_tensors(specs.append, [*call.args, *call.named.values()])
    place = torch.device("cuda" if device == "real" else "cpu")
    mark_dynamic = private("torch._dynamo.mark_dynamic")
    large = sum(spec.bytes for spec in specs) > _MOST_BYTES
    if large and device == "pretend":
        mode = private("torch._subclasses.fake_tensor.FakeTensorMode")(allow_non_fake_inputs=True)
        stack.enter_context(mode)
    random = torch.Generator().manual_seed(_SEED)

    def value(argument: Any) -> Any:
        if type(argument) in (tuple, list):
            return type(argument)(map(value, argument))
        symbols: tuple[int, ...] = ()
        if isinstance(argument, TensorSpec):
            spec = argument
            argument = _tensor(spec, random, place if large else None)
            symbols = spec.symbols
        if isinstance(argument, torch.Tensor):
            argument = argument.detach().to(place)
            if grad and argument.is_floating_point():
                argument.requires_grad_()
            for dimension in symbols:
                mark_dynamic(argument, dimension)
        return argument

    subject = call.subject
    if isinstance(subject, Module) and device == "real":
        subject = copy.deepcopy(subject).to(place)
    named = {name: value(argument) for name, argument in call.named.items()}
    return Call(subject, tuple(map(value, call.args)), named, _number_symbols(call))


def _number_symbols(call: Call) -> dict[str, int]:
    """Return the number that each size which is a symbol has in the inputs, by Dynamo's name of it."""
    forward = call.subject.forward if isinstance(call.subject, Module) else call.subject
    try:
        bound = inspect.signature(forward).bind(*call.args, **call.named)
    except (TypeError, ValueError):  # of a builtin, say: torch's own names remain
        return {}
    found: dict[str, int] = {}

    def add(place: str, value: Any) -> None:
        if isinstance(value, TensorSpec):
            for dimension, number in zip(value.symbols, value.numbers, strict=True):
                found[f"{place}.size()[{dimension}]"] = number
        elif type(value) in (tuple, list):
            for index, member in enumerate(value):
                add(f"{place}[{index}]", member)

    for name, value in bound.arguments.items():
        add(f"L[{name!r}]", value)
    for place, value in enumerate(call.args):  # torch's own modules are called through a wrapper
        add(f"L['args'][{place}]", value)
    return found


def _tensor(
    spec: TensorSpec, random: torch.Generator, empty_on: torch.device | None
) -> torch.Tensor:
    dtype: torch.dtype = getattr(torch, spec.torch_name)
    if empty_on is not None:
        if spec.strides:
            return torch.empty_strided(spec.shape, spec.strides, dtype=dtype, device=empty_on)
        return torch.empty(spec.shape, dtype=dtype, device=empty_on)
    if dtype.is_floating_point or dtype.is_complex:
        made = torch.randn(spec.shape, generator=random).to(dtype)
    else:
        made = torch.randint(0, 2, spec.shape, generator=random).to(dtype)
    if not spec.strides:
        return made
    strided = torch.empty_strided(spec.shape, spec.strides, dtype=dtype)
    return strided if 0 in spec.strides else strided.copy_(made)
