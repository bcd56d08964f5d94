"""A kernel's launch as plain values: noted where the interpreter runs it, read where it is compiled.

Tensors are told by dtype and shape, everything else by its value where that can be told.
"""

import inspect
import json
from collections.abc import Callable
from typing import Any

from tutor.judge.processes.wire import Message
from tutor.xray.model.input_specs import Arguments, DescriptorSpec, TensorSpec
from tutor.xray.triton_kernels.recorded_launches import described
from tutor.xray.triton_kernels.specialization import OPTIONS

_LONGEST = 1_000  # characters of a text among the arguments
_DEEPEST = 4  # tuples in tuples


def noted(
    fn: Any, constexprs: list[str], args: tuple[Any, ...], named: dict[str, Any], line: int | None
) -> Message:
    """The launch of `fn` from `line` of the learner's file; `constexprs` are its parameters that a
    compilation fixes, told in `variant`. Launches with one `key` differ in sizes alone."""
    names = inspect.getfullargspec(fn).args
    given = dict(zip(names, args, strict=False)) | named
    told = {name: _told(value) for name, value in given.items() if name in names or name in OPTIONS}
    kinds = [
        [name, each if name in constexprs or name not in names else _kind(each)]
        for name, each in sorted(told.items())
    ]
    return {
        "kernel": fn.__name__,
        "defined": fn.__code__.co_firstlineno,
        "line": line,
        "args": told,
        "variant": ", ".join(
            f"{name}={each['value']}"
            for name, each in told.items()
            if "value" in each and (name in constexprs or name not in names)
        )[:_LONGEST],
        "elements": sum(_elements(each) for each in told.values()),
        "key": json.dumps([fn.__name__, fn.__code__.co_firstlineno, kinds]),
    }


def arguments(launch: Message, function: Callable[[str], Any]) -> Arguments:
    """What `noted` told, as `specialization.source_of` takes it; `function` finds a kernel by name.

    Raises `ValueError` with one clause where an argument could not be told.
    """
    return Arguments((), {name: _read(each, function) for name, each in launch["args"].items()})


def _told(value: Any, depth: int = 0) -> Message:
    import triton.language as tl

    value = value.value if isinstance(value, tl.constexpr) else value
    spec = described(value)
    if isinstance(spec, TensorSpec):
        return {"tensor": spec.dtype, "shape": list(spec.shape)}
    base = described(getattr(value, "base", None))
    if isinstance(base, TensorSpec) and hasattr(value, "block_shape"):
        return {"descriptor": base.dtype, "block": [int(n) for n in value.block_shape]}
    if value is None or type(value) in (bool, int, float):
        return {"value": value}
    if type(value) is str:
        return {"value": value[:_LONGEST]}
    if isinstance(value, tl.dtype):
        return {"dtype": value.name}
    if isinstance(value, tuple) and depth < _DEEPEST:
        return {"items": [_told(each, depth + 1) for each in value]}
    if type(value).__module__.startswith("triton.runtime") and hasattr(value, "fn"):
        return {"function": str(value.fn.__name__)}
    return {"unknown": type(value).__name__[:_LONGEST]}


def _kind(told: Message) -> Any:
    """What a launch is specialized for, sizes left out."""
    if "items" in told:
        return [_kind(each) for each in told["items"]]
    value = told.get("value")
    return told.get("tensor") or told if value is None else type(value).__name__


def _elements(told: Message) -> int:
    count = 1 if "shape" in told else 0
    for length in told.get("shape", ()):
        count *= length
    return count


def _read(told: Message, function: Callable[[str], Any]) -> Any:
    import triton.language as tl

    if "tensor" in told:
        return TensorSpec(told["tensor"], tuple(told["shape"]))
    if "descriptor" in told:
        return DescriptorSpec(told["descriptor"], tuple(told["block"]))
    if "dtype" in told:
        return tl.dtype(told["dtype"])
    if "items" in told:
        return tuple(_read(each, function) for each in told["items"])
    if "function" in told:
        return function(told["function"])
    if "unknown" in told:
        raise ValueError(f"an argument of type {told['unknown']} is known only on a GPU")
    return told["value"]
