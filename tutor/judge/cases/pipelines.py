"""A simulator of pipeline parallelism: orders of work in, time and memory out. Pure.

A model is cut into stages, and a batch into microbatches. Each rank holds one stage or more and works
through a list of its own, one operation after the other. An operation is a text, with the letters that
torch.distributed.pipelining prints:

    F3   the forward of microbatch 3 on the rank's stage
    B3   its whole backward
    I3   the part of the backward that gives the gradient of the input
    W3   the part that gives the gradients of the weights
    5F3  the forward of microbatch 3 on stage 5: needed where a rank holds several stages

F of a stage needs F of the stage before; B and I need F of their own stage, and B or I of the stage
behind; W needs I. A rank waits until what its next operation needs has come. Sends are buffered: the
sender goes on at once. `run_orders` measures, and raises `Refused` where the lists break a rule or
nobody can go on.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tutor.base.number_text import plural

Span = tuple[str, float, float, str]  # row, start, end, label: of a Gantt chart
Time = float | tuple[float, ...]  # of every stage, or of each
MOST_OPERATIONS = 100_000

_TEXT = re.compile(r"([0-9]{1,4})?([FBIW])([0-9]{1,5})", re.ASCII)
_WORDS = {"F": "forward", "B": "backward", "I": "input", "W": "weights"}


class Refused(Exception):
    """The lists break a rule; one sentence with the rank and the operation."""


class Stuck(Refused):
    """No rank can go on; one sentence says what each of them waits for."""


@dataclass(frozen=True)
class Pipe:
    """What is to be done, and how long it takes: microbatches `0` to `microbatches - 1` through stages
    `0` to `stages - 1`. `forward` and `backward` are the times of a microbatch on a stage; of a
    backward in two parts W takes `weights`, and I the rest. `send`: from one rank to another."""

    stages: int
    microbatches: int
    forward: Time = 1.0
    backward: Time = 2.0
    weights: Time = 1.0
    send: float = 0.0

    def __post_init__(self) -> None:
        if self.stages < 1 or self.microbatches < 1:
            raise ValueError("a pipeline has a stage and a microbatch at least")
        for name in ("forward", "backward", "weights"):
            times = getattr(self, name)
            if isinstance(times, tuple) and len(times) != self.stages:
                raise ValueError(f"{name}: {plural(len(times), 'time')} for {self.stages} stages")

    def time_of(self, kind: str, stage: int) -> float:
        """Return how long an operation (F, B, I or W) takes on a stage."""
        if kind == "I":
            return self.time_of("B", stage) - self.time_of("W", stage)
        times = {"F": self.forward, "B": self.backward, "W": self.weights}[kind]
        return times[stage] if isinstance(times, tuple) else times


class Operation(NamedTuple):
    """One operation: kind F, B, I or W, of a microbatch on a stage."""

    stage: int
    kind: str
    microbatch: int

    def __str__(self) -> str:
        return f"{self.kind}{self.microbatch}"


@dataclass(frozen=True)
class Run:
    """What came out. By rank: `busy`, the time in which it worked; `alive`, the most microbatches whose
    activations it held at once (on several stages each counts for itself), from the start of F to the
    end of B or W. `messages`: activations and gradients that went from one rank to another. `ended`:
    when each operation was done. `spans`: a chart with a row a rank."""

    time: float
    busy: tuple[float, ...]
    alive: tuple[int, ...]
    messages: int
    ended: Mapping[Operation, float]
    spans: tuple[Span, ...]

    @property
    def idle(self) -> float:
        """Return the time in which ranks did nothing, of all ranks together."""
        return len(self.busy) * self.time - sum(self.busy)

    @property
    def bubble_of_time(self) -> float:
        """Return the share of the whole time that is idle: (p - 1) / (m + p - 1) for 1F1B."""
        return self.idle / (len(self.busy) * self.time)

    @property
    def bubble_of_work(self) -> float:
        """Return the idle time beside the time of the work itself: (p - 1) / m for 1F1B."""
        return self.idle / sum(self.busy)


def run_orders(orders: Sequence[Sequence[str]], pipe: Pipe) -> Run:
    """Run each rank's list, `orders[rank]`, and measure. Every operation begins as early as it can.

    Each microbatch must have F, and either B or both I and W, on each stage, once. A text without a
    number in front means stage `rank`. Raises `Refused`, and `Stuck` where nobody can go on.
    """
    lists, home = _read(orders, pipe)
    return _Engine(lists, home, pipe).run()


# --- what the lists say ---------------------------------------------------------------------------


def _read(orders: Any, pipe: Pipe) -> tuple[list[list[Operation]], dict[int, int]]:
    """Return the operations by rank, and the rank of each stage."""
    if not isinstance(orders, list | tuple):
        raise Refused(f"The orders are {_short(orders)}; expected a list for each rank.")
    lists: list[list[Operation]] = []
    home: dict[int, int] = {}
    seen: set[Operation] = set()
    for rank, order in enumerate(orders):
        if not isinstance(order, list | tuple):
            raise Refused(f"The order of rank {rank} is {_short(order)}; expected a list of texts.")
        if len(order) > MOST_OPERATIONS:
            raise Refused(f"The order of rank {rank} has more than {MOST_OPERATIONS:,} operations.")
        operations = [_operation(text, rank, pipe) for text in order]
        for operation in operations:
            other = home.setdefault(operation.stage, rank)
            if other != rank:
                raise Refused(f"Stage {operation.stage} stands with rank {other} and rank {rank}.")
            if operation in seen:
                raise Refused(f"Rank {rank} does {operation} of stage {operation.stage} twice.")
            seen.add(operation)
        lists.append(operations)
    _check_whole(seen, pipe)
    return lists, home


def _operation(text: Any, rank: int, pipe: Pipe) -> Operation:
    found = _TEXT.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise Refused(f"Rank {rank} lists {_short(text)}; expected a text such as 'F0' or 'B0'.")
    stage = rank if found[1] is None else int(found[1])
    operation = Operation(stage, found[2], int(found[3]))
    if stage >= pipe.stages:
        last = pipe.stages - 1
        raise Refused(f"Rank {rank} lists {text!r} of stage {stage}, and the last stage is {last}.")
    if operation.microbatch >= pipe.microbatches:
        last = pipe.microbatches - 1
        raise Refused(f"Rank {rank} lists {text!r}, and the last microbatch is {last}.")
    return operation


def _check_whole(seen: set[Operation], pipe: Pipe) -> None:
    """Hold the lists to all of the work, and to each part of it once."""
    for stage in range(pipe.stages):
        for microbatch in range(pipe.microbatches):
            has = {kind for kind in "FBIW" if Operation(stage, kind, microbatch) in seen}
            of = f"of microbatch {microbatch} on stage {stage}"
            if "F" not in has:
                raise Refused(f"F{microbatch} of stage {stage} is missing.")
            if has == {"F"}:
                raise Refused(f"B{microbatch} of stage {stage} is missing.")
            if "B" in has and len(has) > 2:
                raise Refused(f"The backward {of} is done whole and in parts.")
            if "B" not in has and len(has) < 3:
                raise Refused(f"The backward {of} has one part of two, I and W.")


# --- the engine -----------------------------------------------------------------------------------


class _Engine:
    """The state of a run: how far each rank is, and what is done."""

    def __init__(self, lists: list[list[Operation]], home: dict[int, int], pipe: Pipe) -> None:
        self.lists, self.home, self.pipe = lists, home, pipe
        self.several = any(rank != stage for stage, rank in home.items())
        self.at = [0] * len(lists)
        self.clock = [0.0] * len(lists)
        self.began: dict[Operation, float] = {}
        self.ended: dict[Operation, float] = {}
        self.whole = {each for order in lists for each in order if each.kind == "B"}
        self.messages = 0

    def run(self) -> Run:
        left = sum(map(len, self.lists))
        while left:
            moved = sum(self._advance(rank) for rank in range(len(self.lists)))
            if not moved:
                raise Stuck(self._told())
            left -= moved
        busy = tuple(
            sum(self.pipe.time_of(each.kind, each.stage) for each in order) for order in self.lists
        )
        time = max(self.ended.values())
        alive = tuple(self._most_alive(order) for order in self.lists)
        return Run(time, busy, alive, self.messages, self.ended, self._spans())

    def _advance(self, rank: int) -> int:
        """Do as much of a rank's list as can be done now. Return how many operations."""
        order, start = self.lists[rank], self.at[rank]
        while self.at[rank] < len(order):
            operation = order[self.at[rank]]
            needs = self._needs(operation)
            if any(need not in self.ended for need in needs):
                break
            ready = self.clock[rank]
            for need in needs:
                away = self.home[need.stage] != rank
                self.messages += away
                ready = max(ready, self.ended[need] + away * self.pipe.send)
            self.began[operation] = ready
            ready += self.pipe.time_of(operation.kind, operation.stage)
            self.ended[operation] = self.clock[rank] = ready
            self.at[rank] += 1
        return self.at[rank] - start

    def _needs(self, operation: Operation) -> list[Operation]:
        stage, kind, microbatch = operation
        if kind == "F":
            return [Operation(stage - 1, "F", microbatch)] if stage else []
        if kind == "W":
            return [Operation(stage, "I", microbatch)]
        needs = [Operation(stage, "F", microbatch)]
        if stage < self.pipe.stages - 1:
            behind = Operation(stage + 1, "B", microbatch)
            needs.append(behind if behind in self.whole else behind._replace(kind="I"))
        return needs

    def _told(self) -> str:
        waits = []
        for rank, order in enumerate(self.lists):
            if self.at[rank] == len(order):
                continue
            operation = order[self.at[rank]]
            need = next(need for need in self._needs(operation) if need not in self.ended)
            other = self.home[need.stage]
            if self.several:
                what, whose = f"{operation} of stage {operation.stage}", f" with rank {other}"
                needed = f"{need} of stage {need.stage}"
            else:
                what, whose, needed = str(operation), f" of stage {other}", str(need)
            if other == rank:
                whose = ", later in its own list"
            who = f"{'rank' if self.several else 'stage'} {rank}"
            waits.append(f"{who} wants {what}, which needs {needed}{whose}")
        more = f"; and {len(waits) - 3} more" if len(waits) > 3 else ""
        return f"No {'rank' if self.several else 'stage'} can go on: {'; '.join(waits[:3])}{more}."

    def _most_alive(self, order: list[Operation]) -> int:
        most = now = 0
        for operation in order:
            now += (operation.kind == "F") - (operation.kind in "BW")
            most = max(most, now)
        return most

    def _spans(self) -> tuple[Span, ...]:
        spans = []
        for rank, order in enumerate(self.lists):
            row = f"rank {rank}" if self.several else f"stage {rank}"
            for each in order:
                label = f"{_WORDS[each.kind]} {each.microbatch}"
                spans.append((row, self.began[each], self.ended[each], label))
        return tuple(spans)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
