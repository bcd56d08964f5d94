"""When a time is not believed: what events saw against what the device did, limits of real devices."""

import dataclasses

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutor.judge.model.verdict import Sample
from tutor.judge.processes.worker_messages.answers import HostTimes
from tutor.judge.sampling import median as stats
from tutor.judge.sampling import samples
from tutor.judge.spec import Work
from tutor.judge.timing import checks, plausibility

FREE, SHARED = [0.01, 0.4, 0.02], [0.01, 1.9, 2.0]  # empty launches, in milliseconds


def host(*rests, empty=FREE, persisting=0):
    return HostTimes([0.03], list(rests), empty, persisting)


DEVICES = {
    "honest": (host(0.06, 0.055), 0.052, ""),
    "long": (host(3.1, 3.0), 2.9, ""),
    "short, and a slow synchronization": (host(0.02, 0.4), 0.004, ""),
    "another program's, that once was not in the way": (host(2.1, 0.06, empty=SHARED), 0.052, ""),
    "on another stream": (host(0.06, 0.058), 0.002, "wrong-stream"),
    "events that lie": (host(5.0), 0.05, "wrong-stream"),
    "lines that persist": (host(0.05, persisting=32 << 20), 0.05, "tampering"),
    "both": (host(5.0, empty=SHARED, persisting=32 << 20), 0.05, "tampering"),
}


@pytest.mark.parametrize(("seen", "median", "code"), DEVICES.values(), ids=DEVICES.keys())
def test_what_the_device_did_is_held_against_the_events(seen, median, code):
    if not code:
        assert checks.check_device(seen, median) == ""
        return
    with pytest.raises(checks.Failed) as failed:
        checks.check_device(seen, median)
    assert failed.value.finding.code == code


@pytest.mark.parametrize("empty", [FREE, [float("nan")]])
def test_times_that_are_no_numbers_make_no_message(empty):
    """A worker's answer with one is malformed, which is judged as tampering."""
    with pytest.raises(ValueError, match="no times"):
        host(float("nan"), empty=empty)


def test_where_the_device_is_shared_nobody_is_accused_and_no_time_believed():
    seen = host(2.1, 1.8, empty=SHARED)
    assert not checks.saw_whole_input(seen, 0.05)
    said = checks.check_device(seen, 0.05)
    assert said.startswith("Not believed: another program uses this GPU")
    assert "1.9 ms" in said


@pytest.mark.budget
def test_real_samples_of_a_copy_are_believed_and_of_a_hundredth_of_it_are_not():
    nbytes = 1 << 26
    source = torch.ones(nbytes // 8)
    target = torch.empty_like(source)
    taken = stats.summarize_samples(samples.round_of(lambda s: target.copy_(s), [(source,)], 20))
    roofs = plausibility.DeviceRoofs("cpu", Work(bytes=nbytes, flops=0))
    assert roofs.doubt(taken) == ""
    part = stats.summarize_samples(
        samples.round_of(lambda s: target[:1000].copy_(s[:1000]), [(source,)], 20)
    )
    assert "Not believed" in roofs.doubt(part)
    assert roofs.roofline(part).fraction > 1
    assert roofs.roofline(taken).bound == "memory"


def test_a_limit_that_was_measured_while_another_program_ran_is_measured_again():
    roofs = plausibility.DeviceRoofs("cpu", Work(bytes=1 << 20, flops=0))
    fast = roofs.floor
    roofs.floor = dataclasses.replace(fast, bandwidth=fast.bandwidth / 1e3)
    least = fast.limit(1 << 20, 0).ms
    assert roofs.doubt(Sample(least, (least, least * 9), 20)) == ""
    assert roofs.floor.bandwidth > fast.bandwidth / 1e2


@pytest.mark.budget
def test_a_wide_interval_is_given_the_benefit_of_the_doubt():
    roofs = plausibility.DeviceRoofs("cpu", Work(bytes=1 << 26, flops=0))
    least = roofs.roofline(Sample(1.0, (1.0, 1.0), 20)).limit_ms
    assert roofs.doubt(Sample(least / 4, (least / 5, least), 8)) == ""
    assert roofs.doubt(Sample(least / 4, (least / 5, least / 3), 8))
    assert roofs.doubt(Sample(0.0, (0.0, 0.0), 8))


@given(st.integers(1, 1 << 40), st.sampled_from([1, 2, 4, 8]))
def test_what_is_fetched_of_an_output_has_its_ends_and_a_bounded_size(elements, size):
    pieces = checks.pieces_of(elements, size)
    assert pieces[0][0] == 0
    assert sum(pieces[-1]) == elements
    assert all(start >= 0 and start + count <= elements for start, count in pieces)
    assert sum(count for _, count in pieces) * size <= 8 << 20
    if elements * size <= 8 << 20:
        assert pieces == [(0, elements)]
