"""Call the learner's function once a rank: processes forked from this one, joined by gloo on loopback.

This process runs none of the learner's code meanwhile. It watches the board, ends all ranks once they
have returned, one has raised, or none can go on, and says what each was in. No port is chosen here: gloo
takes free ones and tells them through a file.
"""

import faulthandler
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FileStore

from tutor.judge.cases import own_steps
from tutor.judge.processes import learner_module, process_control
from tutor.judge.processes.worker_messages.ranks_report import (
    MOST_RANKS,
    Collective,
    Differing,
    RanksReport,
    RankState,
    RankWait,
)
from tutor.judge.processes.worker_messages.records import LearnerError, MessageRecord, OutputTensor
from tutor.judge.worker.ranks import proof
from tutor.judge.worker.ranks.board import (
    COMPUTES,
    OPERATIONS,
    RAISED,
    RECV,
    RETURNED,
    SEND,
    WAITS,
    Board,
    Row,
)
from tutor.judge.worker.ranks.group import NAME, WatchedGroup
from tutor.judge.worker.ranks.rounds import count_rounds

_LOOK_SECONDS = 0.002  # between two looks at the board
_SURE_SECONDS = 0.05  # in which nothing may move before a deadlock is told
_GONE_SECONDS = 0.1  # after an error, for a process that was killed to be gone
_LINE_SECONDS = 0.2  # at most, for the ranks to write where they are
_ONE_CALL_MS = 0.3  # at most, between the two waits of one call
_BEFORE_END = 1.0  # seconds before the judge's own limit

Stop = Literal["", "deadlock", "mismatch", "time", "ended"]
Describe = Callable[[Any], OutputTensor | str]


class RankSaid(MessageRecord, frozen=True):
    """How a rank ended: a tensor, whose elements are in a file, something else, or an error."""

    output: OutputTensor | None = None
    wrong_type: str = ""
    error: LearnerError | None = None


@dataclass(frozen=True)
class RanksEnd:
    """How the ranks of one call ended: `output` is [world, …]; one of it, `wrong_type`, `error` and the
    report's `stop` is there."""

    report: RanksReport
    output: torch.Tensor | None = None
    wrong_type: str = ""
    error: LearnerError | None = None


