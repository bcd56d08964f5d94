"""HLO, as XLA prints it: its instructions, where they come from, and its counts. Pure.

    units           instructions that run on their own: fusions, library calls, what was not fused
    library_calls   of these: calls of a library (kCustom fusions, custom-call)
    operations      instructions, those inside fusions included

The reader takes HLO's text form (openxla.org, HLO text) with the tables of files and stack frames that
XLA writes above the computations (XLA of jaxlib 0.10).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.-]+) (?:\(.*\) -> .* )?\{$")
_INSTRUCTION = re.compile(
    r"^  (?:ROOT )?%?([\w.-]+) = (?:\((?:[^()]|\([^()]*\))*\)|\S+) ([\w-]+)\((.*)$"
)
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\}')
_OP_NAME = re.compile(r'op_name="((?:\\.|[^"\\])*)"')
_FRAME = re.compile(r"stack_frame_id=(\d+)")
_CALLED = re.compile(r"\b(?:calls|to_apply)=%?([\w.-]+)")
_BODIES = re.compile(
    r"\b(?:condition|body|branch_computations|true_computation|false_computation)=(\{[^}]*\}|[%\w.-]+)"
)
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
# What gives a value another name, shape or place, and computes none.
NO_WORK = (
    *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "reshape", "broadcast"),
    *("after-all", "opt-barrier", "while", "conditional", "call"),
)


@dataclass(frozen=True)
class Instruction:
    """An instruction at a line of the text, from 1. `origin` is the `op_name` of its metadata, and
    `frames` are the places (file, line) that called for it, the innermost first."""

    name: str
    opcode: str
    line: int
    computation: str
    rest: str
    origin: str
    frames: tuple[tuple[str, int], ...]

    @property
    def is_library_call(self) -> bool:
        return self.opcode == "custom-call" or (
            self.opcode == "fusion" and "kind=kCustom" in self.rest
        )

    @property
    def called(self) -> str:
        """The computation that a fusion computes, or ""."""
        match = _CALLED.search(self.rest) if self.opcode == "fusion" else None
        return match[1] if match else ""


@dataclass(frozen=True)
class HloText:
    """A module. `text` is without metadata and tables; `entry` is the computation that is called."""

    text: str
    entry: str
    instructions: tuple[Instruction, ...]

    def units(self) -> tuple[Instruction, ...]:
        """The instructions that run on their own, in order: of the entry, of loops and branches."""
        executed, waiting = set[str](), [self.entry]
        while waiting:
            name = waiting.pop()
            if name in executed:
                continue
            executed.add(name)
            for one in self.instructions:
                if one.computation == name:
                    waiting += _executed_by(one)
        return tuple(
            one
            for one in self.instructions
            if one.computation in executed and one.opcode not in NO_WORK
        )

    def inside(self, unit: Instruction) -> tuple[Instruction, ...]:
        """The instructions of a fusion; of another unit itself."""
        if not unit.called:
            return (unit,)
        return tuple(one for one in self.instructions if one.computation == unit.called)


def _executed_by(instruction: Instruction) -> list[str]:
    if instruction.opcode == "call":
        return _CALLED.findall(instruction.rest)
    if instruction.opcode in ("while", "conditional"):
        return [
            name.strip().lstrip("%")
            for group in _BODIES.findall(instruction.rest)
            for name in group.strip("{}").split(",")
        ]
    return []


def read_hlo(printed: str) -> HloText:
    """Read a module's text. What is no instruction is kept as it stands."""
    tables, body = _read_tables(printed)
    frames = _Frames(tables)
    lines: list[str] = []
    instructions: list[Instruction] = []
    entry = computation = ""
    for line in body:
        plain = _METADATA.sub("", line)
        lines.append(plain)
        if match := _COMPUTATION.match(plain):
            computation = match[2]
            entry = computation if match[1] else entry
        elif match := _INSTRUCTION.match(plain):
            metadata = _METADATA.search(line)
            said = metadata[0] if metadata else ""
            origin, frame = _OP_NAME.search(said), _FRAME.search(said)
            instructions.append(
                Instruction(
                    match[1],
                    match[2],
                    len(lines),
                    computation,
                    match[3],
                    origin[1] if origin else "",
                    frames.stack(int(frame[1])) if frame else (),
                )
            )
    return HloText("\n".join(lines).strip("\n") + "\n", entry, tuple(instructions))


def count_hlo(module: HloText) -> dict[str, int]:
    """Return the counts of a module."""
    units = module.units()
    return {
        "units": len(units),
        "library_calls": sum(unit.is_library_call for unit in units),
        "operations": len(module.instructions),
    }


def list_fused(module: HloText, unit: Instruction) -> tuple[str, ...]:
    """Return what a unit computes, in order and once each: the operations of the source's framework,
    by the first part of `op_name`; where none is known, its opcodes and how often."""
    everything = [one for one in module.inside(unit) if one.opcode != "parameter"]
    inside = [one for one in everything if one.opcode not in NO_WORK] or everything
    origins = dict.fromkeys(one.origin.split("/")[0] for one in inside if "/" in one.origin)
    if origins:
        return tuple(origins)
    times = Counter(one.opcode for one in inside)
    return tuple(name if number == 1 else f"{name} ×{number}" for name, number in times.items())


def _read_tables(printed: str) -> tuple[dict[str, list[str]], list[str]]:
    tables: dict[str, list[str]] = {}
    body: list[str] = []
    table: list[str] | None = None
    for line in printed.split("\n"):
        if line in _TABLES:
            table = tables.setdefault(line, [])
        elif table is not None and line:
            table.append(line)
        else:
            if line or (body and body[-1]):
                body.append(line)
            table = None
    return tables, body


class _Frames:
    """The tables above a module: each frame is a place and the frame that called it."""

    def __init__(self, tables: dict[str, list[str]]) -> None:
        self._files = {
            int(number): name.strip('"')
            for number, name in (line.split(" ", 1) for line in tables.get("FileNames", ()))
        }
        self._locations = self._numbers(tables.get("FileLocations", ()))
        self._frames = self._numbers(tables.get("StackFrames", ()))

    @staticmethod
    def _numbers(lines: list[str] | tuple[str, ...]) -> dict[int, dict[str, int]]:
        return {
            int(line.split(" ", 1)[0]): {
                name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", line)
            }
            for line in lines
        }

    def stack(self, frame: int) -> tuple[tuple[str, int], ...]:
        """The places of a frame and of its callers. A frame that is its own parent is the last."""
        places: list[tuple[str, int]] = []
        seen: set[int] = set()
        while frame in self._frames and frame not in seen:
            seen.add(frame)
            location = self._locations.get(self._frames[frame].get("file_location_id", 0), {})
            file = self._files.get(location.get("file_name_id", 0), "")
            places.append((file, location.get("line", 0)))
            frame = self._frames[frame].get("parent_frame_id", 0)
        return tuple(places)
