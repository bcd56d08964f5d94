"""The simulator of a server: what it measures, and which step and request it names."""

import json

import pytest

from tutor.judge.cases.serving import (
    Refused,
    Request,
    Server,
    decisions,
    replay,
    run_steps,
    serve,
)

THREE = (Request("a", 0, 4, 3), Request("b", 0, 4, 2), Request("c", 2, 8, 2))


def all_that_fit(waiting, running, free, server):
    """First come, first served."""
    names, room = [], server.budget - len(running)
    for request in waiting:
        needed = server.blocks_for(request.left)
        if request.left > room or needed > free or len(running) + len(names) >= server.places:
            break
        names.append(request.name)
        room, free = room - request.left, free - needed
    return names


def test_a_request_writes_its_first_token_as_its_prompt_is_read():
    run = serve(all_that_fit, THREE, Server(budget=16))
    assert [each.times for each in run.requests] == [(1, 2, 3), (1, 2), (3, 4)]
    assert (run.steps, run.time, run.evictions, run.tokens) == (4, 4, 0, 7)
    assert (run.longest_wait, run.longest_gap) == (1, 1)
    assert run.spans == (
        ("a", 0, 1, "prefill 4"),
        ("b", 0, 1, "prefill 4"),
        ("a", 1, 3, "decode"),
        ("b", 1, 2, "decode"),
        ("c", 2, 3, "prefill 8"),
        ("c", 3, 4, "decode"),
    )


def test_a_step_takes_time_by_its_tokens():
    run = serve(all_that_fit, THREE[:2], Server(budget=16, fixed=8.0, per_token=0.5))
    assert [each.times for each in run.requests] == [(12, 21, 29.5), (12, 21)]
    first = run.requests[0]
    assert (first.ttft, first.tpot, first.longest_gap, first.end) == (12, 8.75, 9, 29.5)
    assert [run.on_time(*limits) for limits in ((12, 9), (12, 8.75), (11, 9))] == [2, 0, 0]


def test_the_clock_jumps_to_the_next_request():
    run = serve(all_that_fit, (Request("a", 5.5, 1, 1), Request("b", 9, 1, 1)), Server(budget=4))
    assert [each.times for each in run.requests] == [(6.5,), (10,)]
    assert run.steps == 2


def test_a_full_cache_evicts_who_began_last_and_reads_it_again():
    """Two prompts of 4 tokens fill two of three blocks. Both need another one for their second token."""
    two = (Request("a", 0, 4, 3), Request("b", 0, 4, 3))
    run = serve(all_that_fit, two, Server(budget=16, blocks=3, block=4))
    assert run.evictions == 1
    assert [each.times for each in run.requests] == [(1, 2, 3), (1, 4, 5)]
    assert run.requests[1].longest_gap == 3
    assert [span for span in run.spans if span[0] == "b"] == [
        ("b", 0, 1, "prefill 4"),
        ("b", 1, 3, "evicted"),
        ("b", 3, 4, "recompute 5"),
        ("b", 4, 5, "decode"),
    ]


def test_nothing_is_known_of_the_tokens_to_come():
    seen = []

    def watch(waiting, running, free, server):
        seen.extend((*waiting, *running))
        return all_that_fit(waiting, running, free, server)

    serve(watch, THREE, Server(budget=16))
    assert all(not hasattr(each, "output") for each in seen)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (["b", "a"], "step 0: a needs 2 blocks, and 1 are free."),
        (["c"], "step 0: c is admitted, and no such request waits."),
        (["a", "a"], "step 0: a is admitted twice."),
        (None, "step 0: the policy returns None; expected a list of names."),
        ("a", "step 0: the policy returns a; expected a list of names."),
        ([1], "step 0: the policy returns [1]; expected a list of names."),
    ],
)
def test_a_broken_rule_of_admission(answer, says):
    server = Server(budget=16, blocks=3, block=4)
    two = (Request("a", 0, 8, 2), Request("b", 0, 8, 2))
    with pytest.raises(Refused) as refused:
        serve(lambda *_: answer, two, server)
    assert str(refused.value) == says


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"budget": 7}, "step 0: with 4 tokens of b it takes 8, and 7 are the budget."),
        (
            {"budget": 16, "places": 1},
            "step 0: b is admitted as number 2, and 1 may run at once.",
        ),
    ],
)
def test_a_limit_of_a_step(limits, says):
    with pytest.raises(Refused) as refused:
        serve(lambda waiting, *_: [each.name for each in waiting], THREE, Server(**limits))
    assert str(refused.value) == says


