"""What the rows of a board prove. Pure.

A rank that waits goes on once the calls that its own needs have been begun by the others: a recv needs
the send of the same number, a send the recv (gloo's send returns once the other side receives), a
collective the same call of every member. Where no rank computes and each that waits lacks such a call,
no call will ever be begun: that is a deadlock, however long one looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tutor.judge.processes.worker_messages.ranks_report import ANYONE
from tutor.judge.worker.ranks.board import (
    COMPUTES,
    OPERATIONS,
    RECV,
    SEND,
    WAITS,
    BegunCollective,
    Row,
)

_EQUAL_BYTES = frozenset(
    OPERATIONS.index(name) for name in ("all_reduce", "all_gather", "reduce_scatter")
)


def is_deadlock(rows: Sequence[Row]) -> bool:
    """Return True if no rank can go on. The rows are those of one moment."""
    if any(row.state == COMPUTES for row in rows):
        return False
    waiting = [rank for rank, row in enumerate(rows) if row.state == WAITS]
    return bool(waiting) and all(
        not rows[rank].beside and find_missing(rows, rank) for rank in waiting
    )


def find_missing(rows: Sequence[Row], rank: int) -> tuple[int, ...]:
    """Return the ranks that have not begun the call which `rank` needs to go on; () if all have."""
    row = rows[rank]
    if row.operation == SEND:
        others = [row.peer] if 0 <= row.peer < len(rows) else []
        return tuple(
            other
            for other in others
            if rows[other].recvs[rank] + rows[other].recvs_of_any < row.number
        )
    if row.operation == RECV and row.peer == ANYONE:
        begun = sum(other.sends[rank] for other in rows)
        others = [each for each in range(len(rows)) if each != rank]
        taken = sum(row.recvs) + row.recvs_of_any
        return () if begun >= taken else tuple(others)
    if row.operation == RECV:
        others = [row.peer] if 0 <= row.peer < len(rows) else []
        return tuple(other for other in others if rows[other].sends[rank] < row.number)
    return tuple(
        other
        for other in row.members
        if other < len(rows) and rows[other].collectives[row.group] < row.number
    )


@dataclass(frozen=True)
class Mismatch:
    """Two ranks whose collectives of one number, from 1, in one group cannot meet: other operations, or
    other bytes of one operation that takes equal ones."""

    number: int
    rank: int
    call: BegunCollective
    other: int
    other_call: BegunCollective


def find_mismatch(rows: Sequence[Row]) -> Mismatch | None:
    """Return two ranks whose collectives of one number in one group cannot meet, those of the first
    number. None if there are none."""
    told: dict[tuple[int, int], tuple[int, BegunCollective]] = {}  # by group and number
    found = []
    for rank, row in enumerate(rows):
        counts: dict[int, int] = {}
        for call in row.log:
            number = counts[call.group] = counts.get(call.group, 0) + 1
            first, known = told.setdefault((call.group, number), (rank, call))
            sizes_meet = call.operation not in _EQUAL_BYTES or known.size == call.size
            if known.operation != call.operation or not sizes_meet:
                found.append(Mismatch(number, first, known, rank, call))
    return min(found, key=lambda each: each.number, default=None)
