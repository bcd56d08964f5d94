"""Triton's passes left out of a kernel's lowering, one after the other, and what the kernel is without
each: its texts, its counts, and on the target's GPU the time of a launch. Each is tried in a process of
its own, as a compiler without one of its passes may not end, nor a kernel that it made.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import msgspec

from tutor.base.errors import UsageError
from tutor.hardware.gpus import Target
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import Event, Failure, LaunchTime, Number, Omission, Stage
from tutor.xray.triton_kernels import launch_timing, triton_passes
from tutor.xray.triton_kernels.lowering import (
    Emit,
    Enough,
    Explain,
    lower_kernels,
    plain_reason,
)

ALL = "all"
_AT_ONCE = 2
_SECONDS = 60.0  # of one lowering
_LOOK_SECONDS = 0.005
_MOST_TEXT = 8_000_000  # characters of the texts of one lowering that are kept
_MOST_REASON, _MOST_REASONS = 400, 2  # characters, and lines, of what a compiler says
_TELLING = re.compile(r"error|^pass without a reason", re.IGNORECASE)
_PLACE = re.compile(
    r"^(?:\S*/)?([^/\s:]+:\d+):\d+: "
)  # of a file: its folder and column are left out
_CLOSE = 3  # names that are offered for one that is none


@dataclass(frozen=True)
class _Whole:
    """A kernel's lowering with all its passes. `shared` is the bytes of shared memory of a block."""

    stages: dict[str, Stage]
    passes: dict[tuple[str, str], int]  # (stage, pass) -> how often it runs
    counts: tuple[tuple[str, Number], ...]


def lower_without(
    kernel: KernelSource,
    target: Target,
    emit: Emit,
    wanted: Sequence[str],
    *,
    with_text: bool = True,
    explain: Explain = plain_reason,
) -> int:
    """Emit the stages of the kernel as `lower_kernels` does, then an `Omission` for the kernel as it is,
    and one for each of the `wanted` passes, as they are done.

    Returns the status of `lower_kernels`; without all stages no pass is left out. Raises `CannotHere`
    where Triton's own names were not tried, `UsageError` for a name that is no pass of this kernel's.
    """
    triton_passes.require_tried_pair()
    passes: Counter[tuple[str, str]] = Counter()
    stages: dict[str, Stage] = {}

    def take(event: Event) -> None:
        if isinstance(event, Stage):
            stages[event.name] = event
        emit(event)

    def note(stage: str, name: str) -> bool:
        passes[stage, name] += 1
        return True

    status = lower_kernels([kernel], target, take, with_text=with_text, note=note, explain=explain)
    if status:
        return status
    whole = _Whole(stages, dict(passes), _counts_of(stages))
    chosen = _choose(wanted, whole.passes)
    as_it_is = Omission(kernel.name, "", "", of=len(chosen), counts=whole.counts)
    if launch_timing.may_time():
        as_it_is = _time(as_it_is, kernel, target)
    emit(as_it_is)
    rows = [
        Omission(kernel.name, stage, name, whole.passes[stage, name], place, len(chosen))
        for place, (stage, name) in enumerate(chosen, 1)
    ]
    for row in _in_processes(rows, lambda row: _leave_out(row, kernel, target, whole), _say_failed):
        emit(_time(row, kernel, target) if as_it_is.time and _is_another(row) else row)
    return 0


def _is_another(row: Omission) -> bool:
    """Return True for a pass without which there is a kernel, and another one."""
    return bool(row.changed) and not row.failed and not row.sentence


def _say_failed(row: Omission, why: str) -> Omission:
    """Return the row of a pass without which the compiler broke off."""
    return replace(row, failed=row.stage, sentence=f"Triton's compiler {why}")


def _time(row: Omission, kernel: KernelSource, target: Target) -> Omission:
    """Return the row with the time of a launch, or why there is none."""

    def note(stage: str, name: str) -> bool:
        return (stage, name) != (row.stage, row.name)

    def time_row(row: Omission) -> Omission:
        taken = launch_timing.time_launch(kernel, target, note)
        if isinstance(taken, LaunchTime):
            return replace(row, time=taken)
        return replace(row, untimed=_limit_words(taken))

    def say_untimed(row: Omission, why: str) -> Omission:
        return replace(row, untimed=f"The launch {why}")

    (timed,) = _in_processes([row], time_row, say_untimed)
    return timed


