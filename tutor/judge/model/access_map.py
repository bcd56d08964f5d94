"""The access map: the elements that each program of a kernel loads and stores. Records only.

`access_recorder.py` makes it in the worker, this module checks it, and `access_map_text.py` and the
lab's screen draw it.
"""

import math
from dataclasses import dataclass
from typing import Any

from tutor.judge.model.tensor_grid import Block

# The most that a map holds; nobody would read a drawing of more.
MAX_LAUNCHES = 8
MAX_PROGRAMS = 256  # of a launch, the first ones
MAX_STEPS = 64  # loads and stores of a program, the first ones
MAX_BLOCKS = 64  # of a set of elements
MAX_ELEMENTS = 1 << 22  # of a tensor
KINDS = ("load", "store", "atomic")
_SETS = ("loaded", "stored", "loaded_twice", "stored_twice", "crossed")
_LONGEST = 200  # characters of a name


@dataclass(frozen=True)
class AccessStep:
    """A load or store that a program executed. Of its `lanes`, `on` are not masked off.

    `blocks` are the distinct elements; with `cut` there are more. `beside` lanes access memory between
    the elements of a view. `outside` lanes access memory outside the tensor, the first at
    `first_outside`, counted in elements from the tensor's first: there the run was stopped.
    """

    line: int | None
    kind: str  # "load" | "store" | "atomic"
    tensor: int  # of the launch's tensors
    on: int
    lanes: int
    blocks: tuple[Block, ...]
    cut: bool
    beside: int
    outside: int
    first_outside: int


@dataclass(frozen=True)
class Program:
    """A program of a grid and its accesses in order. `left_out` counts further ones."""

    id: tuple[int, int, int]
    steps: tuple[AccessStep, ...]
    left_out: int


@dataclass(frozen=True)
class Tensor:
    """A tensor argument of a launch.

    `…_twice` are elements that two programs load, or store; `crossed` are those that one stores and
    another loads. Atomic operations count for `stored` only. With `cut` the sets are not complete.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    itemsize: int  # bytes
    loaded: tuple[Block, ...]
    stored: tuple[Block, ...]
    loaded_twice: tuple[Block, ...]
    stored_twice: tuple[Block, ...]
    crossed: tuple[Block, ...]
    cut: bool

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Launch:
    """A kernel's launch. `loaded` and `stored` are bytes of all programs.

    `programs` has the first ones that accessed memory.
    """

    kernel: str
    grid: tuple[int, int, int]
    tensors: tuple[Tensor, ...]
    programs: tuple[Program, ...]
    loaded: int
    stored: int

    @property
    def size(self) -> int:
        """Programs of the grid."""
        return math.prod(self.grid)

    def bytes_of(self, program: Program) -> int:
        return sum(step.on * self.tensors[step.tensor].itemsize for step in program.steps)


@dataclass(frozen=True)
class AccessMap:
    """All launches of a run on one case.

    `least` is in bytes (`spec.Work`); `stopped` is the reason if the run ended early.
    """

    case: str
    inputs: str
    cases: tuple[str, ...]  # names of all cases
    least: int
    launches: tuple[Launch, ...]
    left_out: int  # number of launches
    stopped: str = ""


def from_json(data: dict[str, Any]) -> AccessMap:
    launches = tuple(_launch(each) for each in data["launches"])
    return AccessMap(**{**data, "launches": launches, "cases": tuple(data["cases"])})


def _launch(data: dict[str, Any]) -> Launch:
    return Launch(
        kernel=data["kernel"],
        grid=_three(data["grid"]),
        tensors=tuple(_tensor(each) for each in data["tensors"]),
        programs=tuple(
            Program(
                _three(each["id"]),
                tuple(
                    AccessStep(**{**step, "blocks": _blocks(step["blocks"])})
                    for step in each["steps"]
                ),
                each["left_out"],
            )
            for each in data["programs"]
        ),
        loaded=data["loaded"],
        stored=data["stored"],
    )


def _tensor(data: dict[str, Any]) -> Tensor:
    sets = {name: _blocks(data[name]) for name in _SETS}
    return Tensor(**{**data, "shape": tuple(data["shape"]), **sets})


def _three(values: list[int]) -> tuple[int, int, int]:
    x, y, z = values
    return x, y, z


def _blocks(values: list[list[int]]) -> tuple[Block, ...]:
    return tuple((start, length, count, pitch) for start, length, count, pitch in values)


# --- checks of a worker's data-------------------------------------------------------------------------


def is_trace(data: Any) -> bool:
    """Return True if `data` has the shape that `AccessRecorder.to_json` gives and is of bounded size.

    The learner's code shares the worker's process and could send anything.
    """
    try:
        return _whole(data["left_out"]) and _listed(data["launches"], MAX_LAUNCHES, _is_launch)
    except (KeyError, TypeError, ValueError):
        return False


def _is_launch(data: Any) -> bool:
    tensors = data["tensors"]
    if not _listed(tensors, 1000, _is_tensor):
        return False
    sizes = [math.prod(each["shape"]) for each in tensors]
    return (
        _name(data["kernel"])
        and _numbers(data["grid"])
        and all(_whole(data[way]) for way in ("loaded", "stored"))
        and _listed(data["programs"], MAX_PROGRAMS, lambda each: _is_program(each, sizes))
    )


def _is_tensor(data: Any) -> bool:
    shape = data["shape"]
    if type(shape) is not list or len(shape) > 64 or not all(map(_whole, shape)):
        return False
    size = math.prod(shape)
    return (
        set(data) == set(Tensor.__dataclass_fields__)
        and size <= MAX_ELEMENTS
        and _name(data["name"])
        and _name(data["dtype"])
        and _whole(data["itemsize"])
        and type(data["cut"]) is bool
        and all(_are_blocks(data[name], size) for name in _SETS)
    )


def _is_program(data: Any, sizes: list[int]) -> bool:
    def is_step(step: Any) -> bool:
        whole = ("tensor", "on", "lanes", "beside", "outside")
        return (
            set(step) == set(AccessStep.__dataclass_fields__)
            and (step["line"] is None or _whole(step["line"]))
            and step["kind"] in KINDS
            and all(_whole(step[name]) for name in whole)
            and type(step["first_outside"]) is int
            and type(step["cut"]) is bool
            and step["tensor"] < len(sizes)
            and _are_blocks(step["blocks"], sizes[step["tensor"]])
        )

    return (
        _numbers(data["id"])
        and _whole(data["left_out"])
        and _listed(data["steps"], MAX_STEPS, is_step)
    )


def _are_blocks(data: Any, size: int) -> bool:
    def is_block(block: Any) -> bool:
        if type(block) is not list or len(block) != 4 or not all(map(_whole, block)):
            return False
        start, length, count, pitch = block
        apart = count == 1 or pitch >= length
        return bool(length and count and apart and start + (count - 1) * pitch + length <= size)

    return _listed(data, MAX_BLOCKS, is_block)


def _listed(data: Any, most: int, check: Any) -> bool:
    return type(data) is list and len(data) <= most and all(map(check, data))


def _numbers(data: Any) -> bool:
    return type(data) is list and len(data) == 3 and all(map(_whole, data))


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _name(value: Any) -> bool:
    return type(value) is str and len(value) <= _LONGEST and value.isprintable()
