"""The simulator of pipelines: what it measures, and which rank and operation it names."""

import pytest

from tutor.course.gantt import gantt_of
from tutor.judge.cases.pipelines import Operation, Pipe, Refused, Stuck, run_orders


def gpipe(stages, microbatches):
    """All forwards, then all backwards."""
    every = range(microbatches)
    return [[f"F{m}" for m in every] + [f"B{m}" for m in every] for _ in range(stages)]


def one_f_one_b(stages, microbatches):
    out = []
    for stage in range(stages):
        warm = min(stages - stage - 1, microbatches)
        order = [f"F{m}" for m in range(warm)]
        for m in range(microbatches - warm):
            order += [f"F{warm + m}", f"B{m}"]
        out.append(order + [f"B{m}" for m in range(microbatches - warm, microbatches)])
    return out


def test_time_and_activations_of_two_stages():
    run = run_orders([["F0", "F1", "B0", "B1"], ["F0", "B0", "F1", "B1"]], Pipe(2, 2))
    assert run.ended == {
        Operation(0, "F", 0): 1,
        Operation(0, "F", 1): 2,
        Operation(1, "F", 0): 2,
        Operation(1, "B", 0): 4,
        Operation(1, "F", 1): 5,
        Operation(1, "B", 1): 7,
        Operation(0, "B", 0): 6,
        Operation(0, "B", 1): 9,
    }
    assert (run.time, run.busy, run.alive, run.messages) == (9, (6, 6), (2, 1), 4)
    assert (run.idle, run.bubble_of_time, run.bubble_of_work) == (6, 6 / 18, 6 / 12)


@pytest.mark.parametrize(("stages", "microbatches"), [(1, 3), (2, 8), (4, 8), (4, 2), (8, 16)])
def test_gpipe_and_1f1b_have_one_bubble_and_two_memories(stages, microbatches):
    pipe = Pipe(stages, microbatches)
    all_first = run_orders(gpipe(stages, microbatches), pipe)
    alternating = run_orders(one_f_one_b(stages, microbatches), pipe)
    assert all_first.time == alternating.time == 3 * (microbatches + stages - 1)
    assert all_first.bubble_of_work == pytest.approx((stages - 1) / microbatches)
    assert all_first.bubble_of_time == pytest.approx((stages - 1) / (microbatches + stages - 1))
    assert set(all_first.alive) == {microbatches}
    assert alternating.alive == tuple(min(stages - s, microbatches) for s in range(stages))


def test_two_stages_a_rank_halve_the_bubble():
    """The interleaved order of torch 2.13 for 2 ranks, 4 stages and 2 microbatches."""
    orders = [
        ["0F0", "0F1", "2F0", "2F1", "2B0", "2B1", "0B0", "0B1"],
        ["1F0", "1F1", "3F0", "3B0", "3F1", "3B1", "1B0", "1B1"],
    ]
    run = run_orders(orders, Pipe(4, 2, forward=0.5, backward=1.0))
    whole = run_orders(one_f_one_b(2, 2), Pipe(2, 2))
    assert (whole.time, run.time) == (9, 7.5)
    assert run.bubble_of_work == whole.bubble_of_work / 2
    assert run.alive == (4, 3)  # halves
    assert run.messages == 12
    assert {span[0] for span in run.spans} == {"rank 0", "rank 1"}


def test_a_backward_in_two_parts_lets_the_stage_before_begin_earlier():
    parts = [["F0", "I0", "W0"], ["F0", "I0", "W0"]]
    run = run_orders(parts, Pipe(2, 1, backward=3.0, weights=2.0))
    assert (run.time, run.busy, run.alive) == (6, (4, 4), (1, 1))
    assert run.ended[Operation(1, "W", 0)] == 5
    mixed = run_orders([["F0", "B0"], ["F0", "I0", "W0"]], Pipe(2, 1))
    assert mixed.time == 5


def test_a_send_takes_time_between_ranks_alone():
    run = run_orders([["F0", "B0"], ["F0", "B0"]], Pipe(2, 1, send=0.5))
    assert run.time == 7
    alone = run_orders([["0F0", "1F0", "1B0", "0B0"]], Pipe(2, 1, send=0.5))
    assert (alone.time, alone.messages) == (6, 0)


def test_stages_may_take_different_times():
    pipe = Pipe(2, 4, forward=(1.0, 3.0), backward=(2.0, 6.0))
    run = run_orders(one_f_one_b(2, 4), pipe)
    assert (run.time, run.busy) == (39, (12, 36))
    with pytest.raises(ValueError, match=r"forward: 1 time for 2 stages"):
        Pipe(2, 4, forward=(1.0,))


def test_its_spans_can_be_drawn():
    run = run_orders(one_f_one_b(4, 8), Pipe(4, 8))
    chart = gantt_of(run.spans, "steps")
    assert [name for name, _ in chart.rows] == [f"stage {s}" for s in range(4)]
    assert chart.kinds == ("forward", "backward")


def test_who_waits_for_what_is_told():
    with pytest.raises(Stuck) as stuck:
        run_orders([["F0", "B1", "F1", "B0"], ["F0", "B0", "F1", "B1"]], Pipe(2, 2))
    assert str(stuck.value) == (
        "No stage can go on: stage 0 wants B1, which needs F1, later in its own list; stage 1 wants F1, "
        "which needs F1 of stage 0."
    )
    with pytest.raises(Stuck) as stuck:
        run_orders([["2F0", "0F0", "2B0", "0B0"], ["1F0", "1B0"]], Pipe(3, 1))
    assert str(stuck.value) == (
        "No rank can go on: rank 0 wants F0 of stage 2, which needs F0 of stage 1 with rank 1; rank 1 "
        "wants F0 of stage 1, which needs F0 of stage 0 with rank 0."
    )


REFUSED = (
    (None, "The orders are None; expected a list for each rank."),
    ([["F0", "B0"], "F0"], "The order of rank 1 is 'F0'; expected a list of texts."),
    ([["F0", ("B", 0)], []], "Rank 0 lists ('B', 0); expected a text such as 'F0' or 'B0'."),
    ([["F0", "b0"], []], "Rank 0 lists 'b0'; expected a text such as 'F0' or 'B0'."),
    ([["F1", "B1"], []], "Rank 0 lists 'F1', and the last microbatch is 0."),
    ([["2F0"], []], "Rank 0 lists '2F0' of stage 2, and the last stage is 1."),
    ([["F0"], ["0B0"]], "Stage 0 stands with rank 0 and rank 1."),
    ([["F0", "B0", "B0"], []], "Rank 0 does B0 of stage 0 twice."),
    ([["F0", "B0"], ["B0"]], "F0 of stage 1 is missing."),
    ([["F0", "B0"], ["F0"]], "B0 of stage 1 is missing."),
    ([["F0", "B0"]], "F0 of stage 1 is missing."),
    (
        [["F0", "B0", "W0"], ["F0", "B0"]],
        "The backward of microbatch 0 on stage 0 is done whole and in parts.",
    ),
    (
        [["F0", "I0"], ["F0", "B0"]],
        "The backward of microbatch 0 on stage 0 has one part of two, I and W.",
    ),
)


@pytest.mark.parametrize(("orders", "says"), REFUSED)
def test_what_breaks_a_rule_is_refused(orders, says):
    with pytest.raises(Refused) as refused:
        run_orders(orders, Pipe(2, 1))
    assert str(refused.value) == says
    assert not isinstance(refused.value, Stuck)