def _choose(wanted: Sequence[str], passes: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    """Return the passes meant, in their order. Raises `UsageError` for a name of none."""
    if ALL in wanted:
        return list(passes)
    chosen: set[tuple[str, str]] = set()
    for word in wanted:
        stage, _, name = word.rpartition(":")
        plain = name.replace("-", "_").removeprefix("tritongpu_").removeprefix("triton_")
        meant = {
            (of, known) for of, known in passes if known in (name, plain) and stage in ("", of)
        }
        if not meant:
            names = list(dict.fromkeys(known for _, known in passes))
            close = difflib.get_close_matches(plain, names, _CLOSE, 0.5)
            hint = f"; near it: {', '.join(close)}" if close else ""
            raise UsageError(
                f"{word[:60]!r} is no pass that this kernel's lowering runs{hint}. "
                "`--without all` tries each one."
            )
        chosen |= meant
    return [key for key in passes if key in chosen]


def _counts_of(stages: dict[str, Stage]) -> tuple[tuple[str, Number], ...]:
    """Return the counts of the last stage that was made."""
    return list(stages.values())[-1].counts


def _leave_out(row: Omission, kernel: KernelSource, target: Target, whole: _Whole) -> Omission:
    """Lower the kernel without the pass of `row`, down to a stage that is the same as with it."""
    changed: dict[str, Stage] = {}
    failures: list[Failure] = []

    def take(event: Event) -> None:
        if isinstance(event, Failure):
            failures.append(event)
        elif isinstance(event, Stage) and event.name in whole.stages:
            order = list(whole.stages)
            if order.index(event.name) < order.index(row.stage):
                return
            if event.text == whole.stages[event.name].text:
                raise Enough  # what follows is made of it alone
            changed[event.name] = event

    def note(stage: str, name: str) -> bool:
        return (stage, name) != (row.stage, row.name)

    status = lower_kernels([kernel], target, take, with_text=False, note=note, explain=_give_reason)
    sentence = " ".join(failure.sentence for failure in failures)
    if status:
        failed = next(f.stage for f in failures if not f.stage.startswith("launch:"))
        failed = failed.partition(":")[0]
        counts: tuple[tuple[str, Number], ...] = ()
    else:
        failed = ""
        last = list(whole.stages)[-1]
        counts = changed[last].counts if last in changed else whole.counts
    texts = tuple((name, stage.text) for name, stage in changed.items())
    if sum(len(text) for _, text in texts) > _MOST_TEXT:
        texts = ()
    return replace(
        row, changed=tuple(changed), counts=counts, failed=failed, sentence=sentence, texts=texts
    )


def _give_reason(error: BaseException) -> str:
    """Return what the compiler says, its own words: the lines that name an error, or else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines[1:] if _TELLING.search(line)][:_MOST_REASONS]
    said = [_PLACE.sub(r"\1: ", line) for line in said]
    return _limit_words("; ".join(said or lines[:1]) or type(error).__name__)


def _limit_words(text: str) -> str:
    """Return the text in one line of at most `_MOST_REASON` characters."""
    text = " ".join(text.split())
    return text if len(text) <= _MOST_REASON else f"{text[: _MOST_REASON - 1]}…"


# --- processes ------------------------------------------------------------------------------------


@dataclass
class _Child:
    row: Omission
    pid: int
    answer: IO[bytes]
    until: float  # on the monotonic clock


def _in_processes(
    rows: Sequence[Omission],
    work: Callable[[Omission], Omission],
    say_lost: Callable[[Omission, str], Omission],
) -> Iterator[Omission]:
    """Yield what `work` makes of each row, in the order in which they are done, at most two at once.

    `say_lost` makes the row of one whose process ended without an answer, or not in time. Triton's
    cache is a folder of each process, for what is compiled without a pass has the key of the whole
    kernel.
    """
    waiting = list(rows)
    children: list[_Child] = []
    with tempfile.TemporaryDirectory(prefix="tutor-passes-", ignore_cleanup_errors=True) as caches:
        try:
            while waiting or children:
                while waiting and len(children) < min(_AT_ONCE, len(os.sched_getaffinity(0))):
                    place = len(rows) - len(waiting)
                    children.append(_fork(waiting.pop(0), work, Path(caches, str(place))))
                for child in list(children):
                    ended, status = os.waitpid(child.pid, os.WNOHANG)
                    if ended:
                        children.remove(child)
                        yield _read_answer(child, os.waitstatus_to_exitcode(status), say_lost)
                    elif time.monotonic() > child.until:
                        children.remove(child)
                        _end(child)
                        yield say_lost(child.row, f"had not ended after {_SECONDS:.0f} s.")
                time.sleep(_LOOK_SECONDS)
        finally:
            for child in children:
                _end(child)


def _fork(row: Omission, work: Callable[[Omission], Omission], cache: Path) -> _Child:
    answer = tempfile.TemporaryFile()  # noqa: SIM115 (closed in _read_answer)
    pid = os.fork()
    if pid:
        return _Child(row, pid, answer, time.monotonic() + _SECONDS)
    try:  # in the child
        with tempfile.TemporaryFile() as printed:  # a compiler that crashes prints its stack
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            triton_passes.keep_cache_in(cache)
            answer.write(msgspec.msgpack.encode(work(row)))
            answer.flush()
    finally:
        os._exit(0)


def _read_answer(
    child: _Child, status: int, say_lost: Callable[[Omission, str], Omission]
) -> Omission:
    with child.answer as file:
        file.seek(0)
        data = file.read()
    if data:
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.msgpack.decode(data, type=Omission)
    name = signal.Signals(-status).name if status < 0 else "no answer"
    return say_lost(child.row, f"broke off ({name}).")


def _end(child: _Child) -> None:
    child.answer.close()
    with contextlib.suppress(OSError):
        os.kill(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
