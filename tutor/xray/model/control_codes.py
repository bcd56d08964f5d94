"""Control codes of SASS: how long an instruction holds up the next, and for which ones it waits. Pure.

From Volta on, 21 bits of each instruction tell the warp scheduler what the compiler knows about
latencies. NVIDIA does not document them. The layout was found by experiment: Jia, Maggioni, Staiger
and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (arXiv 1804.06826),
section 2.1. That it holds for a newer GPU is seen in code made for it: what a load delivers is used by
no instruction before one has waited for the load (tests/xray/triton_kernels/test_control_codes.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, TypeAlias

import msgspec

BARRIERS = 6

Barrier: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=BARRIERS)]

_LABEL = re.compile(r"\s*(\.L\w+):")
_CODE = re.compile(
    r"\s*/\*[0-9a-f]{4,}\*/\s+(?P<guard>@!?U?P\w+\s+)?(?P<name>[A-Z]\w*)[^;`]*(?:`\((?P<to>[^)]*)\))?"
)
_ENDS = ("EXIT", "RET", "BRA", "BRX", "JMP", "JMX")  # without a guard, none of them goes on


@dataclass(frozen=True)
class Control:
    """The control code of the instruction on line `line` (from 1) of its stage.

    `stall`: cycles until the next instruction of this warp may issue. `result`: the barrier that is up
    until the result is written. `operands`: the one that is up until the operands have been read.
    `waits`: the barriers that have to be down before this instruction issues.
    """

    line: Annotated[int, msgspec.Meta(ge=1, le=1 << 31)]
    stall: Annotated[int, msgspec.Meta(ge=0, le=15)]
    result: Barrier | None = None
    operands: Barrier | None = None
    waits: Annotated[tuple[Barrier, ...], msgspec.Meta(max_length=BARRIERS)] = ()


@dataclass(frozen=True)
class Waits:
    """The lines that wait until an instruction's result is written, and until its operands are read."""

    for_result: tuple[int, ...] = ()
    for_operands: tuple[int, ...] = ()


def decode_control(line: int, high: int) -> Control:
    """Decode the control code in the upper 64 bits of the instruction's 128."""
    result, operands, mask = high >> 46 & 7, high >> 49 & 7, high >> 52 & 63
    return Control(
        line,
        stall=high >> 41 & 15,
        result=result if result < BARRIERS else None,
        operands=operands if operands < BARRIERS else None,
        waits=tuple(barrier for barrier in range(BARRIERS) if mask >> barrier & 1),
    )


def format_controls(controls: Sequence[Control]) -> list[str]:
    """Return the codes as columns: the stall, the barrier of the result, that of the operands, and the
    ones waited for, as ` 4 →2 ·1 ←03`. What no instruction here has takes no column."""
    columns = [[f"{control.stall:>2}" for control in controls]]
    for mark, barriers in (
        ("→", [_digits(control.result) for control in controls]),
        ("·", [_digits(control.operands) for control in controls]),
        ("←", ["".join(map(str, control.waits)) for control in controls]),
    ):
        width = max(map(len, barriers), default=0)
        if width:
            columns.append([(mark + each if each else "").ljust(1 + width) for each in barriers])
    return [" ".join(cells) for cells in zip(*columns, strict=True)]


def put_controls(lines: Sequence[str], controls: Sequence[Control]) -> list[str]:
    """Return the lines with a comment before each: the control code of the instruction there."""
    codes = format_controls(controls)
    by_line = {control.line: code for control, code in zip(controls, codes, strict=True)}
    blank = " " * (len(codes[0]) + 4 if codes else 0)
    return [
        f"/*{by_line[number]}*/{line}" if number in by_line else blank + line
        for number, line in enumerate(lines, 1)
    ]


def _digits(barrier: int | None) -> str:
    return "" if barrier is None else str(barrier)


