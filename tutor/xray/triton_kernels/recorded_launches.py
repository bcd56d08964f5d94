"""The Triton kernels that an ordinary function launches. Its call notes each launch and runs none.

The part of Triton that it uses: `runtime.jit.KernelInterface.__getitem__`, through which
`kernel[grid](…)` goes for kernels, autotuners and heuristics alike. Read in 3.6 and 3.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tutor.xray.model.input_specs import DTYPES, Arguments, TensorSpec
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.triton_kernels import specialization

MOST = 64  # launches of one call that are looked at


def kernels_of(subject: Callable[..., Any], arguments: Arguments) -> list[KernelSource]:
    """Return the kernels one call of `subject` would launch, each once, specialized for its arguments.

    Tensors are made on the CPU and hold zeros, so values that the function reads mean nothing.
    Raises what the function raises, and `UsageError` for arguments no kernel takes.
    """
    seen: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
    positional = [_tensor_for(value) for value in arguments.positional]
    named = {name: _tensor_for(value) for name, value in arguments.named.items()}
    with _record_launches(seen):
        subject(*positional, **named)
    found: dict[str, KernelSource] = {}
    for kernel, args, keywords in seen:
        source = specialization.source_of(
            kernel,
            Arguments(
                tuple(described(value) for value in args),
                {name: described(value) for name, value in keywords.items()},
            ),
        )
        found.setdefault(source.name, source)
    return list(found.values())


@contextmanager
def _record_launches(seen: list[tuple[Any, tuple[Any, ...], dict[str, Any]]]) -> Iterator[None]:
    """Add each launch to `seen` instead of running it."""
    from triton.runtime.jit import KernelInterface

    launch = KernelInterface.__getitem__

    def note(kernel: Any, grid: Any) -> Callable[..., None]:
        def record(*args: Any, **keywords: Any) -> None:
            if len(seen) < MOST:
                seen.append((kernel, args, keywords))

        return record

    KernelInterface.__getitem__ = note
    try:
        yield
    finally:
        KernelInterface.__getitem__ = launch


def _tensor_for(value: Any) -> Any:
    if not isinstance(value, TensorSpec):
        return value
    import torch

    # zeros: the pages are not touched until they are read, and an index is one that exists
    return torch.zeros(value.shape, dtype=getattr(torch, value.torch_name))


def described(value: Any) -> Any:
    """Return a tensor as `TensorSpec`, and everything else unchanged."""
    dtype = str(getattr(value, "dtype", "")).removeprefix("torch.")
    for name, (torch_name, _, _) in DTYPES.items():
        if dtype == torch_name and hasattr(value, "data_ptr"):
            return TensorSpec(name, tuple(value.shape))
    return value
