"""What rows of a board prove, and the sentences on it. No process."""

from dataclasses import replace

from tutor.judge.diagnosis.rank_stops import describe_stop, draw_ranks, find_circle
from tutor.judge.processes.worker_messages.ranks_report import (
    ANYONE,
    MOST_RANKS,
    RanksReport,
    RankWait,
)
from tutor.judge.worker.ranks.board import (
    COMPUTES,
    OPERATIONS,
    RECV,
    RETURNED,
    SEND,
    WAITS,
    BegunCollective,
    Board,
    Step,
)
from tutor.judge.worker.ranks.proof import Mismatch, find_mismatch, find_missing, is_deadlock
from tutor.judge.worker.ranks.rounds import count_rounds

ALL_REDUCE, BARRIER = OPERATIONS.index("all_reduce"), OPERATIONS.index("barrier")


def waits(
    board: Board, rank: int, operation: int, peer: int = ANYONE, beside: bool = False
) -> None:
    everyone = tuple(range(board.world))
    number = board.begin(rank, operation, peer, 0, 4)
    board.wait(rank, operation, peer, everyone, 0, number, beside)


def test_ranks_that_send_in_a_circle_are_stuck() -> None:
    board = Board(3)
    for rank in range(3):
        assert not is_deadlock(board.rows())  # one computes still
        waits(board, rank, SEND, (rank + 1) % 3)
    assert is_deadlock(board.rows())
    assert find_missing(board.rows(), 0) == (1,)


def test_a_recv_whose_send_was_begun_is_not_stuck() -> None:
    """All wait in a recv, but each has begun a send before: gloo is only slow."""
    board = Board(2)
    for rank in range(2):
        board.begin(rank, SEND, 1 - rank, 0, 4)
        waits(board, rank, RECV, 1 - rank)
    assert not is_deadlock(board.rows())
    for rank in range(2):  # the second recv has no second send
        board.go_on(rank)
        waits(board, rank, RECV, 1 - rank)
    assert is_deadlock(board.rows())


def test_a_recv_of_any_rank_takes_each_send() -> None:
    board = Board(2)
    waits(board, 0, RECV, ANYONE)
    board.go_on(1, RETURNED)
    assert is_deadlock(board.rows())
    board = Board(2)
    board.begin(1, SEND, 0, 0, 4)
    waits(board, 0, RECV, ANYONE)
    board.go_on(1, RETURNED)
    assert not is_deadlock(board.rows())


def test_a_collective_waits_for_each_member() -> None:
    board = Board(3)
    waits(board, 0, BARRIER)
    waits(board, 1, BARRIER)
    assert not is_deadlock(board.rows())
    board.go_on(2, RETURNED)
    assert is_deadlock(board.rows())
    assert find_missing(board.rows(), 0) == (2,)


def test_threads_beside_a_wait_prove_nothing() -> None:
    board = Board(2)
    waits(board, 0, RECV, 1)
    waits(board, 1, RECV, 0, beside=True)
    assert not is_deadlock(board.rows())


def test_the_first_collective_that_differs_is_found() -> None:
    board = Board(2)
    for operation in (BARRIER, BARRIER):
        board.begin(0, operation, ANYONE, 0, 0)
    assert find_mismatch(board.rows()) is None  # the other has not called any
    for operation in (BARRIER, ALL_REDUCE):
        board.begin(1, operation, ANYONE, 0, 4)
    assert find_mismatch(board.rows()) == Mismatch(
        2, 0, BegunCollective(0, BARRIER, 0, 0, 0, 0), 1, BegunCollective(0, ALL_REDUCE, 4, 0, 0, 0)
    )
    assert board.sent(1) == 8
    assert board.calls(1) == {"all_reduce": 1, "barrier": 1}


def test_one_collective_with_other_bytes_is_a_mismatch() -> None:
    board = Board(2)
    for rank, size in ((0, 8), (1, 8), (0, 12), (1, 16)):
        board.begin(rank, ALL_REDUCE, ANYONE, 0, size)
    found = find_mismatch(board.rows())
    assert found is not None
    assert (found.number, found.call.size, found.other_call.size) == (2, 12, 16)


def test_a_wait_is_noted_with_what_was_begun_before_it() -> None:
    board = Board(2)
    for _ in range(3):
        board.begin(1, ALL_REDUCE, ANYONE, 0, 8, 20, 7)
    board.waited(1, 0)
    board.begin(1, BARRIER, ANYONE, 0, 0)
    board.waited(1, 0)  # a second wait changes nothing
    board.waited(1, 3)
    assert board.rows()[1].log == (
        (0, ALL_REDUCE, 8, 3, 20, 7),
        (0, ALL_REDUCE, 8, 0, 20, 7),
        (0, ALL_REDUCE, 8, 0, 20, 7),
        (0, BARRIER, 0, 4, 0, 0),
    )
    assert board.rows()[0].log == ()


