"""A simulator of one device with two streams: an order of work in, time and memory out. Pure.

Computations run on one stream, collectives on the other, each in the order in which they were issued. An
order is a list of texts:

    mm1        issue the operation of this name
    wait ag1   what comes behind it on the stream of computations begins once `ag1` is done

A computation begins when the computations and waits before it in the order are done. A collective begins
when these are done and the collective before it, too: the process group of NCCL lets its stream wait for
all that was issued before. A result takes its memory at its place in the order, and gives it back behind
the last place that reads it: a computation's own place, a collective's wait. A result that nobody reads
stays. `run_order` measures, and raises `Refused` where the order breaks a rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Span = tuple[str, float, float, str]  # row, start, end, label: of a Gantt chart
KINDS = ("compute", "gather", "reduce")
MOST_ENTRIES = 10_000


class Refused(Exception):
    """The order breaks a rule; one sentence with the entry's number."""


@dataclass(frozen=True)
class Op:
    """One operation: `kind` is "compute", "gather" or "reduce" (a collective, both), `time` how long it
    takes, `bytes` what its result takes, `needs` the names of those whose results it reads."""

    name: str
    kind: str
    time: float
    bytes: int = 0
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind {self.kind!r}; expected one of {', '.join(KINDS)}")
        if not self.name or " " in self.name:
            raise ValueError(f"name {self.name!r} is empty or has a blank")

    @property
    def collective(self) -> bool:
        """Return whether it runs on the stream of collectives."""
        return self.kind != "compute"


@dataclass(frozen=True)
class Run:
    """What came out: the whole time, the time in which no computation ran (`exposed`), the most bytes at
    once, when each operation began and ended, and a chart with a row a stream."""

    time: float
    exposed: float
    peak: int
    times: Mapping[str, tuple[float, float]]
    spans: tuple[Span, ...]


def run_order(order: Sequence[str], ops: Sequence[Op]) -> Run:
    """Run an order of all operations, in which each collective is waited for once. Raises `Refused`."""
    known = {op.name: op for op in ops}
    _check(order, known)
    now = free = 0.0  # when the streams of computations and of collectives have nothing left to do
    times: dict[str, tuple[float, float]] = {}
    for entry in order:
        waited = _waited(entry)
        if waited is not None:
            now = max(now, times[waited][1])
            continue
        op = known[entry]
        begin = max(now, free) if op.collective else now
        times[entry] = (begin, begin + op.time)
        if op.collective:
            free = begin + op.time
        else:
            now = begin + op.time
    worked = sum(op.time for op in ops if not op.collective)
    whole = max(now, free)
    return Run(whole, whole - worked, _peak(order, known), times, _spans(known, times))


def _waited(entry: str) -> str | None:
    """Return the name of the collective that an entry waits for, or None."""
    return entry[5:] if entry.startswith("wait ") else None


def _check(order: Any, known: Mapping[str, Op]) -> None:
    """Hold an order to the rules: all once, waits behind their collectives, reads behind both."""
    if not isinstance(order, list | tuple) or not all(isinstance(entry, str) for entry in order):
        raise Refused(f"The order is {_short(order)}; expected a list of texts.")
    if len(order) > MOST_ENTRIES:
        raise Refused(f"The order has {len(order):,} entries.")
    issued: set[str] = set()
    done: set[str] = set()  # may be read from here on
    for number, entry in enumerate(order):
        name = _waited(entry)
        wrong = (
            _why_not_read(entry, known, issued, done)
            if name is None
            else _why_not_waited(name, known, issued, done)
        )
        if wrong:
            raise Refused(f"Entry {number}, {_short(entry)}: {wrong}.")
        if name is not None:
            done.add(name)
            continue
        issued.add(entry)
        if not known[entry].collective:
            done.add(entry)
    for name, op in known.items():
        if name not in issued:
            raise Refused(f"The order lacks {name}.")
        if op.collective and name not in done:
            raise Refused(f"The order lacks the wait for {name}.")


def _why_not_waited(name: str, known: Mapping[str, Op], issued: set[str], done: set[str]) -> str:
    if name not in known or not known[name].collective:
        return "no collective has this name"
    if name not in issued:
        return f"{name} has not begun yet"
    return f"{name} was waited for before" if name in done else ""


def _why_not_read(entry: str, known: Mapping[str, Op], issued: set[str], done: set[str]) -> str:
    if entry not in known:
        return "no operation has this name"
    if entry in issued:
        return "it stands there twice"
    for need in known[entry].needs:
        if need not in issued:
            return f"it reads {need}, which comes later"
        if need not in done:
            return f"it reads {need}, and no wait for {need} stands before it"
    return ""


def _peak(order: Sequence[str], known: Mapping[str, Op]) -> int:
    """Return the most bytes that results take at one place of the order."""
    place = {entry: number for number, entry in enumerate(order)}
    ends: dict[int, int] = {}  # bytes that are given back behind a place
    read = dict.fromkeys(known, -1)
    for name, op in known.items():
        at = place[f"wait {name}"] if op.collective else place[name]
        for need in op.needs:
            read[need] = max(read[need], at)
    for name, at in read.items():
        if at >= 0:
            ends[at] = ends.get(at, 0) + known[name].bytes
    held = peak = 0
    for number, entry in enumerate(order):
        if _waited(entry) is None:
            held += known[entry].bytes
        peak = max(peak, held)
        held -= ends.get(number, 0)
    return peak


def _spans(known: Mapping[str, Op], times: Mapping[str, tuple[float, float]]) -> tuple[Span, ...]:
    rows = {"compute": "compute", "gather": "network", "reduce": "network"}
    spans = [(rows[known[name].kind], begin, end, name) for name, (begin, end) in times.items()]
    return tuple(sorted(spans, key=lambda span: (span[0], span[1])))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
