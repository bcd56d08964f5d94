"""In how many rounds the messages of all ranks go. Pure.

In a round each rank sends one message at most, and receives one at most. A message may go once its
sender has ended all that it had to end before it began the send, and the receiver all that it had to end
before it began the recv. Times play no part, so the number is the program's own: a send that is awaited
before the next recv begins takes a round more than one that goes beside it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.judge.worker.ranks.board import SEND, Step


@dataclass(frozen=True)
class _Message:
    """A message; `sent` is the number of its send among all sends of its sender. `before`: the calls,
    rank and number, that had ended before its send and its recv began."""

    sender: int
    sent: int
    receiver: int
    calls: tuple[tuple[int, int], tuple[int, int]]
    before: frozenset[tuple[int, int]]


def count_rounds(steps: Sequence[Sequence[Step]]) -> int:
    """Return the rounds that the messages take, of each rank's steps. A send without its recv counts for
    nothing, and neither does a recv that nobody waited for."""
    left = _match(steps)
    done: set[tuple[int, int]] = set()
    known = {call for message in left for call in message.calls}
    rounds = 0
    while left:
        sends: set[int] = set()
        receives: set[int] = set()
        gone: list[_Message] = []
        for message in left:
            ready = (message.before & known) <= done
            if ready and message.sender not in sends and message.receiver not in receives:
                sends.add(message.sender)
                receives.add(message.receiver)
                gone.append(message)
        if not gone:  # forged: what has run can be put in an order
            return 0
        done.update(call for message in gone for call in message.calls)
        left = [message for message in left if message not in gone]
        rounds += 1
    return rounds


def _match(steps: Sequence[Sequence[Step]]) -> list[_Message]:
    """Return the messages in the order of their sends: the n-th send to a rank is what its n-th recv
    from the sender took."""
    sends: dict[tuple[int, int], list[int]] = defaultdict(list)
    recvs: dict[tuple[int, int], list[int]] = defaultdict(list)
    before: dict[tuple[int, int], frozenset[tuple[int, int]]] = {}
    for rank, own in enumerate(steps):
        ended: set[tuple[int, int]] = set()
        for step in own:
            if step.ends:
                ended.add((rank, step.call))
                if step.operation != SEND:
                    recvs[step.peer, rank].append(step.call)
            else:
                before[rank, step.call] = frozenset(ended)
                if step.operation == SEND:
                    sends[rank, step.peer].append(step.call)
    nothing: frozenset[tuple[int, int]] = frozenset()
    messages = []
    for (sender, receiver), calls in sends.items():
        for sent, taken in zip(calls, recvs[sender, receiver], strict=False):
            both = (sender, sent), (receiver, taken)
            needs = before.get(both[0], nothing) | before.get(both[1], nothing)
            messages.append(_Message(sender, sent, receiver, both, needs))
    return sorted(messages, key=lambda message: (message.sent, message.sender))
