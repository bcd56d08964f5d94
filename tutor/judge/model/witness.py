"""What each program of a kernel loads and stores, seen in memory itself. Records only.

`interpreter/memory_witness.py` makes it in the worker, this module checks it, and `judge/questions` asks
only what it and the access map (`access_map.py`) say alike.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta, Struct, ValidationError
from msgspec.json import decode

from tutor.judge.model.access_map import (
    MAX_ELEMENTS,
    MAX_LAUNCHES,
    MAX_PROGRAMS,
    MAX_STEPS,
    AccessMap,
    Blocks,
    Integer,
    Name,
    Place,
    Whole,
)

MAX_ARGUMENTS = 40
MAX_NUMBERS = 40  # of a program
_Number = Annotated[int, Meta(ge=0, lt=1000)]  # of a tensor among the launch's


class WitnessPart(Struct, frozen=True, forbid_unknown_fields=True):
    """The `on` lanes of a load that read a tensor, or its elements that a store wrote: `blocks`. Of an
    atomic operation: how many elements it changed.

    With `cut` there are more blocks, or elements that were written in part.
    """

    tensor: _Number
    on: Whole
    blocks: Blocks
    cut: bool


class WitnessStep(Struct, frozen=True, forbid_unknown_fields=True):
    """A load or store of a tile of `lanes`; no part where all of them were masked off."""

    line: Whole | None
    kind: Literal["load", "store", "atomic"]
    lanes: Whole
    parts: Annotated[tuple[WitnessPart, ...], Meta(max_length=1000)]


class WitnessProgram(Struct, frozen=True, forbid_unknown_fields=True):
    """A program of a grid and what it did to memory, in order. `numbers` are the whole numbers that the
    kernel's names held at its end."""

    id: Place
    steps: Annotated[tuple[WitnessStep, ...], Meta(max_length=MAX_STEPS)]
    numbers: Annotated[tuple[tuple[Name, Integer], ...], Meta(max_length=MAX_NUMBERS)] = ()


class WitnessLaunch(Struct, frozen=True, forbid_unknown_fields=True):
    """A kernel's launch. `arguments` are the plain ones, as name and value. Unless it is `complete`,
    there was more to see than is kept."""

    kernel: Name
    arguments: Annotated[tuple[tuple[Name, Name], ...], Meta(max_length=MAX_ARGUMENTS)]
    grid: Place
    programs: Annotated[tuple[WitnessProgram, ...], Meta(max_length=MAX_PROGRAMS)]
    complete: bool


class Witness(Struct, frozen=True, forbid_unknown_fields=True):
    """All launches of a run, as a worker sends them."""

    launches: Annotated[tuple[WitnessLaunch, ...], Meta(max_length=MAX_LAUNCHES)]
    left_out: Whole


@dataclass(frozen=True)
class ProgramRecord:
    """A learner's kernel on one case, recorded in two ways: by addresses and masks, and in memory."""

    access: AccessMap
    witness: Witness


def witness_of(text: str) -> Witness:
    """Decode a worker's JSON. Raises `ValidationError` for anything that cannot be believed."""
    witness = decode(text, type=Witness)
    for launch in witness.launches:
        names = [launch.kernel, *(text for pair in launch.arguments for text in pair)]
        names += [name for program in launch.programs for name, _ in program.numbers]
        steps = [step for program in launch.programs for step in program.steps]
        parts = [part for step in steps for part in step.parts]
        blocks = [block for part in parts for block in part.blocks]
        sound = all(length and count for _, length, count, _ in blocks)
        sound &= all(
            start + length + count * pitch < 1 << 40 for start, length, count, pitch in blocks
        )
        sound &= all(part.on <= MAX_ELEMENTS << 4 for part in parts)
        if not sound or not all(name.isprintable() for name in names):
            raise ValidationError("a witness that contradicts itself")
    return witness
