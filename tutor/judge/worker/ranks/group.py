"""A process group of gloo that notes each call on the board before and after it."""

import sys
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor
from torch._C import _distributed_c10d as c10d

from tutor.judge.cases import own_steps
from tutor.judge.processes.worker_messages.ranks_report import ANYONE
from tutor.judge.worker.ranks.board import GROUPS, OPERATIONS, RECV, SEND, Board

NAME = "watched"  # of the backend
_ALL_REDUCE, _BROADCAST, _REDUCE, _ALL_GATHER, _GATHER, _SCATTER, _REDUCE_SCATTER, _ALL_TO_ALL = (
    range(2, 10)
)
_BARRIER = OPERATIONS.index("barrier")

Begin = Callable[[], Any]


class _Call:
    """A call of a rank: it is counted when it is made, and notes when the rank waits in it."""

    def __init__(
        self, board: Board, rank: int, operation: int, peer: int, group: "WatchedGroup", size: int
    ) -> None:
        self._board, self._rank = board, rank
        self._note = (operation, peer, group.members, group.slot)
        line = _find_line(group.filename)
        steps = own_steps.done()
        self._number = board.begin(rank, operation, peer, group.slot, size, line, steps)
        self._is_message = operation in (SEND, RECV)
        # a collective of those that are kept has this place
        self._place = -1 if self._is_message else board.begun(rank) - 1
        self._step = board.note_step(rank, operation, peer) if self._is_message else 0
        self._ended = False

    def __enter__(self) -> None:
        beside = threading.active_count() > 1
        self._board.wait(self._rank, *self._note, self._number, beside)

    def __exit__(self, *error: object) -> None:
        self._board.go_on(self._rank)

    def end(self, work: Any) -> None:
        """Note that the rank has waited for the call by its handle, `work`."""
        self._board.waited(self._rank, self._place)
        self.end_message(work)

    def end_message(self, work: Any) -> None:
        """Note that the rank knows a send or recv to have ended; a second time changes nothing."""
        if self._ended or not self._is_message:
            return
        self._ended = True
        operation, peer, members, _ = self._note
        if peer == ANYONE:
            source = int(work._source_rank())
            peer = members[source] if 0 <= source < len(members) else ANYONE
        self._board.note_step(self._rank, operation, peer, self._step)