def test_running_requests_count_with_a_token():
    def late(waiting, running, free, server):
        return [each.name for each in waiting]

    with pytest.raises(
        Refused, match="step 2: with 8 tokens of c it takes 9, and 8 are the budget"
    ):
        serve(late, THREE, Server(budget=8))


def test_who_never_admits_is_told_who_waits():
    with pytest.raises(Refused, match=r"step 0: nothing runs, nothing more will arrive, and a, b"):
        serve(lambda *_: [], THREE[:2], Server(budget=8))


def chunks(size):
    """One token for each that decodes, then chunks of prompts."""

    def policy(waiting, running, free, server):
        plan = {each.name: 1 for each in running if each.left == 1}
        room = server.budget - len(plan)
        for each in (*running, *waiting):
            if each.name not in plan and room > 0:
                plan[each.name] = min(each.left, room, size)
                room -= plan[each.name]
        return plan

    return policy


def test_a_prompt_may_be_read_in_chunks():
    two = (Request("a", 0, 2, 4), Request("b", 1, 8, 1))
    run = run_steps(chunks(3), two, Server(budget=4))
    assert [each.times for each in run.requests] == [(1, 2, 3, 4), (4,)]
    assert [label for name, *_, label in run.spans if name == "b"] == [
        "prefill 3",
        "prefill 3",
        "prefill 2",
    ]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({}, "step 0: nothing is planned, and this waits or runs: a."),
        ({"a": 9}, "step 0: a gets 9 tokens, and has 8 left."),
        ({"a": 0}, "step 0: a gets 0 tokens; expected 1 or more."),
        ({"a": True}, "step 0: a gets True tokens; expected 1 or more."),
        ({"a": 8}, "step 0: with 8 tokens of a it takes 8, and 4 are the budget."),
        ({"z": 1}, "step 0: z is planned, and no such request is there."),
        ([], "step 0: the policy returns []; expected a dict of names and tokens."),
    ],
)
def test_a_broken_rule_of_a_plan(plan, says):
    with pytest.raises(Refused) as refused:
        run_steps(lambda *_: plan, (Request("a", 0, 8, 2),), Server(budget=4))
    assert str(refused.value) == says


@pytest.mark.parametrize("way", [serve, run_steps])
def test_decisions_are_replayed(way):
    policy = all_that_fit if way is serve else chunks(3)
    server = Server(budget=8, blocks=6 if way is serve else 60, block=4)
    many = [Request(f"r{n}", n // 2, 1 + n % 7, 1 + n % 5) for n in range(20)]
    answers = json.loads(json.dumps(decisions(way, policy, many, server)))
    assert replay(way, answers, many, server) == way(policy, many, server)


@pytest.mark.parametrize("answer", [None, ["z"], "a", ("a", "a"), {"a": 1}])
def test_a_refused_answer_is_refused_again(answer):
    answers = json.loads(json.dumps(decisions(serve, lambda *_: answer, THREE, Server(budget=8))))
    assert len(answers) == 1
    with pytest.raises(Refused) as first:
        serve(lambda *_: answer, THREE, Server(budget=8))
    with pytest.raises(Refused) as again:
        replay(serve, answers, THREE, Server(budget=8))
    assert str(again.value) == str(first.value)


def test_a_policy_may_take_its_lists_apart():
    def empties(waiting, running, free, server):
        names = all_that_fit(waiting, running, free, server)
        waiting.clear()
        running.clear()
        return names

    assert serve(empties, THREE, Server(budget=16)) == serve(all_that_fit, THREE, Server(budget=16))
