"""The simulator of two streams: what it measures, and what it refuses."""

import pytest

from tutor.course.gantt import gantt_of
from tutor.judge.cases.streams import Op, Refused, run_order

TWO = (
    Op("g1", "gather", 3, 10),
    Op("c1", "compute", 4, 0, ("g1",)),
    Op("g2", "gather", 5, 20),
    Op("c2", "compute", 2, 7, ("g2", "c1")),
    Op("r2", "reduce", 6, 1, ("c2",)),
)


def test_each_collective_waited_for_at_once():
    run = run_order(["g1", "wait g1", "c1", "g2", "wait g2", "c2", "r2", "wait r2"], TWO)
    assert (run.time, run.exposed, run.peak) == (20, 14, 27)
    assert run.times == {"g1": (0, 3), "c1": (3, 7), "g2": (7, 12), "c2": (12, 14), "r2": (14, 20)}


def test_a_gather_that_begins_early_is_hidden_and_takes_its_memory_early():
    run = run_order(["g1", "g2", "wait g1", "c1", "wait g2", "c2", "r2", "wait r2"], TWO)
    assert run.times["g2"] == (3, 8)  # behind g1: one collective at a time
    assert (run.time, run.exposed, run.peak) == (16, 10, 30)


def test_a_collective_waits_for_what_was_issued_before_it():
    run = run_order(["g1", "wait g1", "c1", "g2", "wait g2", "c2", "r2", "wait r2"], TWO)
    assert run.times["g2"][0] == run.times["c1"][1]  # g2 needs nothing of c1


def test_a_wait_in_front_of_a_gather_holds_it_back():
    ops = [Op("c", "compute", 1, 0), Op("a", "gather", 5), Op("b", "gather", 1)]
    assert run_order(["a", "wait a", "b", "c", "wait b"], ops).times["c"] == (5, 6)
    assert run_order(["a", "b", "c", "wait a", "wait b"], ops).times["c"] == (0, 1)


def test_memory_goes_back_behind_the_last_reader_or_its_wait():
    late = ["g1", "wait g1", "c1", "g2", "wait g2", "c2", "r2", "wait r2"]
    ops = [*TWO, Op("c3", "compute", 1, 40, ("c1",))]
    assert run_order([*late, "c3"], ops).peak == 41  # c2's 7 went back behind the wait, r2 stays
    assert run_order([*late[:-1], "c3", late[-1]], ops).peak == 48


def test_the_spans_make_a_chart():
    run = run_order(["g1", "g2", "wait g1", "c1", "wait g2", "c2", "r2", "wait r2"], TWO)
    assert run.spans[0] == ("compute", 3, 7, "c1")
    assert gantt_of(run.spans, "time")


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("g1", "The order is g1; expected a list of texts."),
        (["g1", "c1"], "Entry 1, c1: it reads g1, and no wait for g1 stands before it."),
        (["c1"], "Entry 0, c1: it reads g1, which comes later."),
        (["wait g1"], "Entry 0, wait g1: g1 has not begun yet."),
        (["g1", "g1"], "Entry 1, g1: it stands there twice."),
        (["g1", "wait g1", "wait g1"], "Entry 2, wait g1: g1 was waited for before."),
        (["g1", "wait c1"], "Entry 1, wait c1: no collective has this name."),
        (["other"], "Entry 0, other: no operation has this name."),
        (["g1", "wait g1"], "The order lacks c1."),
        (
            ["g1", "wait g1", "c1", "g2", "wait g2", "c2", "r2"],
            "The order lacks the wait for r2.",
        ),
        (["g1"] * 10_001, "The order has 10,001 entries."),
    ],
)
def test_what_is_refused(order, said):
    with pytest.raises(Refused) as refused:
        run_order(order, TWO)
    assert str(refused.value) == said


def test_an_operation_of_no_kind():
    with pytest.raises(ValueError, match="kind 'send'"):
        Op("s", "send", 1)
    with pytest.raises(ValueError, match="has a blank"):
        Op("wait g", "gather", 1)