@dataclass(frozen=True)
class Ranks:
    """What all calls of a submission share. `deadline` is a time of `time.monotonic`; `memory_bytes`
    are those that all ranks may take together; `describe` tells what a rank returned."""

    entry: Callable[..., Any]
    filename: str
    deadline: float
    memory_bytes: int
    describe: Describe

    def run(self, args: tuple[Any, ...]) -> RanksEnd:
        """Let rank r call `entry(r, world, …)`: `args` begin with `world`; of each tensor rank r gets a
        copy of row r, and every other argument as it is. Raises `ValueError` for a world of no rank or
        more than `MOST_RANKS`."""
        world, rest = args[0], args[1:]
        if not 0 < world <= MOST_RANKS:
            raise ValueError(f"a world of {world} ranks: at most {MOST_RANKS}")
        folder = Path(tempfile.mkdtemp(prefix="ranks-", dir="."))
        try:
            return _Running(self, world, rest, folder).end()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class _Running:
    """The ranks of one call, from their forks to their end."""

    def __init__(self, ranks: Ranks, world: int, args: tuple[Any, ...], folder: Path) -> None:
        self._ranks, self._folder, self._world = ranks, folder, world
        self._board = Board(world)
        self._ended: dict[int, int] = {}  # ranks whose process is gone, with its status
        parent = os.getpid()
        self._pids: list[int] = []
        sys.stdout.flush()
        sys.stderr.flush()
        for rank in range(world):
            pid = os.fork()
            if pid == 0:
                process_control.die_with_parent(parent)
                _be_rank(ranks, rank, world, args, self._board, folder)
            self._pids.append(pid)

    def end(self) -> RanksEnd:
        """Watch until the ranks have ended, or have to. None is left when it returns."""
        try:
            stop = self._watch()
            rows = self._board.rows()
            lines = self._ask_lines() if stop else {}
        finally:
            alive = [pid for rank, pid in enumerate(self._pids) if rank not in self._ended]
            for pid in alive:  # all stop before one ends: no rank may fail by another's end
                os.kill(pid, signal.SIGSTOP)
            for pid in alive:
                process_control.kill(pid)
                os.waitpid(pid, 0)
        return self._describe_end(stop, rows, lines)

    def _watch(self) -> Stop:
        board, still, since = self._board, b"", 0.0
        while True:
            self._note_ended()
            states = [board.state(rank) for rank in range(self._world)]
            if RAISED in states or all(state == RETURNED for state in states):
                # It may be an error of gloo, to which two ranks said different things or which lost one.
                if proof.find_mismatch(board.rows()):
                    return "mismatch"
                return "ended" if RAISED in states and self._has_lost_one() else ""
            if self._ended:  # gloo may end a process to which another one said something else
                return "mismatch" if proof.find_mismatch(board.rows()) else "ended"
            seen, now = board.snapshot(), time.monotonic()
            if seen != still:
                still, since = seen, now
            elif now - since > _SURE_SECONDS:
                since = now
                rows = board.rows()
                if proof.find_mismatch(rows):
                    return "mismatch"
                if proof.is_deadlock(rows) and board.snapshot() == still:
                    return "deadlock"
            if now > self._ranks.deadline - _BEFORE_END:
                return "time"
            time.sleep(_LOOK_SECONDS)

    def _has_lost_one(self) -> bool:
        """Return True if a process is gone, or goes within `_GONE_SECONDS`: its sockets close before
        it is known to have ended."""
        until = time.monotonic() + _GONE_SECONDS
        while not self._ended and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            self._note_ended()
        return bool(self._ended)

    def _note_ended(self) -> None:
        for rank, pid in enumerate(self._pids):
            if rank not in self._ended:
                gone, status = os.waitpid(pid, os.WNOHANG)
                if gone:
                    self._ended[rank] = status

    def _ask_lines(self) -> dict[int, int]:
        """Return at which line of the learner's file each rank is that has not ended."""
        asked = []
        for rank, pid in enumerate(self._pids):
            if rank not in self._ended and self._board.state(rank) in (COMPUTES, WAITS):
                os.kill(pid, signal.SIGUSR1)
                asked.append(rank)
        until = time.monotonic() + _LINE_SECONDS
        lines: dict[int, int] = {}
        pattern = re.compile(rf'File "{re.escape(self._ranks.filename)}", line (\d+)')
        while len(lines) < len(asked) and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            for rank in asked:
                with (self._folder / f"where{rank}").open(errors="replace") as file:
                    if match := pattern.search(file.read(1 << 16)):
                        lines[rank] = int(match[1])
        return lines

    def _describe_end(self, stop: Stop, rows: list[Row], lines: dict[int, int]) -> RanksEnd:
        said = [self._read_said(rank) for rank in range(self._world)]
        raised = next((r for r, row in enumerate(rows) if row.state == RAISED), None)
        report = RanksReport(
            sent=tuple(self._board.sent(rank) for rank in range(self._world)),
            calls=tuple(self._board.calls(rank) for rank in range(self._world)),
            sends=tuple(tuple(row.sends[: self._world]) for row in rows),
            rounds=self._count_rounds(),
            waits=tuple(self._list_waits()),
            collectives=tuple(
                tuple(
                    Collective(
                        OPERATIONS[call.operation], max(0, call.size), call.begun, call.steps
                    )
                    for call in row.log
                )
                for row in rows
            ),
            stop=stop,
            states=self._describe_states(rows, lines) if stop else (),
            differing=self._describe_differing(rows) if stop == "mismatch" else None,
            raised_on=None if stop else raised,
        )
        if raised is not None and not stop:
            return RanksEnd(report, error=said[raised].error)
        if stop:
            return RanksEnd(report)
        wrong = next((r for r, each in enumerate(said) if not each.output), None)
        if wrong is not None:
            return RanksEnd(report, wrong_type=f"{said[wrong].wrong_type} on rank {wrong}")
        forms = [each.output for each in said]
        for rank, form in enumerate(forms):
            assert form
            assert forms[0]
            if (form.shape, form.dtype) != (forms[0].shape, forms[0].dtype):
                told = " and ".join(
                    f"{each.dtype}{list(each.shape)} on rank {at}"
                    for at, each in ((0, forms[0]), (rank, form))
                )
                return RanksEnd(report, wrong_type=f"tensors that differ in form: {told}")
        return RanksEnd(report, output=self._stack(forms[0]))

    def _stack(self, form: OutputTensor | None) -> torch.Tensor:
        """Return the outputs of all ranks, each in a row."""
        assert form
        dtype = getattr(torch, form.dtype)
        out = torch.empty((self._world, *form.shape), dtype=dtype)
        for rank in range(self._world):
            data = bytearray((self._folder / f"out{rank}").read_bytes())
            if len(data) != out[rank].numel() * out.element_size():
                raise ValueError(f"rank {rank} left {len(data)} bytes of its output")
            if data:
                out[rank] = torch.frombuffer(data, dtype=dtype).view(form.shape)
        return out

    def _read_said(self, rank: int) -> RankSaid:
        try:
            text = (self._folder / f"said{rank}").read_bytes()
            return msgspec.json.decode(text, type=RankSaid)
        except (OSError, msgspec.MsgspecError):
            return RankSaid(wrong_type="nothing that can be read")

    def _count_rounds(self) -> int:
        """Return the rounds that the messages took; 0 where there are too many to tell."""
        steps = [self._board.steps(rank) for rank in range(self._world)]
        known = [each for each in steps if each is not None]
        return count_rounds(known) if len(known) == len(steps) else 0

    def _list_waits(self) -> list[RankWait]:
        """Return the waits of all ranks, in milliseconds since the first was called. The two of a call,
        until gloo gives a handle and until it has ended, are one where nothing is between them."""
        now = time.monotonic_ns()
        waits: list[RankWait] = []
        origin = min(filter(None, map(self._board.began, range(self._world))), default=now)

        def milliseconds(moment: int) -> float:
            return min(1e9, max(0.0, (moment - origin) / 1e6))

        for rank in range(self._world):
            last: RankWait | None = None
            for operation, peer, start, end in self._board.waits(rank):
                name = OPERATIONS[operation % len(OPERATIONS)]
                told = peer if operation in (SEND, RECV) else None
                first, until = milliseconds(start), milliseconds(end or now)
                new = RankWait(rank, name, told, first, max(first, until))
                same = last and (last.operation, last.peer) == (name, told)
                if last and same and first - last.end_ms < _ONE_CALL_MS:
                    waits.pop()
                    new = msgspec.structs.replace(new, start_ms=last.start_ms)
                waits.append(new)
                last = new
        return waits

    def _describe_differing(self, rows: list[Row]) -> Differing | None:
        found = proof.find_mismatch(rows)
        if found is None:
            return None
        return Differing(
            number=found.number,
            rank=found.rank,
            operation=OPERATIONS[found.call.operation],
            bytes=found.call.size,
            line=found.call.line or None,
            other=found.other,
            other_operation=OPERATIONS[found.other_call.operation],
            other_bytes=found.other_call.size,
            other_line=found.other_call.line or None,
        )

    def _describe_states(self, rows: list[Row], lines: dict[int, int]) -> tuple[RankState, ...]:
        return tuple(self._describe_state(rank, rows, lines) for rank in range(self._world))

    def _describe_state(self, rank: int, rows: list[Row], lines: dict[int, int]) -> RankState:
        row, line = rows[rank], lines.get(rank)
        if rank in self._ended:
            status = self._ended[rank]
            by = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""
            return RankState(rank, "ended", signal=by)
        if row.state in (RETURNED, RAISED):
            return RankState(rank, "returned" if row.state == RETURNED else "raised")
        if row.state == WAITS:
            return RankState(
                rank,
                "waits",
                operation=OPERATIONS[row.operation],
                peer=None if row.is_collective else row.peer,
                number=row.number,
                waits_for=proof.find_missing(rows, rank),
                line=line,
            )
        return RankState(rank, "computes", line=line)


