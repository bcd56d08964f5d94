"""A recorded launch of a kernel, repeated and timed on this machine's GPU, with a pass left out or not.

The part of Triton that it uses besides public names: `runtime.jit.JITFunction.run`, through which
`kernel[grid](…)` goes. Read in 3.6 and 3.7.
"""

from __future__ import annotations

from typing import Any

from tutor.hardware import presence
from tutor.hardware.gpu_lock import hold_gpu
from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu.launch_recorder import RecordedLaunch
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import LaunchTime
from tutor.xray.triton_kernels.compiler import NotePass, asking_of_passes, define_function

WARMUP_MS, REPEAT_MS = 10, 50  # of a kernel's launches
QUARTERS = (0.5, 0.25, 0.75)  # the median, and the middle half
_US = 1e3  # microseconds of a millisecond
_MOST_REASON = 200  # characters
NO_LAUNCH = (
    "no launch of it is known: look at a function that launches the kernel, not at the kernel alone"
)


def may_time() -> bool:
    """Return True if this machine may have a GPU. Does not touch it."""
    return presence.has_nvidia() or presence.has_amd()


def time_launch(kernel: KernelSource, target: Target, note: NotePass) -> LaunchTime | str:
    """Compile the kernel, asking `note` of each pass, and time its recorded launch on the GPU.

    Tensors hold drawn numbers if they are of floating point, else zeros; the shapes, strides and other
    arguments are those of the launch. Returns why there is no time where there is none: "" without
    the target's GPU, `NO_LAUNCH` for a kernel whose launch was not recorded.

    To be called in a process that is thrown away: a kernel without one of its passes may leave the
    GPU's context unusable, and a process that was forked from one that used the GPU has none.
    """
    import torch
    from triton.testing import do_bench

    from tutor.xray.fake_gpu import fake_gpu

    if kernel.launch is None:
        return NO_LAUNCH
    try:
        if not fake_gpu.is_real(target):
            return ""
        function = kernel.function or define_function(kernel)
        arguments = _bind(kernel, function, kernel.launch)

        def launch() -> None:
            function.run(grid=kernel.launch.grid, warmup=False, **arguments)

        with asking_of_passes(note):
            launch()
            torch.cuda.synchronize()
            with hold_gpu():
                times = do_bench(launch, warmup=WARMUP_MS, rep=REPEAT_MS, quantiles=list(QUARTERS))
    except Exception as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        return f"{type(error).__name__}: {said[:_MOST_REASON]}"
    return LaunchTime(*(time * _US for time in times))


def _bind(kernel: KernelSource, function: Any, launch: RecordedLaunch) -> dict[str, Any]:
    """Return the arguments of the launch by name, on the GPU, with the constants and options that the
    kernel was specialized for."""
    names = [parameter.name for parameter in function.params]
    given = {**dict(zip(names, launch.args, strict=False)), **launch.keywords}
    moved: dict[int, Any] = {}
    values = {name: _move(value, moved) for name, value in given.items()}
    constants = {name: value for name, value in kernel.constexprs if name in names}
    return {**values, **constants, **dict(kernel.options)}


def _move(value: Any, moved: dict[int, Any]) -> Any:
    """Return the argument for the GPU. `moved` holds the memory of tensors by its address on the host,
    so that two that share it do so again."""
    import torch

    if isinstance(value, tuple):
        members = [_move(member, moved) for member in value]
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        if storage.data_ptr() not in moved:
            count = storage.nbytes() // value.element_size()
            moved[storage.data_ptr()] = _draw(count, value.dtype)
        memory = moved[storage.data_ptr()]
        if memory.dtype != value.dtype:
            memory = memory.view(value.dtype)
        return memory.as_strided(value.shape, value.stride(), value.storage_offset())
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        base = _move(value.base, moved)
        return type(value)(base, value.shape, value.strides, value.block_shape)
    return value


def _draw(count: int, dtype: Any) -> Any:
    import torch

    if dtype.is_floating_point:
        return torch.randn(count, device="cuda").to(dtype)
    return torch.zeros(count, dtype=dtype, device="cuda")
