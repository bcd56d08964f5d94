"""What Day 59 shows of vLLM's block pool is what vLLM does, where it is installed."""

import pytest

from tests.content.record_block_pool import made_with, story
from tutor.course.recordings import recorded


def test_the_recording_is_what_vllm_does():
    pytest.importorskip("vllm.v1.core.block_pool")
    assert recorded(59).said["block pool"] == story()
    assert made_with().split(",")[0] in recorded(59).made_with


def test_the_recording_is_of_blocks_that_exist():
    said = recorded(59).said["block pool"]
    blocks = set(said["queue at first"])
    assert said["null block"] not in blocks
    for name in ("queue after A", "queue after B"):
        assert set(said[name]) <= blocks
    assert set(said["C"]) | {1} == blocks
