"""Bytecode as this Python has it: of the function, and of what Dynamo put in its place."""

from __future__ import annotations

import dis
import re
import time
from collections.abc import Callable
from types import CodeType

from tutor.xray.dynamo.source_text import SourceText
from tutor.xray.model.stages import Event, Link, Stage

_MOST_LINES = 20_000
_LONGEST_NAME = 20  # columns that operations are padded to, so that arguments stay in sight
Emit = Callable[[Event], None]


_RUN_ID = re.compile(r"\b(__compiled_fn_\d+)_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}\b")


def without_run_ids(text: str) -> str:
    """Return text of Dynamo's without the id that names a compiled function in this run only: two
    stages that differ in nothing else are the same."""
    return _RUN_ID.sub(r"\1", text)


def listing(code: CodeType) -> tuple[str, list[int | None]]:
    """The instructions of `code` and of the code objects in it, and each line's line of source.

    One instruction a line: where a source line begins its number, `>>` at a jump's target, the
    offset in bytes, the operation, and what its argument means.
    """
    text: list[str] = []
    lines: list[int | None] = []
    waiting = [code]
    while waiting and len(text) < _MOST_LINES:
        current = waiting.pop(0)
        if current is not code:
            text += ["", f"of {current.co_name} (line {current.co_firstlineno}):"]
            lines += [None, current.co_firstlineno]
        shown = None
        steps = list(dis.get_instructions(current))
        names = min(_LONGEST_NAME, max(len(step.opname) for step in steps))
        for step in steps:
            line = line_of(step)
            number = str(line) if line is not None and line != shown else ""
            shown = line if line is not None else shown
            target = ">>" if step.is_jump_target else ""
            means = without_run_ids(step.argrepr)
            row = f"{number:>4} {target:2}{step.offset:>4} {step.opname:<{names}} {means}"
            text.append(row.rstrip().replace("\n", " "))
            lines.append(line)
        waiting += [c for c in current.co_consts if isinstance(c, CodeType)]
    return "\n".join(text), lines


def emit_bytecode(code: CodeType, source: SourceText | None, emit: Emit) -> None:
    """The stage `bytecode`, tied to the source's lines."""
    started = time.perf_counter()
    text, lines = listing(code)
    took = (time.perf_counter() - started) * 1e3
    steps = sum(1 for line in text.splitlines() if line and not line.startswith("of "))
    notes = (
        "Dynamo reads these instructions one by one, with symbolic tensors in place of values.",
    )
    emit(
        Stage(
            "bytecode",
            "CPython bytecode",
            "bytecode",
            text,
            notes,
            took,
            counts=(("instructions", steps),),
        )
    )
    tie(source, code.co_filename, lines, "bytecode", emit)


def emit_rewritten(
    code: CodeType,
    source: SourceText | None,
    kernel: str,
    title: str,
    notes: tuple[str, ...],
    emit: Emit,
) -> None:
    """A further stage `bytecode`, of code that Dynamo made; `kernel` distinguishes the stages."""
    text, lines = listing(code)
    stage = Stage("bytecode", title, "bytecode", text, notes, kernel=kernel)
    emit(stage)
    tie(source, code.co_filename, lines, stage.key, emit)


def tie(
    source: SourceText | None, path: str, lines: list[int | None], key: str, emit: Emit
) -> None:
    """Link lines of the source at `path` to the lines of the stage `key`: `lines[i]` is where line
    i + 1 of the stage comes from."""
    if source is None:
        return
    for place, line in enumerate(lines, 1):
        at = source.line_of(path, line) if line is not None else None
        if at is not None:
            emit(Link("source", at, key, place))


def line_of(step: dis.Instruction) -> int | None:
    """The source line of an instruction. Python 3.10 has it only at the first one of a line."""
    positions = getattr(step, "positions", None)
    if positions is not None:
        return positions.lineno if isinstance(positions.lineno, int) else None
    return step.starts_line
