"""A learner's own `@triton.jit` kernel with its inputs, as `KernelSource`.

Arguments are specialized as a launch does it (triton.runtime.jit): an integer becomes i32 or i64,
one that is 1 a constant, a multiple of 16 is known as such, a tensor's address is a multiple of 16.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tutor.base.errors import UsageError
from tutor.xray.model.input_specs import Arguments, DescriptorSpec, TensorSpec
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.triton_kernels.compiler import unwrap

_SWITCHES = ("launch_pdl", "launch_cooperative_grid", "enable_fp_fusion", "sanitize_overflow")
OPTIONS = (
    "num_warps",
    "num_stages",
    "num_ctas",
    "maxnreg",
    "waves_per_eu",
    "matrix_instr_nonkdim",
    "kpack",
    *_SWITCHES,
)
_2_GIB = 1 << 31


def specialize_kernel(value: Any, arguments: Arguments) -> KernelSource:
    """The kernel `value`, specialized for `arguments`. Raises `UsageError` with one sentence."""
    function, around = unwrap(value)
    given = _bind_arguments(function, arguments)
    own = {parameter.name for parameter in function.params}  # a parameter may be named num_stages
    options = {name: given.pop(name) for name in OPTIONS if name in given and name not in own}
    notes = [*_tune(around, own, given, options), *_hook_notes(function, around)]
    signature: list[tuple[str, Any]] = []
    known = _Known()
    for parameter in function.params:
        name = parameter.name
        if name not in given and not parameter.has_default:
            raise UsageError(_missing_value(function, name))
        given.setdefault(name, parameter.default)
        signature.append((name, known.add(function, parameter, name, given[name])))
    text, lines = _text(function)
    if known.divisible:
        notes.append(f"Known to be multiples of 16: {', '.join(known.divisible)}.")
    return KernelSource(
        name=function.fn.__name__,
        text=text,
        signature=tuple(signature),
        constexprs=tuple(known.constants.items()),
        divisible=tuple(known.divisible),
        small=tuple(known.small),
        options=tuple(options.items()),
        function=function,
        lines=lines,
        notes=tuple(notes),
        elements=tuple(known.elements.items()),
        configurations=max((len(getattr(one, "configs", None) or ()) for one in around), default=1),
    )


@dataclass
class _Known:
    """What the compiler knows of the arguments. A member of a tuple is named as in `pair[0]`."""

    constants: dict[str, Any] = field(default_factory=dict)
    divisible: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    elements: dict[str, int] = field(default_factory=dict)

    def add(self, function: Any, parameter: Any, name: str, value: Any) -> Any:
        """Return the argument's type, of a tuple that of each member; note what is known of it."""
        if isinstance(value, tuple) and not parameter.is_constexpr:
            kinds = [
                self.add(function, parameter, f"{name}[{place}]", member)
                for place, member in enumerate(value)
            ]
            return type(value)(*kinds) if hasattr(value, "_fields") else tuple(kinds)
        kind = _type(function, parameter, name, value)
        if kind == "constexpr":
            self.constants[name] = value
        elif isinstance(value, TensorSpec):
            if value.aligned:
                self.divisible.append(name)
            self.elements[name] = value.elements
            if value.bytes < _2_GIB:
                self.small.append(name)
        elif _is_specialized(parameter) and type(value) is int and value % 16 == 0:
            self.divisible.append(name)
        return kind


def _bind_arguments(function: Any, arguments: Arguments) -> dict[str, Any]:
    """The inputs by parameter."""
    names = [parameter.name for parameter in function.params]
    if len(arguments.positional) > len(names):
        raise UsageError(
            f"{function.fn.__name__} has {len(names)} parameters ({', '.join(names)}), "
            f"and {len(arguments.positional)} inputs are given"
        )
    given = dict(zip(names, arguments.positional, strict=False))
    for name, value in arguments.named.items():
        if name in given:
            raise UsageError(f"{name} is given by place and by name")
        if name not in names and name not in OPTIONS:
            raise UsageError(
                f"{function.fn.__name__} has no parameter {name}; it has {', '.join(names)}"
            )
        if name in OPTIONS and name not in names:
            if name in _SWITCHES and type(value) is not bool:
                raise UsageError(f"{name} is True or False")
            if name not in _SWITCHES and type(value) is not int:
                raise UsageError(f"{name} is a whole number, such as {name}=4")
        given[name] = value
    return given


