"""Compilers side by side: what each made of one function, from an X-ray's stages and links. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tutor.xray.model.compiler import INDUCTOR, RESULT, SHARED, Compiler, place_of
from tutor.xray.model.stages import Event, Failure, Link, Number, Stage

NO_EXPORT = "no export"  # the trouble of a compiler that had no graph to begin with
NOT_MADE_HERE = "; not made here."  # how the note of a recorded stage ends
_UNIT_NOTE = re.compile(r"([^\s:]+): (.+)", re.DOTALL)
# Inductor's notes on its groups: `op0 + op1 (mul, add): fused into one kernel.`
_GROUP_NOTE = re.compile(r"(\w+(?: \+ \w+)*) \((.+?)\): (.+)", re.DOTALL)


@dataclass(frozen=True)
class ComparedCompiler:
    """One row of a comparison; None stands for what was not counted.

    `before` and `after`: units before fusion and after it, of which `library_calls` are no code of its
    own. `buffers` are blocks of memory that the compiled form asks for, `bytes` their size together.
    `lines_kept` of the function's lines can be followed to the stage `kept_until`, the last one that
    keeps any. `difference`: the largest absolute one from PyTorch's results. `ms`: of all its stages, in
    milliseconds. `fusions`: (unit, what went into it). `trouble`: why there are no units, in two words,
    or "". `failures`: sentences. `recorded`: when and with what it was made, where it was not made here.
    """

    compiler: str
    title: str
    target: str
    unit: str
    before: Number | None = None
    after: Number | None = None
    library_calls: Number = 0
    buffers: Number | None = None
    bytes: Number | None = None
    lines_kept: int = 0
    kept_until: str = ""
    difference: Number | None = None
    ms: float = 0.0
    fusions: tuple[tuple[str, str], ...] = ()
    trouble: str = ""
    failures: tuple[str, ...] = ()
    recorded: str = ""


@dataclass(frozen=True)
class Comparison:
    """`operations` of the exported graph and `lines` of the source that have one; a row a compiler."""

    operations: Number | None
    lines: int
    rows: tuple[ComparedCompiler, ...]

    def to_json(self) -> dict[str, Any]:
        """The value of `comparison` in `tutor xray --json` (docs/contract.md)."""
        value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return value


def compare_compilers(
    compilers: Sequence[Compiler], events: Iterable[Event], targets: tuple[str, str]
) -> Comparison:
    """Compare what the compilers made of one request. `targets`: Inductor's, and that of the others."""
    events = tuple(events)
    stages = {event.key: event for event in events if isinstance(event, Stage)}
    links = [event for event in events if isinstance(event, Link)]
    failures = [event for event in events if isinstance(event, Failure)]
    origins = _find_origins(stages, links)
    exported = stages.get("exported")
    known = [origins["exported"]] if "exported" in origins else origins.values()
    lines = frozenset().union(*map(_source_lines, known))
    return Comparison(
        _count(exported, "operations"),
        len(lines),
        tuple(_compare(one, stages, failures, origins, targets, lines) for one in compilers),
    )


