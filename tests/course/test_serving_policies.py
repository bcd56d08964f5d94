"""Two policies of a server, on the simulator of the judge."""

import pytest

from tutor.course.serving_policies import chunks_alone, mixed
from tutor.judge.cases.serving import Request, Server, run_steps

SERVER = Server(budget=10_000, fixed=8.0, per_token=0.05)
TWO = (Request("a", 0, 40, 6), Request("b", 5, 300, 2))


def test_decodes_are_in_every_step_beside_chunks() -> None:
    run = run_steps(mixed(100), TWO, SERVER)
    assert run.longest_gap == pytest.approx(8 + 0.05 * 100)
    assert [span for span in run.spans if span[0] == "b" and "prefill" in span[3]][-1][
        3
    ] == "prefill 3"


def test_chunks_alone_let_everybody_wait() -> None:
    run = run_steps(chunks_alone(100), TWO, SERVER)
    assert run.requests[0].longest_gap == pytest.approx(3 * (8 + 0.05 * 100) + 8 + 0.05 * 2)


def test_a_small_budget_keeps_the_turn() -> None:
    run = run_steps(mixed(2), TWO, SERVER)
    first, second = run.requests
    assert first.times[0] < second.times[0]
    assert run.longest_gap == pytest.approx(8 + 0.05 * 2)