def find_waits(text: str, controls: Sequence[Control]) -> dict[int, Waits]:
    """Return, by line, which lines wait for the instruction. A line that no other waits for is left out.

    Where control flow is known from the text (labels and branches to them), each way from the
    instruction is followed to the first one that waits for its barrier.
    """
    return _find_waits(text, tuple(controls))


@lru_cache(maxsize=8)
def _find_waits(text: str, controls: tuple[Control, ...]) -> dict[int, Waits]:
    following = list(_following(text, controls))
    waits = {}
    for index, control in enumerate(controls):
        for_result = _first_waits(index, control.result, controls, following)
        for_operands = _first_waits(index, control.operands, controls, following)
        if for_result or for_operands:
            waits[control.line] = Waits(for_result, for_operands)
    return waits


def _first_waits(
    start: int,
    barrier: int | None,
    controls: Sequence[Control],
    following: Sequence[tuple[int, ...]],
) -> tuple[int, ...]:
    """The lines that wait for the barrier first, on each way from the instruction."""
    if barrier is None:
        return ()
    lines: set[int] = set()
    seen: set[int] = set()
    ahead = list(following[start])
    while ahead:
        here = ahead.pop()
        if here in seen:
            continue
        seen.add(here)
        if barrier in controls[here].waits:
            lines.add(controls[here].line)
        else:
            ahead += following[here]
    return tuple(sorted(lines))


def _following(text: str, controls: Sequence[Control]) -> Iterator[tuple[int, ...]]:
    """For each instruction, the places in `controls` of those that may come after it."""
    lines = text.split("\n")
    place_of_line = {control.line: place for place, control in enumerate(controls)}
    labels: dict[str, int] = {}
    waiting: list[str] = []
    for number, line in enumerate(lines, 1):
        if match := _LABEL.match(line):
            waiting.append(match[1])
        elif number in place_of_line:
            labels.update(dict.fromkeys(waiting, place_of_line[number]))
            waiting.clear()
    for place, control in enumerate(controls):
        match = _CODE.match(lines[control.line - 1])
        name, to = (match["name"], match["to"]) if match else ("", None)
        targets = [labels[to]] if name in ("BRA", "CALL", "JMP") and to in labels else []
        goes_on = not match or bool(match["guard"]) or name not in _ENDS
        if goes_on and place + 1 < len(controls):
            targets.append(place + 1)
        yield tuple(targets)


def describe_control(control: Control, waits: dict[int, Waits]) -> str:
    """Say in a sentence or two what the code means for the instruction."""
    said = []
    if control.waits:
        makers = sorted(
            line
            for line, who in waits.items()
            if control.line in who.for_result or control.line in who.for_operands
        )
        said.append(
            f"Waits for {_lines(makers)}." if makers else f"Waits for {_barriers(control)}."
        )
    own = waits.get(control.line, Waits())
    if own.for_result:
        said.append(
            f"{_lines(own.for_result, capital=True)} {_verb(own.for_result)} for its result."
        )
    if own.for_operands:
        lines = _lines(own.for_operands, capital=True)
        said.append(f"{lines} {_verb(own.for_operands)} until it has read its operands.")
    said.append(f"The warp's next instruction issues at least {_cycles(control.stall)} later.")
    return " ".join(said)


def _lines(lines: Sequence[int], *, capital: bool = False) -> str:
    word = ("line " if len(lines) == 1 else "lines ") if lines else ""
    shown = [str(line) for line in lines[:4]]
    rest = [f"{len(lines) - 4} more"] if len(lines) > 4 else []
    *most, last = [*shown, *rest]
    joined = f"{', '.join(most)} and {last}" if most else last
    return f"{word.capitalize() if capital else word}{joined}"


def _verb(lines: Sequence[int]) -> str:
    return "waits" if len(lines) == 1 else "wait"


def _barriers(control: Control) -> str:
    return f"barrier {', '.join(map(str, control.waits))}"


def _cycles(number: int) -> str:
    return "1 cycle" if number == 1 else f"{number} cycles"
