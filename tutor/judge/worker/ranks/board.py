"""The board: shared memory in which each rank notes what it is in, for the process that watches them.

A rank writes its own row alone. The watcher reads all rows twice; where the two are equal nothing moved
between them, so that they are one moment's.
"""

import mmap
import time
from dataclasses import dataclass
from typing import NamedTuple

from tutor.judge.processes.worker_messages.ranks_report import ANYONE, MOST_RANKS, MOST_WAITS

OPERATIONS = (
    "send",
    "recv",
    "all_reduce",
    "broadcast",
    "reduce",
    "all_gather",
    "gather",
    "scatter",
    "reduce_scatter",
    "all_to_all",
    "barrier",
)
SEND, RECV = 0, 1
COMPUTES, WAITS, RETURNED, RAISED = range(4)

GROUPS = 16  # slots for process groups
_LOGGED = 256  # collectives that are kept
# Numbers of each: its operation, its bytes, how many were begun once it was waited for, its line, and
# the rank's own steps before it.
_ENTRY = 5
_EVENTS = MOST_WAITS // MOST_RANKS  # waits that are kept
_STEPS = 512  # begins and ends of sends and recvs that are kept

# Places in a row, in numbers of 64 bits.
(
    _CHANGES,
    _STATE,
    _OPERATION,
    _PEER,
    _MEMBERS,
    _GROUP,
    _NUMBER,
    _SENT,
    _BESIDE,
    _WAITED,
    _BEGAN,
) = range(11)
_CALLS = 11
_SENDS = _CALLS + len(OPERATIONS)
_RECVS = _SENDS + MOST_RANKS
_RECVS_OF_ANY = _RECVS + MOST_RANKS
_COLLECTIVES = _RECVS_OF_ANY + 1  # of each group
_LOG = _COLLECTIVES + GROUPS
_LOG_LENGTH = _LOG + _ENTRY * _LOGGED
_WAIT = _LOG_LENGTH + 1
_STEP = _WAIT + 4 * _EVENTS
_STEP_COUNT = _STEP + _STEPS
_ROW = _STEP_COUNT + 1


@dataclass(frozen=True)
class Step:
    """The begin or the end of a send or recv of one rank. `call`: the number of its begin among the
    rank's steps; `peer`: of a recv from any rank `ANYONE` when it begins, and whom it took from when it
    ends."""

    operation: int
    peer: int
    call: int
    ends: bool


class BegunCollective(NamedTuple):
    """A collective that a rank has begun, with the bytes that it hands over. `begun`: how many the rank
    had begun when it had waited for this one, 0 if it has not; `line`: where the learner's file calls
    it, 0 if it does not; `steps`: how many of `cases.own_steps` the rank had done before it."""

    group: int
    operation: int
    size: int
    begun: int
    line: int
    steps: int


@dataclass(frozen=True)
class Row:
    """A rank's row at one moment. `operation` is a number of `OPERATIONS`; of a rank that waits: `peer`
    (of a send or recv, `ANYONE`), `members` of its group, `number` of the call in it or with the peer.

    `sends` and `recvs`: how many it has begun with each rank, whether they have ended or not;
    `collectives`: by group; `log`: those that are kept. `beside`: other threads of Python ran when
    it began to wait, so that it may go on by one of them.
    """

    state: int
    operation: int
    peer: int
    members: tuple[int, ...]
    group: int
    number: int
    beside: bool
    sends: tuple[int, ...]
    recvs: tuple[int, ...]
    recvs_of_any: int
    collectives: tuple[int, ...]
    log: tuple[BegunCollective, ...]

    @property
    def is_collective(self) -> bool:
        """Return True if the operation is one of the whole group."""
        return self.operation not in (SEND, RECV)


