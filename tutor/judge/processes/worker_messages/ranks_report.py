"""What the ranks of one case did: how much they sent, who waited for whom, and why they stopped.

A rank of the learner could forge it, so the types define what the server accepts; outputs are compared
apart from it.
"""

from typing import Annotated, Literal

from msgspec import Meta

from tutor.judge.processes.worker_messages.kernel_report import Integer, Line, Text
from tutor.judge.processes.worker_messages.records import MessageRecord, Size

MOST_RANKS = 8
MOST_WAITS = 400  # of a case that are told
MOST_COLLECTIVES = 256  # of a rank that are told
ANYONE = -1  # the peer of a `recv` that takes from any rank

Milliseconds = Annotated[float, Meta(ge=0, le=1e9)]


class RankWait(MessageRecord, frozen=True):
    """A time in which a rank waited in an operation. `peer`: the rank of a send or recv, `ANYONE`; None
    for a collective."""

    rank: Integer
    operation: Text
    peer: Integer | None
    start_ms: Milliseconds
    end_ms: Milliseconds


class Collective(MessageRecord, frozen=True):
    """A collective that a rank began, and the bytes that it handed to it. `begun`: how many the rank had
    begun when it had waited for this one by its handle; 0 if it did not. `steps`: how many steps of its
    own it had done before, where the exercise counts them."""

    operation: Text
    bytes: Size
    begun: Integer
    steps: Integer


class RankState(MessageRecord, frozen=True):
    """What a rank was in when all were stopped. `number`: of its collective in the group, or of its send
    or recv with that peer, from 1. `waits_for`: the ranks without which it cannot go on."""

    rank: Integer
    state: Literal["computes", "waits", "returned", "raised", "ended"]
    operation: Text = ""
    peer: Integer | None = None
    number: Integer = 0
    waits_for: tuple[Integer, ...] = ()
    line: Line = None
    signal: Text = ""  # that ended it


class Differing(MessageRecord, frozen=True):
    """Two ranks whose collectives of one number, from 1, in one group are different operations, or hand
    different numbers of bytes to one that takes equal ones. Lines are where the learner's file calls
    them."""

    number: Integer
    rank: Integer
    operation: Text
    bytes: Size
    line: Line
    other: Integer
    other_operation: Text
    other_bytes: Size
    other_line: Line


class RanksReport(MessageRecord, frozen=True):
    """The ranks of a case, in their order. `sent`: bytes that each handed to sends and collectives;
    `calls`: its operations by name; `collectives`: in the order in which it began them, sends and recvs
    left out; `sends`: how many messages each sent to each; `rounds`: in how many rounds all messages go,
    if a rank sends one and receives one in a round. `stop`: why they were stopped before all had
    returned or one had raised, "" if they were not; `raised_on`: the rank whose error is the
    answer's."""

    sent: Annotated[tuple[Size, ...], Meta(max_length=MOST_RANKS)]
    calls: Annotated[tuple[dict[Text, Integer], ...], Meta(max_length=MOST_RANKS)]
    collectives: Annotated[
        tuple[Annotated[tuple[Collective, ...], Meta(max_length=MOST_COLLECTIVES)], ...],
        Meta(max_length=MOST_RANKS),
    ] = ()
    sends: Annotated[tuple[tuple[Integer, ...], ...], Meta(max_length=MOST_RANKS)] = ()
    rounds: Integer = 0
    waits: Annotated[tuple[RankWait, ...], Meta(max_length=MOST_WAITS)] = ()
    stop: Literal["", "deadlock", "mismatch", "time", "ended"] = ""
    states: Annotated[tuple[RankState, ...], Meta(max_length=MOST_RANKS)] = ()
    differing: Differing | None = None  # where that is the stop
    raised_on: Integer | None = None
