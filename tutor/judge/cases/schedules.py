"""Facts of a TVM schedule, and whether it has the properties that an exercise asks for. Pure.

The facts come from the learner's process (tutor/judge/worker/tvm_schedule.py): plain values of
bounded size, read into records here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec

from tutor.judge.spec import Bound, Cached, Nest, Once, Property, SameAs, Within

Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
MOST = 400  # loops, blocks and buffers of a schedule that are told


class Loop(msgspec.Struct, frozen=True):
    """A loop around a block. `id` tells loops of one name apart; `extent` 0: it is no number.

    `kind` is "serial", "parallel", "vectorized", "unrolled" or the thread to which it is bound.
    """

    id: int
    name: Name
    extent: int
    kind: Name


class Buffer(msgspec.Struct, frozen=True):
    """A buffer that the schedule makes; `bytes` once loops are lowered."""

    name: Name
    scope: Name
    bytes: int


class ScheduleFacts(msgspec.Struct, frozen=True):
    """A schedule as it was when the learner's function returned. `blocks`: the loops around each block.

    `axes`: of each block, the number of values that its axes have together; 0: it is no number.

    `same`: whether it is the wanted one, None where none is wanted; else `differs` has the first line
    of its text that differs, and the wanted line.
    """

    blocks: dict[Name, Annotated[tuple[Loop, ...], msgspec.Meta(max_length=MOST)]]
    buffers: Annotated[tuple[Buffer, ...], msgspec.Meta(max_length=MOST)]
    axes: dict[Name, int] = {}
    same: bool | None = None
    differs: tuple[Name, Name] = ("", "")


def read_schedules(found: Mapping[str, Any]) -> list[ScheduleFacts]:
    """Read the facts of each case. Raises `msgspec.ValidationError`."""
    return msgspec.convert(found.get("schedules", []), list[ScheduleFacts])


def find_broken(
    properties: Iterable[Property], schedules: Sequence[ScheduleFacts]
) -> tuple[int, str] | None:
    """Return the number of the first schedule that lacks a property, and the sentence, or None."""
    for wanted in properties:
        for number, facts in enumerate(schedules):
            if sentence := _check(wanted, facts):
                return number, sentence
        if isinstance(wanted, Nest) and (sentence := _find_idle(wanted, schedules)):
            return 0, sentence
    return None


def _find_idle(wanted: Nest, schedules: Sequence[ScheduleFacts]) -> str:
    """Say of a loop that runs once in each schedule that its wanted kind means nothing."""
    for place, kind in wanted.kinds.items():
        loops = [facts.blocks[wanted.block][place] for facts in schedules]
        if len(loops) > 1 and all(loop.extent == 1 for loop in loops) and kind != "serial":
            return (
                f"Around `{wanted.block}` the {_which(place)}, `{loops[0].name}`, runs once, in every "
                f"case, so nothing is {kind}."
            )
    return ""


def _check(wanted: Property, facts: ScheduleFacts) -> str:
    match wanted:
        case Nest():
            return _check_nest(wanted, facts)
        case Bound():
            return _check_bound(wanted, facts)
        case Cached():
            return _check_cached(wanted, facts)
        case Within():
            return _check_within(wanted, facts)
        case Once():
            return _check_once(wanted, facts)
        case SameAs():
            return _check_same(facts)


def _missing(block: str, facts: ScheduleFacts) -> str:
    if block in facts.blocks:
        return ""
    there = ", ".join(f"`{name}`" for name in facts.blocks)
    return f"There is no block `{block}`; there are {there}."


def _check_nest(wanted: Nest, facts: ScheduleFacts) -> str:
    if gone := _missing(wanted.block, facts):
        return gone
    loops = facts.blocks[wanted.block]
    extents = [loop.extent for loop in loops]
    if not _fits(wanted.extents, extents):
        asked = ", ".join("…" if extent is ... else str(extent) for extent in wanted.extents)
        return (
            f"The loops around `{wanted.block}` run {_list(loops)} times, from the outermost in. "
            f"Asked for: {asked}."
        )
    for place, kind in wanted.kinds.items():
        loop = loops[place] if -len(loops) <= place < len(loops) else None
        if loop is None or loop.kind != kind:
            is_now = f"is {loop.kind}" if loop else "is not there"
            named = f"the {_which(place)}" + (f", `{loop.name}`," if loop else "")
            return f"Around `{wanted.block}` {named} {is_now}. Asked for: {kind}."
    return ""


def _which(place: int) -> str:
    if place in (0, -1):
        return "innermost loop" if place else "outermost loop"
    return f"{place + 1}. loop" if place > 0 else f"{-place}. loop from the innermost out"


def _fits(wanted: tuple[Any, ...], extents: list[int]) -> bool:
    if ... not in wanted:
        return list(wanted) == extents
    at = wanted.index(...)
    head, tail = list(wanted[:at]), list(wanted[at + 1 :])
    if len(extents) < len(head) + len(tail):
        return False
    return extents[:at] == head and (not tail or extents[-len(tail) :] == tail)


def _list(loops: Iterable[Loop]) -> str:
    return ", ".join(f"{loop.extent} (`{loop.name}`)" for loop in loops) or "no"


def _check_bound(wanted: Bound, facts: ScheduleFacts) -> str:
    if gone := _missing(wanted.block, facts):
        return gone
    bound: dict[str, Loop] = {}
    for loop in filter(_is_thread, facts.blocks[wanted.block]):
        if other := bound.get(loop.kind):
            return (
                f"Around `{wanted.block}` both `{other.name}` and `{loop.name}` are bound to "
                f"`{loop.kind}`. "
                "A thread has one number there, so it would run only the turns in which both are equal."
            )
        bound[loop.kind] = loop
    for thread, extent in wanted.threads.items():
        if thread not in bound:
            return f"No loop around `{wanted.block}` is bound to `{thread}`."
        loop = bound[thread]
        if extent is not None and loop.extent != extent:
            return (
                f"`{thread}` runs {loop.extent} times around `{wanted.block}` (loop `{loop.name}`). "
                f"Asked for: {extent}."
            )
    if more := next((thread for thread in bound if thread not in wanted.threads), None):
        return f"The loop `{bound[more].name}` is bound to `{more}`, which was not asked for."
    return ""


def _check_cached(wanted: Cached, facts: ScheduleFacts) -> str:
    copies = [one for one in facts.buffers if one.name.startswith(f"{wanted.buffer}_")]
    kept = [one for one in copies if one.scope == wanted.scope]
    if not kept:
        others = ", ".join(f"`{one.name}` in {one.scope} memory" for one in copies)
        there = f" There is {others}." if others else ""
        return f"`{wanted.buffer}` is not in {wanted.scope} memory, and no copy of it is.{there}"
    largest = max(kept, key=lambda one: one.bytes)
    if largest.bytes > wanted.most:
        return (
            f"`{largest.name}` takes {largest.bytes:,} bytes, and at most {wanted.most:,} are allowed. "
            "At which loop is it filled, and what does one turn of that loop need?"
        )
    if largest.bytes < wanted.least:
        return (
            f"`{largest.name}` takes {largest.bytes:,} bytes, and a copy of {wanted.least:,} was asked "
            "for. At which loop is it filled, and what does one turn of that loop need?"
        )
    return ""


def _check_within(wanted: Within, facts: ScheduleFacts) -> str:
    for block in (wanted.block, wanted.other):
        if gone := _missing(block, facts):
            return gone
    mine, others = facts.blocks[wanted.block], facts.blocks[wanted.other]
    shared = 0
    while shared < min(len(mine), len(others)) and mine[shared].id == others[shared].id:
        shared += 1
    if shared < wanted.loops:
        return (
            f"`{wanted.block}` runs inside {shared} of the loops of `{wanted.other}`. "
            f"Asked for: {wanted.loops}."
        )
    own = [loop for loop in mine[shared:] if not _is_thread(loop)]
    turns = math.prod(loop.extent for loop in own)
    if wanted.turns is None or turns <= wanted.turns:
        return ""
    by = f", by the loops {_list(own)}" if len(own) > 1 else f", by the loop {_list(own)}"
    inside = f"of `{mine[shared - 1].name}`" if shared else "of the whole program"
    return (
        f"`{wanted.block}` runs {turns:,} times in a turn {inside}, the innermost loop that it shares "
        f"with `{wanted.other}`{by}. Asked for: at most {wanted.turns:,}."
    )


def _is_thread(loop: Loop) -> bool:
    return "Idx." in loop.kind


def _check_once(wanted: Once, facts: ScheduleFacts) -> str:
    if gone := _missing(wanted.block, facts):
        return gone
    loops = facts.blocks[wanted.block]
    threads = {loop.kind: loop.extent for loop in loops if _is_thread(loop)}
    rest = [loop.extent for loop in loops if not _is_thread(loop)]
    turns, values = math.prod((*threads.values(), *rest)), facts.axes.get(wanted.block, 0)
    if turns <= values:
        return ""
    return (
        f"`{wanted.block}` runs {turns:,} times, and {values:,} would do: its loops are {_list(loops)}. "
        "Which of them does it not need?"
    )


def _check_same(facts: ScheduleFacts) -> str:
    if facts.same:
        return ""
    mine, wanted = facts.differs
    return f"The loops are not the wanted ones. First `{mine}` differs; wanted there: `{wanted}`."
