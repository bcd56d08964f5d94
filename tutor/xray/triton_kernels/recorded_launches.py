"""The Triton kernels that an ordinary function launches. Its call notes each launch and runs none."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.fake_gpu import private
from tutor.xray.fake_gpu.host_answers import noting_refusals
from tutor.xray.fake_gpu.launch_recorder import MOST, RecordedLaunch, record_launches
from tutor.xray.fake_gpu.pretended_device import device_of
from tutor.xray.fake_gpu.pretended_driver import driver_of
from tutor.xray.model.input_specs import DTYPES, Arguments, DescriptorSpec, TensorSpec, map_tensors
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.triton_kernels import specialization
from tutor.xray.triton_kernels.compiler import unwrap

# Operations without work on the device: allocation and views.
_NO_WORK = frozenset(
    (
        "empty",
        "empty_like",
        "empty_permuted",
        "empty_strided",
        "_reinterpret_tensor",  # a view, in files that Inductor wrote
        "new_empty",
        "new_empty_strided",
        "detach",
        "alias",
        "resize_",
        "_unsafe_view",
        "record_stream",
        "lift_fresh",
        "_local_scalar_dense",
    )
)


# Fills and copies: work on the device, but no reason to ask torch.compile for kernels of its own.
_FILLS = frozenset(
    (
        "zeros",
        "zeros_like",
        "new_zeros",
        "ones",
        "ones_like",
        "full",
        "full_like",
        "zero_",
        "fill_",
        "clone",
        "copy_",
        "_to_copy",
        "arange",
    )
)


_OF_TORCH = ("aten", "prims", "_native")  # of these torch has functions in Python for the GPU too


@dataclass(frozen=True)
class Launched:
    """The kernels that one call of a function launches, and the operations of PyTorch in it."""

    kernels: list[KernelSource]
    operations: tuple[str, ...]  # such as "relu", each once; without fills and views
    error: Exception | None = None  # that ended the call after its first launch
    places: tuple[tuple[str, int, str], ...] = ()  # path and line of a launch, name of its kernel
    has_backward: bool = False
    fills: tuple[str, ...] = ()  # such as "zeros_like", each once
    refused: str = ""  # what it asked that only a GPU knows, if it went on without an answer


def kernels_of(
    subject: Callable[..., Any], arguments: Arguments, target: Target, backward: bool = False
) -> Launched:
    """Call `subject` for what it launches: each specialization of each kernel once.

    With `backward`, floating-point inputs need gradients, and the backward pass of the results runs
    too, where there is one. Tensors are made on the CPU and hold zeros, so values that the function
    reads mean nothing. Raises what the function raises before it launches anything, and `UsageError`
    for arguments no kernel takes.
    """
    ended: Exception | None = None
    seen: list[RecordedLaunch] = []
    operations: dict[str, None] = {}
    fills: dict[str, None] = {}
    made = functools.partial(map_tensors, functools.partial(_tensor_for, backward=backward))
    positional = [made(value) for value in arguments.positional]
    named = {name: made(value) for name, value in arguments.named.items()}
    called = None  # how many launches the forward pass made
    plain = private("torch._library.triton.set_wrap_triton_enabled")(False)
    recording = record_launches(seen), _watch(operations, fills)
    refused = ""
    with (
        driver_of(target),
        device_of(target),
        plain,
        recording[0],
        recording[1],
        noting_refusals() as refusals,
    ):
        try:
            result = getattr(subject, "_torchdynamo_orig_callable", subject)(*positional, **named)
            if backward and (ends := _find_differentiable(result)):
                called = len(seen)
                before = dict(fills)
                gradients = _make_gradients(ends)
                fills.clear()  # those of the gradients are none of the function's
                fills.update(before)
                _run_backward(ends, gradients)
        except Exception as error:  # many compare a result, which is not here
            if not seen:
                raise
            ended = error
        refused = str(refusals[0]) if refusals and ended is None else ""
    with driver_of(target), device_of(target):  # heuristics and prunings may ask for the GPU
        kernels, places = _specialize_launches(seen, called)
    return Launched(
        kernels,
        tuple(operations),
        ended,
        tuple(dict.fromkeys(places)),
        called is not None,
        tuple(fills),
        refused,
    )


def _specialize_launches(
    seen: list[RecordedLaunch], called: int | None
) -> tuple[list[KernelSource], list[tuple[str, int, str]]]:
    """Return each specialization once, and of each launch its path, line and kernel's name."""
    by_key: dict[Any, KernelSource] = {}
    keys = []
    for number, launch in enumerate(seen):
        source = specialization.specialize_kernel(
            launch.kernel,
            Arguments(
                tuple(to_spec(value) for value in launch.args),
                {name: to_spec(value) for name, value in launch.keywords.items()},
            ),
        )
        source = replace(source, launch=launch)
        if called is not None and number >= called:
            source = replace(source, notes=("Launched by the backward pass.", *source.notes))
        keys.append(_key(source))
        by_key.setdefault(keys[-1], source)
    times = Counter(keys)
    for key, source in by_key.items():
        if times[key] > 1:
            least = "at least " if len(seen) == MOST else ""
            note = f"Launched {least}{times[key]} times in this call."
            by_key[key] = replace(source, notes=(*source.notes, note))
    kernels = _number_specializations(list(by_key.values()))
    names = dict(zip(by_key, (kernel.name for kernel in kernels), strict=True))
    return kernels, [(one.path, one.line, names[key]) for one, key in zip(seen, keys, strict=True)]


