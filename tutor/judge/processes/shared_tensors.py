"""Tensors in memory that two processes see: the judge's inputs, with a guard band around each.

Layout of one tensor in its memory file (memfd_create(2)):

    | guard: GUARD bytes | the tensor's extent, gaps filled | guard: GUARD bytes |

The extent runs from the first to the last element that shape and strides reach, so views keep their
strides. Whoever made the file can tell afterwards whether a guard, a gap or an element was written.
"""

import mmap
import os
from collections.abc import Sequence
from typing import Any

import torch

from tutor.judge.processes.worker_messages.records import Argument, Layout

# Bound before a learner's code can replace it.
_copy = torch.Tensor.copy_

GUARD = 4096  # bytes on either side
CANARY = 0xA5  # neither zero nor the bytes of a NaN: 0xA5A5A5A5 is -2.9e-16 as float32

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
    )
}


def view_tensor(layout: Layout, buffer: torch.Tensor) -> torch.Tensor:
    """Return the tensor as a view into `buffer`, a uint8 tensor of the whole file."""
    typed = buffer.view(DTYPES[layout.dtype])
    return typed.as_strided(layout.shape, layout.stride, layout.offset // typed.element_size())


def arguments_within(described: Sequence[Argument], buffer: torch.Tensor) -> tuple[Any, ...]:
    """Return the arguments that a message describes: tensors as views into `buffer`, other values
    unchanged."""
    return tuple(
        view_tensor(arg, buffer) if isinstance(arg, Layout) else arg.value for arg in described
    )


def extent_elements(shape: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """Count the elements from the first to the last one that the view reaches; 0 for an empty tensor."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))


def make_layouts(tensors: list[torch.Tensor]) -> tuple[list[Layout], int]:
    """Return layouts for a file that holds all tensors, and the file's size in bytes."""
    layouts = []
    cursor = 0
    for tensor in tensors:
        size = extent_elements(tuple(tensor.shape), tensor.stride()) * tensor.element_size()
        cursor += GUARD
        layouts.append(
            Layout(
                dtype=str(tensor.dtype).removeprefix("torch."),
                shape=tuple(tensor.shape),
                stride=tuple(tensor.stride()),
                offset=cursor,
                nbytes=size,
            )
        )
        cursor += (size + 63) // 64 * 64 + GUARD
    return layouts, cursor


def fill_buffer(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, list[Layout]]:
    """Return a uint8 buffer with the tensors between guards and canaries everywhere else."""
    layouts, size = make_layouts(tensors)
    buffer = torch.empty(size, dtype=torch.uint8)
    _fill(buffer, tensors, layouts)
    return buffer, layouts


def fill_file(name: str, tensors: list[torch.Tensor]) -> tuple[int, list[Layout]]:
    """Write the same to a new anonymous file that the caller closes. The tensors may be on a device."""
    layouts, size = make_layouts(tensors)
    fd = _new_file(name, size)
    _fill(_map_file(fd, size), tensors, layouts)
    return fd, layouts


def _fill(buffer: torch.Tensor, tensors: list[torch.Tensor], layouts: list[Layout]) -> None:
    cursor = 0
    for tensor, layout in zip(tensors, layouts, strict=True):
        dense = layout.nbytes == tensor.numel() * tensor.element_size()
        buffer[cursor : layout.offset if dense else layout.offset + layout.nbytes].fill_(CANARY)
        if layout.nbytes:
            copy_into(view_tensor(layout, buffer), tensor)
        cursor = layout.offset + layout.nbytes
    buffer[cursor:].fill_(CANARY)


def copy_into(target: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """Copy `source` to `target`, also if `target` is an expanded view, which `target.copy_` refuses
    because several elements share one place. `source` must be equally uniform there."""
    to, given = target, source
    for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):
        if stride == 0 and size > 1:
            to, given = to.narrow(dim, 0, 1), given.narrow(dim, 0, 1)
    to.copy_(given)
    return target


def memory_file(name: str, data: torch.Tensor) -> int:
    """Return a new anonymous file with the bytes of `data` (uint8, contiguous). The caller closes it."""
    fd = _new_file(name, data.numel())
    try:
        if data.device.type == "cpu":
            overwrite(fd, data)
        elif data.numel():  # written without a copy
            _copy(_map_file(fd, data.numel()), data)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _new_file(name: str, size: int) -> int:
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    os.truncate(fd, size)
    return fd


def _map_file(fd: int, size: int) -> torch.Tensor:
    """Map the file's bytes as a tensor: a write to one of them changes the other."""
    return torch.frombuffer(mmap.mmap(fd, size), dtype=torch.uint8)


def overwrite(fd: int, data: torch.Tensor) -> None:
    """Write other bytes into a file of the same size. Every process that has it mapped sees them at
    once."""
    view = memoryview(data.numpy().data).cast("B")
    written = 0
    while written < len(view):
        written += os.pwrite(fd, view[written:], written)


def read_file(fd: int, size: int) -> torch.Tensor | None:
    """Read the first `size` bytes as a new uint8 tensor; None if the file holds fewer.

    The file is read, not mapped, so that a process that shortens it cannot make the reader fault.
    """
    buffer = torch.empty(size, dtype=torch.uint8)
    view = memoryview(buffer.numpy().data)
    done = 0
    while done < size:
        count = os.preadv(fd, [view[done:]], done)
        if count == 0:
            return None
        done += count
    return buffer
