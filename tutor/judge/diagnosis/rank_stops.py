"""Sentences on ranks that were stopped, and on what they sent. Pure."""

import math
from collections.abc import Sequence

from tutor.base.list_text import join_with_and
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes.worker_messages.ranks_report import ANYONE, RanksReport, RankState

_CODES = {
    "deadlock": "deadlock",
    "mismatch": "mismatched-collective",
    "time": "timeout",
    "ended": "crash",
}
_TO = {"send": "to", "recv": "from"}


def describe_stop(report: RanksReport, case: str) -> Diagnosis | None:
    """Say why the ranks of a case were stopped; None if they were not."""
    if not report.stop or len(report.states) != len(report.sent):
        return None
    say = {
        "deadlock": _say_deadlock,
        "mismatch": _say_mismatch,
        "time": _say_time,
        "ended": _say_ended,
    }[report.stop]
    sentence, line = say(report)
    return Diagnosis(
        _CODES[report.stop], f"{sentence.removesuffix('.')} (case “{case}”).", line=line
    )


def _say_deadlock(report: RanksReport) -> tuple[str, int | None]:
    states = report.states
    waiting = {state.rank: state for state in states if state.state == "waits"}
    for state in waiting.values():
        for other in state.waits_for:
            if _is_over(states, other):
                return (
                    f"No rank can go on: {_place(state)}, and rank {other} has returned.",
                    state.line,
                )
    circle = find_circle({rank: state.waits_for for rank, state in waiting.items()})
    told = [waiting[rank] for rank in circle or sorted(waiting)]
    return f"No rank can go on: {'; '.join(map(_place, told))}.", told[0].line


def find_circle(waits_for: dict[int, tuple[int, ...]]) -> list[int]:
    """Return ranks of which each waits for the next and the last for the first, the shortest such list;
    [] if there is none."""
    shortest: list[int] = []
    for start in sorted(waits_for):
        paths = [[start]]
        seen = {start}
        while paths:
            path = paths.pop(0)
            for other in waits_for.get(path[-1], ()):
                if other == start and (not shortest or len(path) < len(shortest)):
                    shortest = path
                if other in waits_for and other not in seen:
                    seen.add(other)
                    paths.append([*path, other])
    return shortest


def _say_mismatch(report: RanksReport) -> tuple[str, int | None]:
    found = report.differing
    if found is None:
        return "The ranks call their collectives in different orders.", None
    sizes = ("", "")
    if found.operation == found.other_operation:
        sizes = (f" with {found.bytes:,} bytes", f" with {found.other_bytes:,} bytes")
    told = [
        f"rank {rank} calls {name}{size}{f' (line {line})' if line else ''}"
        for rank, name, size, line in (
            (found.rank, found.operation, sizes[0], found.line),
            (found.other, found.other_operation, sizes[1], found.other_line),
        )
    ]
    if found.operation == found.other_operation:
        return (
            f"The ranks call a collective with different bytes: as its number {found.number} {told[0]}, "
            f"and {told[1]}.",
            found.line,
        )
    return (
        f"The ranks call different collectives: as its number {found.number} {told[0]}, and {told[1]}.",
        found.line,
    )


def _say_time(report: RanksReport) -> tuple[str, int | None]:
    states = report.states
    told = "; ".join(map(_place, states))
    computing = next((state for state in states if state.state == "computes"), states[0])
    return f"It does not end: {told}.", computing.line


def _say_ended(report: RanksReport) -> tuple[str, int | None]:
    ended = [state for state in report.states if state.state == "ended"]
    told = [
        f"rank {state.rank} {f'was ended by {state.signal}' if state.signal else 'left the program'}"
        for state in ended
    ]
    sentence = join_with_and(told)
    return f"{sentence[0].upper()}{sentence[1:]}.", None


def _is_over(states: Sequence[RankState], rank: int) -> bool:
    return any(state.rank == rank and state.state == "returned" for state in states)


def _place(state: RankState) -> str:
    """Name what a rank is in, and at which line."""
    line = f" (line {state.line})" if state.line else ""
    if state.state == "waits":
        return f"rank {state.rank} waits in {describe_call(state.operation, state.peer)}{line}"
    if state.state == "computes":
        return f"rank {state.rank} computes{line}"
    return f"rank {state.rank} has {'raised' if state.state == 'raised' else state.state}"


def describe_call(operation: str, peer: int | None) -> str:
    """Name a call: `send to rank 2`, `recv from any rank`, `all_reduce`."""
    if peer is None or operation not in _TO:
        return operation
    return f"{operation} {_TO[operation]} {'any rank' if peer == ANYONE else f'rank {peer}'}"


def find_forbidden(report: RanksReport, allowed: frozenset[str]) -> tuple[int, str] | None:
    """Return a rank and the first of its operations that is not among the allowed ones."""
    for rank, calls in enumerate(report.calls):
        for name in calls:
            if name not in allowed:
                return rank, name
    return None


def find_most_sent(report: RanksReport) -> tuple[int, int]:
    """Return the rank that has sent most, and its bytes."""
    sent = max(report.sent, default=0)
    return (report.sent.index(sent) if report.sent else 0), sent


def count_calls(report: RanksReport) -> int:
    """Return the calls of the rank that has made most."""
    return max((sum(calls.values()) for calls in report.calls), default=0)


def draw_ranks(report: RanksReport) -> tuple[tuple[str, float, float, str], ...]:
    """Return who waits and who computes when, as spans of a Gantt chart: row, start, end in
    milliseconds, label. Waits too short to be seen, a thousandth of the whole, are left out."""
    end = max((wait.end_ms for wait in report.waits), default=0.0)
    least = end / 1000
    spans = []
    for rank in range(len(report.sent)):
        at = 0.0
        for wait in report.waits:
            if wait.rank != rank or wait.end_ms - max(at, wait.start_ms) <= least:
                continue
            start = max(at, wait.start_ms)
            if start - at > least:
                spans.append((f"rank {rank}", at, start, "computes"))
            peer = "" if wait.peer is None or wait.peer == ANYONE else f" {wait.peer}"
            spans.append((f"rank {rank}", start, wait.end_ms, f"{wait.operation}{peer}"))
            at = wait.end_ms
    return tuple(span for span in spans if math.isfinite(span[2]))