def specialize_on(kernel: Any, arguments: Arguments, target: Target) -> KernelSource:
    """Specialize a kernel whose heuristics and prunings may ask for the GPU."""
    if not unwrap(kernel)[1]:
        return specialization.specialize_kernel(kernel, arguments)
    with driver_of(target), device_of(target):
        return specialization.specialize_kernel(kernel, arguments)


def _find_differentiable(result: Any) -> list[Any]:
    """Return the tensors in a result that have a backward pass."""
    import torch
    from torch.utils import _pytree

    leaves = _pytree.tree_leaves(result)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.grad_fn is not None]


def _make_gradients(ends: list[Any]) -> list[Any]:
    import torch

    return [torch.ones_like(end) for end in ends]


def _run_backward(ends: list[Any], gradients: list[Any]) -> None:
    import torch

    torch.autograd.backward(ends, gradients)


def _key(source: KernelSource) -> Any:
    return (
        _identify(source),
        source.signature,
        repr(source.constexprs),
        source.divisible,
        source.options,
    )


def _identify(source: KernelSource) -> Any:
    """Return what two kernels of one name and text share only if they are one: code, and what it
    closes over."""
    function: Any = source.function.fn
    cells = getattr(function, "__closure__", None) or ()
    return function.__code__, tuple(id(cell.cell_contents) for cell in cells)


def _number_specializations(sources: list[KernelSource]) -> list[KernelSource]:
    """Give the further specializations of a kernel names such as add_kernel@2, and a note."""
    alike: dict[str, list[KernelSource]] = {}
    numbered = []
    for source in sources:
        before = alike.setdefault(source.name, [])
        before.append(source)
        if len(before) > 1:
            own = [other for other in before[:-1] if _identify(other) == _identify(source)]
            note = _note_again(own[0], source) if own else "Another kernel of the same name."
            name = f"{source.name}@{len(before)}"
            source = replace(source, name=name, entry=source.name, notes=(note, *source.notes))
        numbered.append(source)
    return numbered


def _note_again(first: KernelSource, source: KernelSource) -> str:
    """Return in which arguments a further specialization is another than the first."""
    told = [f"{name}={value}" for name, value in source.constexprs]
    kinds = dict(first.signature)
    told += [
        f"{name} of type {kind}"
        for name, kind in source.signature
        if "constexpr" not in (kind, kinds[name]) and kind != kinds[name]
    ]
    changed = set(first.divisible) ^ set(source.divisible)
    told += [
        f"{name} {'a' if name in source.divisible else 'no'} multiple of 16"
        for name, kind in source.signature
        if name in changed and "constexpr" not in (kind, kinds[name])
    ]
    return f"Compiled again for other arguments of the same call: {', '.join(told)}."


def _watch(operations: dict[str, None], fills: dict[str, None]) -> Any:
    """Return a mode that adds the names of PyTorch's operations that do work on the device.

    Fills and copies go to `fills`, all others to `operations`.
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    gpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)

    class OperationWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            """Return False: PyTorch would import Dynamo, which would learn the pretended functions."""
            return False

        def __torch_dispatch__(
            self, function: Any, kinds: Any, args: Any = (), named: Any = None
        ) -> Any:
            name = str(function.overloadpacket.__name__)
            if name == "copy_" and _keeps_gradient(*args[:2]):
                pass  # a gradient that only the record of its launch holds too is taken, not copied
            elif name in _FILLS:
                fills[name] = None
            elif name not in _NO_WORK and not function.is_view:
                operations[name] = None
            if _has_gpu_function(function):  # the tensors are the CPU's, and the GPU is pretended
                return function.redispatch(gpu, *args, **(named or {}))
            return function(*args, **(named or {}))

    return OperationWatch()  # type: ignore[no-untyped-call]


def _keeps_gradient(kept: Any, gradient: Any) -> bool:
    """Return True while autograd puts a gradient into a leaf whose layout it has."""
    node = private("torch._C._current_autograd_node")()
    return type(node).__name__ == "AccumulateGrad" and kept.stride() == gradient.stride()


def _has_gpu_function(operator: Any) -> bool:
    """Return True if the operator is the learner's, with a function in Python for the GPU.

    So it is of `torch.library.impl(…, "CUDA")` and of `custom_op` with `device_types="cuda"`.
    """
    if operator.namespace in _OF_TORCH:
        return False
    name = str(operator.name()).replace("::", "/")
    return f"{name.removesuffix('.default')}/CUDA" in private("torch.library._impls")


def _tensor_for(spec: TensorSpec, backward: bool) -> Any:
    tensor = _zeros_for(spec)
    return tensor.requires_grad_() if backward and tensor.is_floating_point() else tensor


def _zeros_for(value: TensorSpec) -> Any:
    import torch

    # zeros: the pages are not touched until they are read, and an index is one that exists
    dtype = getattr(torch, value.torch_name)
    if value.strides:
        return torch.empty_strided(value.shape, value.strides, dtype=dtype).zero_()
    return torch.zeros(value.shape, dtype=dtype)


def to_spec(value: Any) -> Any:
    """Return a tensor as `TensorSpec`, a host descriptor as `DescriptorSpec`, a tuple with its
    members so, the rest unchanged."""
    if isinstance(value, tuple):
        members = map(to_spec, value)
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    dtype = str(getattr(value, "dtype", "")).removeprefix("torch.")
    for name, (torch_name, _, _) in DTYPES.items():
        if dtype == torch_name and hasattr(value, "data_ptr"):
            return TensorSpec(name, tuple(value.shape), aligned=value.data_ptr() % 16 == 0)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        base = to_spec(value.base)
        if isinstance(base, TensorSpec):
            return DescriptorSpec(base.dtype, tuple(int(size) for size in value.block_shape))
    return value
