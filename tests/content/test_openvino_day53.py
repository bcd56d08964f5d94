"""What Day 53 shows of OpenVINO is what OpenVINO does, where it is installed."""

import json

import pytest

from tests.content.record_openvino import FILE, PLACED, made_with, story

RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_recording_is_what_openvino_does():
    pytest.importorskip("openvino")
    if made_with().rsplit(",", 1)[0] != RECORDED["made_with"].rsplit(",", 1)[0]:
        pytest.skip("another version or another processor than in the recording")
    assert RECORDED["said"] == story()


def test_each_placement_is_recorded_with_all_operators():
    assert set(RECORDED["said"]) == {*PLACED, "no pairs, f32 asked for"}
    for rows in RECORDED["said"].values():
        held = " ".join(row[1] for row in rows).split()
        assert {"c", "d", "s"} <= set(held) <= {"c", "r", "d", "s", "t"}
