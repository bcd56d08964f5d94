"""A kernel's launch as plain values: recorded when the interpreter runs it, read when it is compiled.

A tensor is described by dtype and shape, any other argument by its value if that is a plain one.
"""

import inspect
import json
import math
from collections.abc import Callable
from typing import Any

from tutor.judge.processes.wire import escape_surrogates
from tutor.judge.processes.worker_messages.kernel_report import KernelLaunch, LaunchArgument
from tutor.xray.model.input_specs import Arguments, DescriptorSpec, TensorSpec
from tutor.xray.triton_kernels.recorded_launches import to_spec
from tutor.xray.triton_kernels.specialization import OPTIONS

_LONGEST = 1_000  # characters of a text argument
_DEEPEST = 4  # levels of nested tuples
_BITS = 62  # of an integer: a message cannot carry longer ones


def record_launch(
    fn: Any, constexprs: list[str], args: tuple[Any, ...], named: dict[str, Any], line: int | None
) -> KernelLaunch:
    """Record the launch of `fn` from `line` of the learner's file. `constexprs` are the parameters that
    a compilation fixes."""
    names = inspect.getfullargspec(fn).args
    given = dict(zip(names, args, strict=False)) | named
    by_name = {
        name: _describe(value) for name, value in given.items() if name in names or name in OPTIONS
    }
    kinds = [
        [
            name,
            _full_key(argument)
            if name in constexprs or name not in names
            else _specialization_key(argument),
        ]
        for name, argument in sorted(by_name.items())
    ]
    return KernelLaunch(
        kernel=escape_surrogates(fn.__name__[:_LONGEST]),
        file=escape_surrogates(fn.__code__.co_filename[:_LONGEST]),
        defined=fn.__code__.co_firstlineno,
        line=line,
        args=by_name,
        variant=", ".join(
            f"{name}={argument.value}"
            for name, argument in by_name.items()
            if argument.kind == "value" and (name in constexprs or name not in names)
        )[:_LONGEST],
        elements=sum(_elements(argument) for argument in by_name.values()),
        key=json.dumps([fn.__name__, fn.__code__.co_filename, fn.__code__.co_firstlineno, kinds]),
    )


def restore_arguments(launch: KernelLaunch, function: Callable[[str], Any]) -> Arguments:
    """Return the arguments of a recorded launch in the form that `specialization.source_of` takes.
    `function` finds a kernel by name.

    Raises `ValueError` with one clause for an argument of a type that has no plain value.
    """
    return Arguments(
        (), {name: _restore(argument, function) for name, argument in launch.args.items()}
    )


def _describe(value: Any, depth: int = 0) -> LaunchArgument:
    import triton.language as tl

    value = value.value if isinstance(value, tl.constexpr) else value
    spec = to_spec(value)
    if isinstance(spec, TensorSpec):
        return LaunchArgument("tensor", spec.dtype, tuple(spec.shape))
    base = to_spec(getattr(value, "base", None))
    if isinstance(base, TensorSpec) and hasattr(value, "block_shape"):
        block = tuple(int(n) for n in value.block_shape)
        return LaunchArgument("descriptor", base.dtype, block)
    if value is None or type(value) in (bool, float):
        return LaunchArgument("value", value=value)
    if type(value) is int and value.bit_length() <= _BITS:
        return LaunchArgument("value", value=value)
    if type(value) is str:
        return LaunchArgument("value", value=escape_surrogates(value[:_LONGEST]))
    if isinstance(value, tl.dtype):
        return LaunchArgument("dtype", value.name)
    if isinstance(value, tuple) and depth < _DEEPEST:
        return LaunchArgument("items", items=tuple(_describe(item, depth + 1) for item in value))
    if type(value).__module__.startswith("triton.runtime") and hasattr(value, "fn"):
        return LaunchArgument("kernel", str(value.fn.__name__))
    return LaunchArgument("unknown", escape_surrogates(type(value).__name__[:_LONGEST]))


def _full_key(argument: LaunchArgument) -> list[Any]:
    items = [_full_key(item) for item in argument.items]
    return [argument.kind, argument.name, argument.shape, repr(argument.value), items]


def _specialization_key(argument: LaunchArgument) -> Any:
    """Return the properties that a launch is specialized for, without sizes."""
    if argument.kind == "items":
        return [_specialization_key(item) for item in argument.items]
    if argument.kind == "tensor":
        return argument.name
    return _full_key(argument) if argument.value is None else type(argument.value).__name__


def _elements(argument: LaunchArgument) -> int:
    return math.prod(argument.shape) if argument.kind == "tensor" else 0


def _restore(argument: LaunchArgument, function: Callable[[str], Any]) -> Any:
    import triton.language as tl

    match argument.kind:
        case "tensor":
            return TensorSpec(argument.name, argument.shape)
        case "descriptor":
            return DescriptorSpec(argument.name, argument.shape)
        case "dtype":
            return tl.dtype(argument.name)
        case "items":
            return tuple(_restore(item, function) for item in argument.items)
        case "kernel":
            return function(argument.name)
        case "unknown":
            raise ValueError(f"an argument of type {argument.name} is known only on a GPU")
        case "value":
            return argument.value