def _compare(
    compiler: Compiler,
    stages: dict[str, Stage],
    failures: list[Failure],
    origins: dict[str, dict[int, frozenset[int]]],
    targets: tuple[str, str],
    asked: frozenset[int],
) -> ComparedCompiler:
    own = [stage for stage in stages.values() if _compiler_of(stage) == compiler.name]
    after = [stage for stage in own if stage.name == compiler.after]
    names = [kind.name for kind in compiler.stages]
    memory = [stage for stage in own if stage.name in compiler.memory]
    target = targets[0] if compiler is INDUCTOR else targets[1]
    failed = [failure for failure in failures if _stops(failure, compiler)]
    kept, until = 0, ""
    lowest = names.index(compiler.lines_until) if compiler.lines_until else len(names)
    for stage in sorted(own, key=lambda stage: _rank(stage, names)):
        if _rank(stage, names) > lowest:
            break
        lines = _source_lines(origins.get(stage.key, {})) & asked
        if lines and stage.name != "source":
            same = [origins.get(other.key, {}) for other in own if other.name == stage.name]
            kept = len(frozenset().union(*map(_source_lines, same)) & asked)
            until = stage.name
    return ComparedCompiler(
        compiler.name,
        compiler.title,
        target,
        compiler.unit,
        _total([s for s in own if s.name == compiler.before], "units"),
        _total(after, "units"),
        _total(after, "library_calls") or 0,
        _total(memory, "buffers"),
        _total(memory, "bytes"),
        kept,
        until,
        _total([s for s in own if s.name == RESULT.name], "difference"),
        sum(stage.ms for stage in own),
        tuple(pair for stage in after for note in stage.notes if (pair := _read_unit(stage, note))),
        "" if after or not failed else _name_trouble(failed[0], compiler, target),
        tuple(failure.sentence for failure in failed),
        next((note for stage in own for note in stage.notes if note.endswith(NOT_MADE_HERE)), ""),
    )


def _stops(failure: Failure, compiler: Compiler) -> bool:
    """Return True for a failure of the compiler, or of the export that it would have started from."""
    if failure.stage == "exported":
        return compiler is not INDUCTOR
    return _compiler_of_key(failure.stage) == compiler.name


def _name_trouble(failure: Failure, compiler: Compiler, target: str) -> str:
    """Return in two words how far a compiler came that made no units."""
    if failure.stage == "exported":
        return NO_EXPORT
    if failure.sentence == compiler.say_missing():
        return "not installed"
    if failure.sentence == compiler.refuse_target(target):
        return f"not for {target}"
    stage = failure.stage.rpartition("/")[2].partition(":")[0]
    return f"stopped: {stage}" if stage else "stopped"


def _compiler_of(stage: Stage) -> str:
    return "" if stage.name in SHARED else stage.compiler


def _compiler_of_key(key: str) -> str:
    name, slash, _ = key.partition("/")
    if not slash:
        return "" if key in SHARED else INDUCTOR.name
    return name


def _rank(stage: Stage, names: list[str]) -> int:
    return names.index(stage.name) if stage.name in names else len(names)


def _read_unit(stage: Stage, note: str) -> tuple[str, str] | None:
    """Return a unit and what went into it, of a note `UNIT: op, op`, or of Inductor's on a group."""
    if stage.name == INDUCTOR.after and (match := _GROUP_NOTE.fullmatch(note)):
        graph = f"{stage.kernel} " if stage.kernel else ""
        call = " (a call)" if match[3].startswith("a call ") else ""
        return f"{graph}{match[1]}{call}", match[2]
    match = _UNIT_NOTE.fullmatch(note)
    return (match[1], match[2]) if match and not match[2].endswith(".") else None


def _count(stage: Stage | None, name: str) -> Number | None:
    return dict(stage.counts).get(name) if stage else None


def _total(stages: Sequence[Stage], name: str) -> Number | None:
    """The sum over the stages that count it; None where none does."""
    numbers = [number for stage in stages if (number := _count(stage, name)) is not None]
    return sum(numbers) if numbers else None


def _source_lines(origins: dict[int, frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*origins.values())


def _find_origins(
    stages: dict[str, Stage], links: list[Link]
) -> dict[str, dict[int, frozenset[int]]]:
    """Stage -> line -> the lines of the source that it came from, over any number of links."""
    order = {
        key: number
        for number, key in enumerate(sorted(stages, key=lambda key: place_of(stages[key])))
    }
    found: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for link in sorted(links, key=lambda link: order.get(link.source, -1)):
        if link.source == "source":
            found[link.target][link.target_line].add(link.source_line)
        elif above := found.get(link.source, {}).get(link.source_line):
            found[link.target][link.target_line] |= above
    return {
        key: {line: frozenset(lines) for line, lines in places.items()}
        for key, places in found.items()
    }
