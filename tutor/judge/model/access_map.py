"""Which elements each program of a kernel loads and stores: the access map. Records only, no torch.

Made by `access_recorder.py` in the worker, checked here before anybody draws it, drawn by
`access_map_text.py` and by the lab's screen.
"""

import math
from dataclasses import dataclass
from typing import Any

from tutor.judge.model.tensor_grid import Block

# What a map holds at most; a drawing of more would not be looked at.
MAX_LAUNCHES = 8
MAX_PROGRAMS = 256  # of a launch, the first ones
MAX_STEPS = 64  # loads and stores of a program, the first ones
MAX_BLOCKS = 64  # of a set of elements
MAX_ELEMENTS = 1 << 22  # of a tensor
KINDS = ("load", "store", "atomic")
_SETS = ("loaded", "stored", "loaded_twice", "stored_twice", "crossed")
_LONGEST = 200  # characters of a name


@dataclass(frozen=True)
class Step:
    """One load or store that a program executed. Lanes: `on` of `lanes` are not masked off.

    `blocks` are the distinct elements; `cut` says that there are more. `beside` lanes reach memory
    between the elements of a view; `outside` lanes reach beyond the tensor, the first of them at
    element `first_outside` of memory from the tensor's first: there the run was stopped.
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
    """One program of a grid and what it did, in order. `left_out`: further loads and stores."""

    id: tuple[int, int, int]
    steps: tuple[Step, ...]
    left_out: int


@dataclass(frozen=True)
class Tensor:
    """A tensor argument of a launch. `…_twice`: elements that two programs load, or store; `crossed`:
    that one program stores and another loads. Programs may meet in an atomic operation, which counts
    for `stored` only. `cut`: the sets hold more."""

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
    """A kernel's launch. `loaded` and `stored` in bytes, by all programs; `programs` the first ones
    that touched memory."""

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
    """All of a run on one case. `least` in bytes (`spec.Work`); `stopped` says why it ended early."""

    case: str
    inputs: str
    cases: tuple[str, ...]  # the names one may ask for
    least: int
    launches: tuple[Launch, ...]
    left_out: int  # launches
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
                    Step(**{**step, "blocks": _blocks(step["blocks"])}) for step in each["steps"]
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


# --- what a worker may say ----------------------------------------------------------------------------


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
            set(step) == set(Step.__dataclass_fields__)
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
