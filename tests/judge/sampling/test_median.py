import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.judge.sampling import median

times = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=200)


@given(samples=times)
def test_the_interval_contains_the_median_and_is_made_of_samples(samples):
    found = median.summarize_samples(samples)
    low, high = found.ci95_ms
    assert low <= found.median_ms <= high
    assert {low, high} <= set(samples)
    assert found.median_ms == statistics.median(samples)
    assert found.samples == len(samples)


@given(samples=times, seed=st.integers(0, 100))
def test_order_does_not_matter(samples, seed):
    mixed = samples.copy()
    random.Random(seed).shuffle(mixed)
    assert median.summarize_samples(mixed) == median.summarize_samples(samples)


@pytest.mark.parametrize("n", [20, 35, 100])
def test_nineteen_of_twenty_intervals_contain_the_true_median(n):
    """Skewed as run times are: a lognormal distribution, whose median is 1."""
    draw = random.Random(n)
    trials = 1500
    covered = 0
    for _ in range(trials):
        low, high = median.summarize_samples(
            [draw.lognormvariate(0, 0.5) for _ in range(n)]
        ).ci95_ms
        covered += low <= 1.0 <= high
    # 3.3 standard deviations of the count below 95 %; ranks are rounded outwards, so above is fine.
    assert 0.95 - 3.3 * (0.95 * 0.05 / trials) ** 0.5 < covered / trials < 0.995


def test_ranks_are_those_of_the_source():
    """n = 40: floor(20 - 0.98 * sqrt(40)) = 13 and ceil(21 + 0.98 * sqrt(40)) = 28, from 1."""
    found = median.summarize_samples([float(i) for i in range(1, 41)])
    assert found.ci95_ms == (13.0, 28.0)


def test_enough_means_many_and_close():
    assert not median.is_precise_enough([1.0] * (median.MIN_SAMPLES - 1))
    assert median.is_precise_enough([1.0] * median.MIN_SAMPLES)
    unsure = [1.0, 2.0] * median.MIN_SAMPLES
    assert not median.is_precise_enough(unsure)
    assert median.is_precise_enough(unsure, whole=100.0)  # ±33 % of a hundredth
    assert not median.is_precise_enough(unsure, whole=10.0)
    assert not median.is_precise_enough(unsure, whole=0.1)
    assert median.is_precise_enough(unsure, within=0.5)


def test_clearly_faster_needs_room_between_the_intervals():
    fast, slow = (
        median.summarize_samples([1.0, 1.1] * 20),
        median.summarize_samples([2.0, 2.1] * 20),
    )
    near = median.summarize_samples([1.05, 1.2] * 20)
    assert median.is_clearly_faster(fast, slow)
    assert not median.is_clearly_faster(slow, fast)
    assert not median.is_clearly_faster(fast, near)


def test_no_time_at_all_divides_by_nothing():
    assert median.half_width(median.summarize_samples([0.0] * 30)) == 0.0
