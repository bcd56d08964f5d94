"""How Dynamo measures its guards: without the flush of the caches, unless somebody reads the log."""

import logging

import pytest
import torch
from torch._dynamo import guards
from torch._dynamo.utils import get_compilation_metrics

from tutor.xray.dynamo import guard_timing


@pytest.fixture
def flushes(monkeypatch):
    """Count the measurements of torch itself."""
    seen = []
    own = guards.profile_guard_manager
    monkeypatch.setattr(
        guards, "profile_guard_manager", lambda *args: seen.append(args) or own(*args)
    )
    guard_timing.measure_warm()
    torch._dynamo.reset()
    yield seen
    torch._dynamo.reset()


def compile_once():
    assert torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3)).tolist() == [2, 2, 2]


def test_a_compilation_flushes_no_cache_and_keeps_its_figure(flushes) -> None:
    compile_once()
    assert flushes == []
    assert get_compilation_metrics()[-1].guard_latency_us is not None


def test_the_log_of_guards_has_the_figure_that_torch_describes(flushes, monkeypatch) -> None:
    said = []
    monkeypatch.setattr(guards.guards_log, "debug", lambda *args: said.append(args[0]))
    monkeypatch.setattr(guards.guards_log, "isEnabledFor", lambda level: level >= logging.DEBUG)
    compile_once()
    assert len(flushes) == 1
    assert "Guard eval latency = %s us" in said
