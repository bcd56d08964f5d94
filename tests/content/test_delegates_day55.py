"""What Day 55 shows of ExecuTorch's delegates is what ExecuTorch does, where it is installed."""

import pytest

from tests.content.record_delegates import MIDDLES, made_with, story
from tutor.course.recordings import recorded


@pytest.mark.slow
def test_the_recording_is_what_executorch_does() -> None:
    pytest.importorskip("executorch.exir")
    assert recorded(55).said["networks"] == story()
    assert made_with().split(",")[0] in recorded(55).made_with


def test_the_recording_has_each_network_both_ways() -> None:
    said = recorded(55).said["networks"]
    assert list(said) == list(MIDDLES)
    for ways in said.values():
        plain, lowered = ways["plain"], ways["XNNPACK"]
        assert plain["close"]
        assert lowered["close"]
        assert not plain["delegates"]
        assert len(lowered["delegates"]) == lowered["calls"].count("delegate")
        assert lowered["arena"] < plain["arena"]