def test_a_broadcast_has_bytes_on_its_root_alone() -> None:
    board = Board(2)
    for rank, size in ((0, 8), (1, 0)):
        board.begin(rank, OPERATIONS.index("broadcast"), ANYONE, 0, size)
    assert find_mismatch(board.rows()) is None


def test_rows_are_read_as_they_were_written() -> None:
    board = Board(MOST_RANKS)
    waits(board, 7, RECV, 3)
    row = board.rows()[7]
    assert (row.state, row.operation, row.peer, row.number) == (WAITS, RECV, 3, 1)
    assert row.members == tuple(range(MOST_RANKS))
    assert board.rows()[6].state == COMPUTES
    assert row.log == ()
    assert board.waits(7)[0][3] == 0  # it waits still
    board.go_on(7)
    assert board.waits(7)[0][3] > 0
    assert replace(row, state=COMPUTES) == board.rows()[7]


def test_the_shortest_circle_is_told() -> None:
    assert find_circle({0: (1,), 1: (2,), 2: (1,)}) == [1, 2]
    assert find_circle({0: (1,), 1: ()}) == []


def test_waits_are_drawn_with_the_work_between_them() -> None:
    report = RanksReport(
        sent=(4, 4),
        calls=({"send": 1}, {"recv": 1}),
        waits=(RankWait(0, "send", 1, 2.0, 10.0), RankWait(1, "recv", 0, 0.0, 10.0)),
    )
    assert draw_ranks(report) == (
        ("rank 0", 0.0, 2.0, "computes"),
        ("rank 0", 2.0, 10.0, "send 1"),
        ("rank 1", 0.0, 10.0, "recv 0"),
    )
    assert describe_stop(report, "any") is None


def steps_of(*ranks: str) -> list[list[Step]]:
    """Return the steps of ranks, each a text: `>1` begins a send to rank 1 and `<1` a recv from it; a
    dot behind it ends the call at once, and `.2` ends the call that is the third."""
    found = []
    for text in ranks:
        own: list[Step] = []
        calls: list[Step] = []
        for word in text.split():
            if word[0] == ".":
                own.append(replace(calls[int(word[1:])], ends=True))
                continue
            operation = SEND if word[0] == ">" else RECV
            begun = Step(operation, int(word[1]), len(own), ends=False)
            calls.append(begun)
            own.append(begun)
            if word.endswith("."):
                own.append(replace(begun, ends=True))
        found.append(own)
    return found


def test_rounds_are_counted_from_the_order_of_calls() -> None:
    # A chain, one rank that sends to all, and a tree, each of four ranks.
    assert count_rounds(steps_of(">1.", "<0. >2.", "<1. >3.", "<2.")) == 3
    assert count_rounds(steps_of(">1. >2. >3.", "<0.", "<0.", "<0.")) == 3
    assert count_rounds(steps_of(">1 >2 >3 .0 .1 .2", "<0.", "<0.", "<0.")) == 3
    assert count_rounds(steps_of(">2. >1.", "<0.", "<0. >3.", "<2.")) == 2
    # The smaller part of the tree first: rank 2 has it a round later.
    assert count_rounds(steps_of(">1. >2.", "<0.", "<0. >3.", "<2.")) == 3


def test_a_send_beside_a_recv_takes_one_round() -> None:
    assert count_rounds(steps_of(">1 <1. .0", ">0 <0. .0")) == 1
    assert count_rounds(steps_of("<1 >1. .0", "<0 >0. .0")) == 1
    assert count_rounds(steps_of(">1. <1.", "<0. >0.")) == 2
    assert count_rounds(steps_of("<1. <2.", ">0.", ">0.")) == 2


def test_sends_that_nobody_takes_count_for_nothing() -> None:
    assert count_rounds(steps_of(">1 >1", "<0.")) == 1
    assert count_rounds(steps_of("", "<0")) == 0


def test_steps_of_a_board_come_back_as_they_were_noted() -> None:
    board = Board(2)
    first = board.note_step(1, RECV, ANYONE)
    board.note_step(1, SEND, 0)
    board.note_step(1, RECV, 0, first)
    assert board.steps(1) == [
        Step(RECV, ANYONE, 0, ends=False),
        Step(SEND, 0, 1, ends=False),
        Step(RECV, 0, 0, ends=True),
    ]
    assert board.steps(0) == []
    for _ in range(600):
        board.note_step(0, SEND, 1)
    assert board.steps(0) is None  # more than are kept
