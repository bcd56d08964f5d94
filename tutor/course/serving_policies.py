"""Policies of a server, for `run_steps` of `tutor.judge.cases.serving`: each says how many tokens of
which request the next step takes. Lessons compare them. Pure.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol


class Queued(Protocol):
    """What a policy has to know of a request (`Seen` of the simulator is one)."""

    @property
    def name(self) -> str: ...

    @property
    def written(self) -> int: ...

    @property
    def left(self) -> int: ...


Policy = Callable[[Sequence[Queued], Sequence[Queued], int, Any], dict[str, int]]


def mixed(budget: int) -> Policy:
    """Return the policy of one budget for both phases: each request that decodes has its token in every
    step, and prompts get what is left of `budget` tokens, in turn and in chunks."""

    def policy(
        waiting: Sequence[Queued], running: Sequence[Queued], free: int, server: Any
    ) -> dict[str, int]:
        step = {each.name: 1 for each in running if each.written}
        return step | _chunks((*running, *waiting), budget - len(step))

    return policy


def chunks_alone(size: int) -> Policy:
    """Return the policy of chunks that come first: as long as there are prompts a step reads up to
    `size` tokens of them and nothing else."""

    def policy(
        waiting: Sequence[Queued], running: Sequence[Queued], free: int, server: Any
    ) -> dict[str, int]:
        return _chunks((*running, *waiting), size) or {each.name: 1 for each in running}

    return policy


def _chunks(requests: Iterable[Queued], room: int) -> dict[str, int]:
    """Return what the prompts get of so many tokens, the first in turn all that it has left."""
    got: dict[str, int] = {}
    for each in requests:
        if room > 0 and not each.written:
            got[each.name] = min(each.left, room)
            room -= got[each.name]
    return got