def _missing_value(function: Any, name: str) -> str:
    names = ", ".join(parameter.name for parameter in function.params)
    return (
        f"{function.fn.__name__} needs a value for {name}: give an input for each of {names}, "
        f"in this order, or by name, such as {name}=16"
    )


def _tune(
    around: tuple[Any, ...], own: set[str], given: dict[str, Any], options: dict[str, Any]
) -> Iterator[str]:
    """Fill in what autotuners and heuristics would; a note for each."""
    for wrapper in around:
        if getattr(wrapper, "configs", None):
            kept, pruned = _prune_configurations(wrapper, given, options)
            _hook(kept[0], given)
            wanted = dict(kept[0].kwargs)
            wanted |= {
                name: getattr(kept[0], name)
                for name in OPTIONS
                if getattr(kept[0], name, None) is not None
            }
            replaced = [name for name in wanted if name in given or name in options]
            for name, value in wanted.items():
                (given if name in own or name in kept[0].kwargs else options).setdefault(
                    name, value
                )
            count = len(wrapper.configs)
            yield _tuning_note(count, pruned, wanted, given | options, replaced)
        elif isinstance(values := getattr(wrapper, "values", None), dict):
            for name, rule in values.items():
                try:
                    given.setdefault(name, rule(_with_tensors(given)))
                except Exception as error:
                    raise UsageError(
                        f"the heuristic for {name} raised {type(error).__name__}; "
                        f"give it as an input, {name}=…"
                    ) from None


def _prune_configurations(
    wrapper: Any, given: dict[str, Any], options: dict[str, Any]
) -> tuple[list[Any], str]:
    """Return the configurations that the autotuner would try, and words on those that it would not.

    Its `early_config_prune` and its `perf_model` are asked; the words say it where one raised.
    """
    kept = list(wrapper.configs)
    values = _with_tensors(given)
    words = ""
    if prune := getattr(wrapper, "early_config_prune", None):
        try:
            kept = list(prune(wrapper.configs, dict(values), **values, **options)) or kept
            if len(kept) < len(wrapper.configs):
                words = f", of which early_config_prune leaves {len(kept)},"
        except Exception:  # it may ask for more of a tensor than its shape
            return kept, " (what early_config_prune leaves out is not known here)"
    if model := getattr(wrapper, "perf_model", None):
        most = getattr(wrapper, "configs_top_k", 1.0)
        most = int(len(wrapper.configs) * most) if isinstance(most, float) else most
        try:
            if len(kept) > most:
                times = [model(**{**values, **options, **one.all_kwargs()}) for one in kept]
                order = sorted(range(len(kept)), key=times.__getitem__)
                kept = [kept[place] for place in order[:most]]
                words += f" of which perf_model leaves {most}," if words else ""
                words = words or f", of which perf_model leaves {most},"
        except Exception:  # it may ask the GPU's clock
            words += " (what perf_model leaves out is not known here)"
    return kept, words


