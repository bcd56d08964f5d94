"""When a time is not believed: what events saw against what the device did, limits of real devices."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutor.judge import limits, stats, timing, timing_checks
from tutor.judge.spec import Work
from tutor.judge.verdict import Sample

DEVICES = {
    "honest": ({"submit_ms": [0.03], "rest_ms": [0.06, 0.055], "persisting": 0}, 0.052, ""),
    "long": ({"submit_ms": [0.03], "rest_ms": [3.1, 3.0], "persisting": 0}, 2.9, ""),
    "short, and a slow synchronization": (
        {"submit_ms": [0.03], "rest_ms": [0.02, 0.4], "persisting": 0}, 0.004, "",
    ),
    "on another stream": (
        {"submit_ms": [0.04], "rest_ms": [0.06, 0.058], "persisting": 0}, 0.002, "wrong-stream",
    ),
    "events that lie": (
        {"submit_ms": [0.04], "rest_ms": [5.0], "persisting": 0}, 0.05, "wrong-stream",
    ),
    "no number": (
        {"submit_ms": [0.04], "rest_ms": [float("nan")], "persisting": 0}, 0.05, "wrong-stream",
    ),
    "lines that persist": (
        {"submit_ms": [0.03], "rest_ms": [0.05], "persisting": 32 << 20}, 0.05, "tampering",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("host", "median", "code"), DEVICES.values(), ids=DEVICES.keys())
def test_what_the_device_did_is_held_against_the_events(host, median, code):
    if not code:
        timing_checks.check_device(host, median)
        return
    with pytest.raises(timing_checks.Failed) as failed:
        timing_checks.check_device(host, median)
    assert failed.value.finding.code == code


def test_real_samples_of_a_copy_are_believed_and_of_a_hundredth_of_it_are_not():
    nbytes = 1 << 26
    source = torch.ones(nbytes // 8)
    target = torch.empty_like(source)
    taken = stats.summary(timing.round_of(lambda s: target.copy_(s), [(source,)], 20))
    roofs = limits.Limits("cpu", Work(bytes=nbytes, flops=0))
    assert roofs.doubt(taken) == ""
    part = stats.summary(timing.round_of(lambda s: target[:1000].copy_(s[:1000]), [(source,)], 20))
    assert "Not believed" in roofs.doubt(part)
    assert roofs.roofline(part).fraction > 1
    assert roofs.roofline(taken).bound == "memory"


def test_a_wide_interval_is_given_the_benefit_of_the_doubt():
    roofs = limits.Limits("cpu", Work(bytes=1 << 26, flops=0))
    least = roofs.roofline(Sample(1.0, (1.0, 1.0), 20)).limit_ms
    assert roofs.doubt(Sample(least / 4, (least / 5, least), 8)) == ""
    assert roofs.doubt(Sample(least / 4, (least / 5, least / 3), 8))
    assert roofs.doubt(Sample(0.0, (0.0, 0.0), 8))


@given(st.integers(1, 1 << 40), st.sampled_from([1, 2, 4, 8]))
def test_what_is_fetched_of_an_output_has_its_ends_and_a_bounded_size(elements, size):
    pieces = timing_checks.pieces_of(elements, size)
    assert pieces[0][0] == 0
    assert sum(pieces[-1]) == elements
    assert all(start >= 0 and start + count <= elements for start, count in pieces)
    assert sum(count for _, count in pieces) * size <= 8 << 20
    if elements * size <= 8 << 20:
        assert pieces == [(0, elements)]