def _find_line(filename: str) -> int:
    """Return the line of this file that is being run by this thread, the innermost one; 0 if none is."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename != filename:
        if frame.f_back is None:
            return 0
        frame = frame.f_back
    return frame.f_lineno


# Typed stubs of torch name each parameter as C++ does; torch itself calls by place and by name.
_ProcessGroup: Any = c10d.ProcessGroup
_GlooWork: Any = c10d.Work


class _Work(_GlooWork):  # type: ignore[misc]
    """gloo's handle of a call, whose `wait` is noted."""

    def __init__(self, work: Any, call: _Call) -> None:
        super().__init__()
        self._work, self._call = work, call

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait until the call has ended. Raises `RuntimeError` where gloo does."""
        with self._call:
            ended = bool(self._work.wait() if timeout is None else self._work.wait(timeout))
        self._call.end(self._work)
        return ended

    def is_completed(self) -> bool:
        """Return True if the call has ended."""
        ended = bool(self._work.is_completed())
        if ended:
            self._call.end_message(self._work)
        return ended

    def _source_rank(self) -> int:
        """Return the rank from which a `recv` of any rank took."""
        return int(self._work._source_rank())

    def get_future(self) -> Any:
        """Return the future on which the reducer of DistributedDataParallel waits."""
        return self._work.get_future()


class WatchedGroup(_ProcessGroup):  # type: ignore[misc]
    """gloo, with a note on the board around every call of this rank."""

    def __init__(self, options: Any, board: Board, rank: int, filename: str) -> None:
        """`options`: what torch hands to the maker of a backend; `rank`: of the whole world;
        `filename`: the learner's."""
        super().__init__(options.group_rank, options.group_size)
        self.members = tuple(options.global_ranks_in_group or range(options.group_size))
        name = str(options.group_id)
        self.slot = (int(name) if name.isdecimal() else sum(name.encode())) % GROUPS
        self._board, self._own, self.filename = board, rank, filename
        self._gloo: Any = c10d.ProcessGroupGloo(
            options.store, options.group_rank, options.group_size, options.timeout
        )
        self._register_backend(torch.device("cpu"), c10d.ProcessGroup.BackendType.GLOO, self._gloo)

    def _set_group_name(self, name: str) -> None:
        self._name = name

    @property
    def group_name(self) -> str:
        """The name that torch gave the group."""
        return self._name

    def getBackendName(self) -> str:
        """Return the backend's name."""
        return NAME

    def _do(self, operation: int, peer: int, tensors: Sequence[Tensor], begin: Begin) -> _Work:
        size = sum(each.numel() * each.element_size() for each in tensors)
        call = _Call(self._board, self._own, operation, peer, self, size)
        with call:  # gloo may wait before there is a handle to wait for
            work = begin()
        return _Work(work, call)

    def _all(self, operation: int, tensors: Sequence[Tensor], begin: Begin) -> _Work:
        return self._do(operation, ANYONE, tensors, begin)

    def _world_rank(self, member: int) -> int:
        return self.members[member] if 0 <= member < len(self.members) else member

    # torch calls these by name, with or without options.

    def send(self, tensors: list[Tensor], peer: int, tag: int = 0) -> _Work:
        at = self._world_rank(peer)
        return self._do(SEND, at, tensors, lambda: self._gloo.send(tensors, peer, tag))

    def recv(self, tensors: list[Tensor], peer: int, tag: int = 0) -> _Work:
        at = self._world_rank(peer)
        return self._do(RECV, at, tensors, lambda: self._gloo.recv(tensors, peer, tag))

    def recv_anysource(self, tensors: list[Tensor], tag: int = 0) -> _Work:
        return self._do(RECV, ANYONE, tensors, lambda: self._gloo.recv_anysource(tensors, tag))

    def allreduce(self, tensors: Any, opts: Any = None) -> _Work:
        opts = opts or c10d.AllreduceOptions()
        given = [tensors] if isinstance(tensors, Tensor) else tensors
        return self._all(_ALL_REDUCE, given, lambda: self._gloo.allreduce(given, opts))

    def allreduce_coalesced(self, tensors: list[Tensor], opts: Any = None) -> _Work:
        opts = opts or c10d.AllreduceCoalescedOptions()
        begin = lambda: self._gloo.allreduce_coalesced(tensors, opts)  # noqa: E731
        return self._all(_ALL_REDUCE, tensors, begin)

    def broadcast(self, tensors: Any, opts: Any = None) -> _Work:
        opts = opts or c10d.BroadcastOptions()
        given = [tensors] if isinstance(tensors, Tensor) else tensors
        sends = opts.rootRank == self.rank()
        return self._all(
            _BROADCAST, given if sends else (), lambda: self._gloo.broadcast(given, opts)
        )

    def reduce(self, tensors: list[Tensor], opts: Any = None) -> _Work:
        opts = opts or c10d.ReduceOptions()
        return self._all(_REDUCE, tensors, lambda: self._gloo.reduce(tensors, opts))

    def allgather(self, outputs: Any, inputs: list[Tensor], opts: Any = None) -> _Work:
        opts = opts or c10d.AllgatherOptions()
        begin = lambda: self._gloo.allgather(outputs, inputs, opts)  # noqa: E731
        return self._all(_ALL_GATHER, inputs, begin)

    def _allgather_base(self, output: Tensor, given: Tensor, opts: Any = None) -> _Work:
        opts = opts or c10d.AllgatherOptions()
        begin = lambda: self._gloo._allgather_base(output, given, opts)  # noqa: E731
        return self._all(_ALL_GATHER, [given], begin)

    def gather(self, outputs: Any, inputs: list[Tensor], opts: Any = None) -> _Work:
        opts = opts or c10d.GatherOptions()
        return self._all(_GATHER, inputs, lambda: self._gloo.gather(outputs, inputs, opts))

    def scatter(self, outputs: list[Tensor], inputs: Any, opts: Any = None) -> _Work:
        opts = opts or c10d.ScatterOptions()
        given = [each for row in inputs for each in row]
        return self._all(_SCATTER, given, lambda: self._gloo.scatter(outputs, inputs, opts))

    def reduce_scatter(self, outputs: list[Tensor], inputs: Any, opts: Any = None) -> _Work:
        opts = opts or c10d.ReduceScatterOptions()
        given = [each for row in inputs for each in row]
        begin = lambda: self._gloo.reduce_scatter(outputs, inputs, opts)  # noqa: E731
        return self._all(_REDUCE_SCATTER, given, begin)

    def _reduce_scatter_base(self, output: Tensor, given: Tensor, opts: Any = None) -> _Work:
        opts = opts or c10d.ReduceScatterOptions()
        begin = lambda: self._gloo._reduce_scatter_base(output, given, opts)  # noqa: E731
        return self._all(_REDUCE_SCATTER, [given], begin)

    def alltoall(self, outputs: list[Tensor], inputs: list[Tensor], opts: Any = None) -> _Work:
        opts = opts or c10d.AllToAllOptions()
        begin = lambda: self._gloo.alltoall(outputs, inputs, opts)  # noqa: E731
        return self._all(_ALL_TO_ALL, inputs, begin)

    def alltoall_base(
        self,
        output: Tensor,
        given: Tensor,
        output_sizes: list[int],
        input_sizes: list[int],
        opts: Any = None,
    ) -> _Work:
        opts = opts or c10d.AllToAllOptions()
        return self._all(
            _ALL_TO_ALL,
            [given],
            lambda: self._gloo.alltoall_base(output, given, output_sizes, input_sizes, opts),
        )

    # Since torch 2.13 collectives of one tensor have these names too, and are called by them.
    all_gather_single = _allgather_base
    reduce_scatter_single = _reduce_scatter_base
    all_to_all_single = alltoall_base

    def barrier(self, opts: Any = None) -> _Work:
        opts = opts or c10d.BarrierOptions()
        return self._all(_BARRIER, (), lambda: self._gloo.barrier(opts))