class Board:
    """The rows of all ranks."""

    def __init__(self, world: int) -> None:
        self.world = world
        self._memory = mmap.mmap(-1, 8 * _ROW * world)
        self._cells = memoryview(self._memory).cast("q")

    def snapshot(self) -> bytes:
        """Return the bytes of all rows."""
        return bytes(self._memory)

    def rows(self) -> list[Row]:
        """Return the rows as they are."""
        cells = list(self._cells)
        return [_read_row(cells[at : at + _ROW]) for at in range(0, len(cells), _ROW)]

    def state(self, rank: int) -> int:
        """Return a rank's state."""
        return self._cells[rank * _ROW + _STATE]

    def sent(self, rank: int) -> int:
        """Return the bytes that a rank has sent."""
        return max(0, self._cells[rank * _ROW + _SENT])

    def calls(self, rank: int) -> dict[str, int]:
        """Return how often a rank has called each operation, those of none left out."""
        counts = self._cells[rank * _ROW + _CALLS : rank * _ROW + _SENDS]
        return {name: n for name, n in zip(OPERATIONS, counts, strict=True) if n}

    def steps(self, rank: int) -> list[Step] | None:
        """Return the begins and ends of a rank's sends and recvs in their order; None if there are more
        than are kept."""
        row = rank * _ROW
        count = self._cells[row + _STEP_COUNT]
        if not 0 <= count <= _STEPS:
            return None
        return [_read_step(code) for code in self._cells[row + _STEP : row + _STEP + count]]

    def began(self, rank: int) -> int:
        """Return when the rank's function was called, by `time.monotonic_ns`; 0 before."""
        return self._cells[rank * _ROW + _BEGAN]

    def waits(self, rank: int) -> list[tuple[int, int, int, int]]:
        """Return the first waits of a rank: operation, peer, start and end in nanoseconds of
        `time.monotonic_ns`. An end of 0: it still waits."""
        row = rank * _ROW
        count = min(self._cells[row + _WAITED], _EVENTS)
        starts = range(row + _WAIT, row + _WAIT + 4 * count, 4)
        return [tuple(self._cells[at : at + 4]) for at in starts]  # type: ignore[misc]

    # --- what a rank writes -----------------------------------------------------------------------

    def begin(
        self,
        rank: int,
        operation: int,
        peer: int,
        group: int,
        size: int,
        line: int = 0,
        steps: int = 0,
    ) -> int:
        """Count a call of `size` bytes that the rank begins now, at this line of the learner's file and
        after so many steps of its own. Returns its number."""
        row, cells = rank * _ROW, self._cells
        cells[row + _CALLS + operation] += 1
        cells[row + _SENT] += 0 if operation == RECV else size
        if operation == SEND:
            counted = row + _SENDS + peer
        elif operation == RECV:
            counted = row + (_RECVS_OF_ANY if peer == ANYONE else _RECVS + peer)
        else:
            counted = row + _COLLECTIVES + group
            length = cells[row + _LOG_LENGTH]
            if length < _LOGGED:
                at = row + _LOG + _ENTRY * length
                cells[at], cells[at + 1] = group * len(OPERATIONS) + operation, size
                cells[at + 2], cells[at + 3], cells[at + 4] = 0, line, steps
                cells[row + _LOG_LENGTH] = length + 1
        cells[counted] += 1
        cells[row + _CHANGES] += 1
        return cells[counted]

    def begun(self, rank: int) -> int:
        """Return how many collectives a rank has begun, of those that are kept."""
        return self._cells[rank * _ROW + _LOG_LENGTH]

    def waited(self, rank: int, place: int) -> None:
        """Note that the rank has waited for its collective of this place, from 0."""
        if 0 <= place < _LOGGED:
            at = rank * _ROW + _LOG + _ENTRY * place + 2
            self._cells[at] = self._cells[at] or self.begun(rank)

    def note_step(self, rank: int, operation: int, peer: int, call: int | None = None) -> int:
        """Note that a send or recv begins, or that the one of number `call` has ended. Returns the
        number of its begin."""
        row, cells = rank * _ROW, self._cells
        count = cells[row + _STEP_COUNT]
        number = count if call is None else call
        if count < _STEPS:
            code = number * (MOST_RANKS + 1) + peer + 1
            cells[row + _STEP + count] = (code * 2 + operation) * 2 + (call is not None)
        cells[row + _STEP_COUNT] = count + 1
        return number

    def call(self, rank: int) -> None:
        """Note that the rank's function is called now."""
        self._cells[rank * _ROW + _BEGAN] = time.monotonic_ns()

    def wait(
        self,
        rank: int,
        operation: int,
        peer: int,
        members: tuple[int, ...],
        group: int,
        number: int,
        beside: bool,
    ) -> None:
        """Note that the rank waits in a call from now on."""
        row, cells = rank * _ROW, self._cells
        cells[row + _OPERATION], cells[row + _PEER], cells[row + _GROUP] = operation, peer, group
        cells[row + _MEMBERS] = sum(1 << member for member in members)
        cells[row + _NUMBER], cells[row + _BESIDE] = number, beside
        waited = cells[row + _WAITED]
        if waited < _EVENTS:
            at = row + _WAIT + 4 * waited
            cells[at], cells[at + 1], cells[at + 2], cells[at + 3] = (
                operation,
                peer,
                time.monotonic_ns(),
                0,
            )
        cells[row + _WAITED] = waited + 1
        cells[row + _CHANGES] += 1
        cells[row + _STATE] = WAITS

    def go_on(self, rank: int, state: int = COMPUTES) -> None:
        """Note that the rank waits no longer, or that it has returned or raised."""
        row, cells = rank * _ROW, self._cells
        waited = cells[row + _WAITED]
        if cells[row + _STATE] == WAITS and waited <= _EVENTS:
            cells[row + _WAIT + 4 * (waited - 1) + 3] = time.monotonic_ns()
        cells[row + _CHANGES] += 1
        cells[row + _STATE] = state


def _read_step(code: int) -> Step:
    code, ends = divmod(code, 2)
    code, operation = divmod(code, 2)
    call, peer = divmod(code, MOST_RANKS + 1)
    return Step(operation, peer - 1, call, bool(ends))


def _read_row(cells: list[int]) -> Row:
    members = cells[_MEMBERS]
    count = len(OPERATIONS)
    logged = max(0, min(cells[_LOG_LENGTH], _LOGGED))
    log = cells[_LOG : _LOG + _ENTRY * logged]
    return Row(
        state=cells[_STATE],
        operation=cells[_OPERATION] % count,
        peer=cells[_PEER],
        members=tuple(rank for rank in range(MOST_RANKS) if members >> rank & 1),
        group=cells[_GROUP],
        number=cells[_NUMBER],
        beside=bool(cells[_BESIDE]),
        sends=tuple(cells[_SENDS:_RECVS]),
        recvs=tuple(cells[_RECVS:_RECVS_OF_ANY]),
        recvs_of_any=cells[_RECVS_OF_ANY],
        collectives=tuple(cells[_COLLECTIVES:_LOG]),
        log=tuple(
            BegunCollective(*divmod(log[at], count), *log[at + 1 : at + _ENTRY])
            for at in range(0, len(log), _ENTRY)
        ),
    )
