"""The call of a learner's function that one of NVIDIA's tools watches."""

from pathlib import Path

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import Exercise
from tutor.hardware import presence
from tutor.judge.device_tools.device_call import DeviceCall


def make_gpu_call(
    exercise: Exercise, source: str, path: Path, seed: int | None, tool: str, otherwise: str
) -> DeviceCall:
    """Return the call, once there is a kernel and a GPU.

    `tool`: its name; `otherwise`: what serves without a GPU, after "without one".

    Raises `CannotHere` without a GPU, `UsageError` for an exercise without a kernel.
    """
    if exercise.kind != "kernel":
        raise UsageError(f"{exercise.slug} is no kernel, and {tool} watches kernels")
    if not presence.has_nvidia():
        raise CannotHere(
            f"{tool} needs an NVIDIA GPU, and this machine shows none; without one {otherwise}"
        )
    return DeviceCall(source, str(path), exercise.entry, str(exercise.reference), seed or 0)
