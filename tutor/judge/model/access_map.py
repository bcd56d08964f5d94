"""The access map: the elements that each program of a kernel loads and stores. Records only.

`access_recorder.py` makes it in the worker, this module checks it, and `access_map_text.py` and the
lab's screen draw it.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta, Struct, ValidationError
from msgspec.json import decode

from tutor.judge.model.tensor_grid import Block

# The most that a map holds; nobody would read a drawing of more.
MAX_LAUNCHES = 8
MAX_PROGRAMS = 256  # of a launch, the first ones
MAX_STEPS = 64  # loads and stores of a program, the first ones
MAX_BLOCKS = 64  # of a set of elements
MAX_ELEMENTS = 1 << 22  # of a tensor
EXAMPLE = "the small example"  # the name of a verdict's `WrongExample` among the cases
KINDS = ("load", "store", "atomic")
_SETS = ("loaded", "stored", "loaded_twice", "stored_twice", "crossed")

Whole = Annotated[int, Meta(ge=0, lt=1 << 62)]
Integer = Annotated[int, Meta(gt=-(1 << 62), lt=1 << 62)]
MAX_NAME = 200  # characters
Name = Annotated[str, Meta(max_length=MAX_NAME)]
Place = tuple[Whole, Whole, Whole]  # in a grid
Blocks = Annotated[tuple[tuple[Whole, Whole, Whole, Whole], ...], Meta(max_length=MAX_BLOCKS)]


class AccessStep(Struct, frozen=True, forbid_unknown_fields=True):
    """A load or store that a program executed. Of its `lanes`, `on` are not masked off.

    `blocks` are the distinct elements; with `cut` there are more. `beside` lanes access memory between
    the elements of a view. `outside` lanes access memory outside the tensor, the first at
    `first_outside`, counted in elements from the tensor's first: there the run was stopped.

    Of a kernel in another file `line` launches it; `place`, such as `line 7 of kernels.py`, is where the
    access is, and `code` is the text there.
    """

    line: Whole | None
    kind: Literal["load", "store", "atomic"]
    tensor: Whole  # of the launch's tensors
    on: Whole
    lanes: Whole
    blocks: Blocks
    cut: bool
    beside: Whole
    outside: Whole
    first_outside: Integer
    place: Name = ""
    code: Name = ""


class Program(Struct, frozen=True, forbid_unknown_fields=True):
    """A program of a grid and its accesses in order. `left_out` counts further ones."""

    id: Place
    steps: Annotated[tuple[AccessStep, ...], Meta(max_length=MAX_STEPS)]
    left_out: Whole


class Tensor(Struct, frozen=True, forbid_unknown_fields=True):
    """A tensor argument of a launch.

    `…_twice` are elements that two programs load, or store; `crossed` are those that one stores and
    another loads. Atomic operations count for `stored` only. With `cut` the sets are not complete.
    """

    name: Name
    dtype: Name
    shape: Annotated[tuple[Whole, ...], Meta(max_length=64)]
    itemsize: Whole  # bytes
    loaded: Blocks
    stored: Blocks
    loaded_twice: Blocks
    stored_twice: Blocks
    crossed: Blocks
    cut: bool

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


class Launch(Struct, frozen=True, forbid_unknown_fields=True):
    """A kernel's launch. `loaded` and `stored` are bytes of all programs.

    `programs` has the first ones that accessed memory.
    """

    kernel: Name
    grid: Place
    tensors: Annotated[tuple[Tensor, ...], Meta(max_length=1000)]
    programs: Annotated[tuple[Program, ...], Meta(max_length=MAX_PROGRAMS)]
    loaded: Whole
    stored: Whole

    @property
    def size(self) -> int:
        """Programs of the grid."""
        return math.prod(self.grid)

    def bytes_of(self, program: Program) -> int:
        return sum(step.on * self.tensors[step.tensor].itemsize for step in program.steps)


Launches = Annotated[tuple[Launch, ...], Meta(max_length=MAX_LAUNCHES)]


@dataclass(frozen=True)
class AccessMap:
    """All launches of a run on one case.

    `least` is in bytes (`spec.Work`); `stopped` is the reason if the run ended early.
    """

    case: str
    inputs: str
    cases: tuple[str, ...]  # names of all cases
    least: int
    launches: Launches
    left_out: Whole  # number of launches
    stopped: str = ""


class AccessTrace(Struct, frozen=True, forbid_unknown_fields=True):
    """All launches of a run, as a worker sends them."""

    launches: Launches
    left_out: Whole


def trace_of(text: str) -> AccessTrace:
    """Decode a worker's JSON. Raises `ValidationError` for anything that could not be drawn.

    The learner's code shares the worker's process and could send anything.
    """
    trace = decode(text, type=AccessTrace)
    for launch in trace.launches:
        if not _is_sound(launch):
            raise ValidationError("a launch that contradicts itself")
    return trace


def _is_sound(launch: Launch) -> bool:
    names = [launch.kernel]
    sizes = [tensor.numel for tensor in launch.tensors]
    sets = []
    for tensor in launch.tensors:
        names += [tensor.name, tensor.dtype]
        sets += [(getattr(tensor, name), tensor.numel) for name in _SETS]
    steps = [step for program in launch.programs for step in program.steps]
    if any(step.tensor >= len(sizes) for step in steps) or max(sizes, default=0) > MAX_ELEMENTS:
        return False
    sets += [(step.blocks, sizes[step.tensor]) for step in steps]
    names += [text for step in steps for text in (step.place, step.code)]
    fit = all(_fits(block, size) for blocks, size in sets for block in blocks)
    return fit and all(name.isprintable() for name in names)


def _fits(block: Block, size: int) -> bool:
    start, length, count, pitch = block
    apart = count == 1 or pitch >= length
    return bool(length and count and apart and start + (count - 1) * pitch + length <= size)