def _with_tensors(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with tensors without values, which rules ask for dtypes and sizes."""
    import torch

    return {
        name: torch.empty(value.shape, dtype=getattr(torch, value.torch_name), device="meta")
        if isinstance(value, TensorSpec)
        else value
        for name, value in given.items()
    }


def _hook(configuration: Any, given: dict[str, Any]) -> None:
    """Run the configuration's `pre_hook`, which may set the blocks of host descriptors."""
    hook = getattr(configuration, "pre_hook", None)
    if hook is None:
        return
    arguments = {**given, **configuration.kwargs}
    blocks = {
        name: _descriptor(value)
        for name, value in given.items()
        if isinstance(value, DescriptorSpec)
    }
    with contextlib.suppress(Exception):  # it may write into tensors, which are not here
        hook({**arguments, **blocks})
    for name, block in blocks.items():
        given[name] = replace(given[name], block=tuple(block.block_shape))


def _hook_notes(function: Any, around: tuple[Any, ...]) -> Iterator[str]:
    """Return a note for each thing that Triton does to the arguments before a launch."""
    unseen = "Kernels that it starts are not shown here."
    for hook in getattr(function, "pre_run_hooks", ()):
        yield f"Before each launch Triton calls {_name(hook)} (a pre-run hook). {unseen}"
    for wrapper in around:
        configurations = getattr(wrapper, "configs", None) or ()
        hooks = (getattr(configuration, "pre_hook", None) for configuration in configurations)
        for name in dict.fromkeys(_name(hook) for hook in hooks if hook is not None):
            yield f"Before a launch Triton calls {name} (pre_hook of a Config). {unseen}"
        if len(configurations) < 2:  # of one, nothing is tried
            continue
        if getattr(wrapper, "user_defined_pre_hook", False):
            name = _name(wrapper.pre_hook)
            yield f"Before each trial the autotuner calls {name} (its pre_hook). {unseen}"
        elif filled := getattr(wrapper, "reset_to_zero", None):
            yield (
                f"Before each trial, and after the last, the autotuner fills {', '.join(filled)} "
                "with zeros (reset_to_zero). The kernels of this are not shown here."
            )


def _name(hook: Any) -> str:
    """Return a hook's name for a note."""
    name = getattr(hook, "__name__", type(hook).__name__)
    return "a lambda" if name == "<lambda>" else f"`{name}`"


def _descriptor(spec: DescriptorSpec) -> Any:
    """Return a `TensorDescriptor` with nothing but its block: a hook may ask for its class."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    made = object.__new__(TensorDescriptor)
    made.block_shape = list(spec.block)
    return made


def _tuning_note(
    configurations: int,
    pruned: str,
    wanted: dict[str, Any],
    used: dict[str, Any],
    replaced: list[str],
) -> str:
    shown = ", ".join(f"{name}={used[name]}" for name in wanted)
    of = f"of {configurations} configurations" if configurations > 1 else "the one configuration"
    which = " the first is shown" if configurations > 1 else " is shown"
    given = f"; {', '.join(replaced)} as given" if replaced else ""
    return f"Autotuned: {of}{pruned}{which} ({shown}{given})."


def _is_specialized(parameter: Any) -> bool:
    return not parameter.do_not_specialize


def _type(function: Any, parameter: Any, name: str, value: Any) -> str:
    if parameter.is_constexpr:
        if isinstance(value, TensorSpec):
            raise UsageError(
                f"{name} of {function.fn.__name__} is a tl.constexpr: give it a value, not {value}"
            )
        return "constexpr"
    if value is None or (type(value) is int and value == 1 and _is_specialized(parameter)):
        return "constexpr"
    if parameter.annotation_type and not isinstance(value, TensorSpec):
        return str(parameter.annotation_type)
    if isinstance(value, TensorSpec):
        if value.dtype.startswith("c"):
            raise UsageError(f"{name} of {function.fn.__name__}: Triton has no complex numbers")
        return value.pointer
    if isinstance(value, DescriptorSpec):
        return value.triton_type
    if isinstance(value, bool):
        return "u1"
    if isinstance(value, int):
        if -(1 << 31) <= value < 1 << 31:
            return "i32"
        if -(1 << 63) <= value < 1 << 63:
            return "i64"
        if 0 <= value < 1 << 64:
            return "u64"
        raise UsageError(f"{name} of {function.fn.__name__} does not fit in 64 bits")
    if isinstance(value, float):
        return "fp32"
    raise UsageError(
        f"{name} of {function.fn.__name__} takes a tensor or a number, not {type(value).__name__} "
        "(only a tl.constexpr takes other values)"
    )


def _text(function: Any) -> tuple[str, tuple[int, ...]]:
    """The kernel and the jitted functions of its file that it calls, and their lines in the file."""
    file = function.fn.__code__.co_filename
    parts: dict[int, list[str]] = {}
    waiting = [function]
    while waiting and len(parts) < 64:
        current = waiting.pop()
        start = int(current.starting_line_number)
        if start in parts or current.fn.__code__.co_filename != file:
            continue
        parts[start] = [line.rstrip("\n") for line in current.raw_src]
        names = current.fn.__code__.co_names
        values = [current.fn.__globals__.get(name) for name in names]
        waiting += [callee for callee in values if type(callee) is type(function)]
    text: list[str] = []
    lines: list[int] = []
    for start in sorted(parts):
        if text:
            text.append("")
            lines.append(0)
        text += parts[start]
        lines += range(start, start + len(parts[start]))
    return "\n".join(text) + "\n", tuple(lines)