def _be_rank(
    ranks: Ranks, rank: int, world: int, args: tuple[Any, ...], board: Board, folder: Path
) -> None:
    """Call the learner's function as this rank, leave what it returns, and wait to be ended."""
    state = RAISED
    try:
        where = (folder / f"where{rank}").open("w")
        faulthandler.register(signal.SIGUSR1, file=where, all_threads=False)
        process_control.limit_memory(ranks.memory_bytes // world)
        _join(rank, world, board, folder, ranks.filename)
        given = [each[rank].clone() if isinstance(each, torch.Tensor) else each for each in args]
        own_steps.reset()
        board.call(rank)
        out = ranks.entry(rank, world, *given)
        described = ranks.describe(out)
        if isinstance(described, str):
            said = RankSaid(wrong_type=described)
        else:
            data = out.detach().contiguous().reshape(-1).view(torch.uint8)
            (folder / f"out{rank}").write_bytes(data.numpy().tobytes())
            said = RankSaid(output=described)
        state = RETURNED
    except BaseException as error:
        said = RankSaid(error=learner_module.describe_error(error, ranks.filename))
    try:
        (folder / f"said{rank}").write_bytes(msgspec.json.encode(said))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        board.go_on(rank, state)
        while True:  # its sockets stay open, so that no other rank fails by its end
            signal.pause()


def _join(rank: int, world: int, board: Board, folder: Path, filename: str) -> None:
    """Make this process a rank of the default group. `filename`: the learner's."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.Backend.register_backend(
        NAME,
        lambda options, _: WatchedGroup(options, board, rank, filename),
        extended_api=True,
        devices=["cpu"],
    )
    store = FileStore(str(folder / "store"), world)
    dist.init_process_group(NAME, store=store, rank=rank, world_size=world)
