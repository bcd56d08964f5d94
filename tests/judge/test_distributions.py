"""Distributions are told from chance: bounds, rare cells, and right draws that are never refused."""

import math
import random

import pytest
import torch

from tutor.judge.cases.distributions import (
    Fit,
    chi_square_bound,
    chi_square_floor,
    find_unlikely,
    fit,
    fit_rows,
)

FIVE_SIGMAS = math.erfc(5 / math.sqrt(2)) / 2  # 2.87e-7


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 10, 30, 125, 500])
def test_the_bound_is_passed_by_chance_as_rarely_as_five_sigmas(freedom: int) -> None:
    half = torch.tensor(freedom / 2, dtype=torch.float64)
    tail = torch.special.gammaincc(half, torch.tensor(chi_square_bound(freedom) / 2).double())
    assert FIVE_SIGMAS / 12 < tail.item() < FIVE_SIGMAS
    smaller = torch.tensor(chi_square_bound(freedom) / 2 / 1.17).double()
    assert torch.special.gammaincc(half, smaller).item() > FIVE_SIGMAS


@pytest.mark.parametrize("freedom", [40, 120, 500])
def test_chance_is_below_the_floor_as_rarely(freedom: int) -> None:
    half = torch.tensor(freedom / 2, dtype=torch.float64)
    floor = torch.tensor(chi_square_floor(freedom) / 2).double()
    assert FIVE_SIGMAS / 12 < torch.special.gammainc(half, floor).item() < FIVE_SIGMAS
    assert torch.special.gammainc(half, floor * 1.13).item() > FIVE_SIGMAS


def test_a_statistic_is_the_sum_over_cells() -> None:
    found = fit([60, 40], [0.5, 0.5])
    assert found == Fit(statistic=4.0, freedom=1, draws=100)
    assert found.is_likely
    assert not fit([600, 400], [0.5, 0.5]).is_likely


def test_rows_have_their_own_totals() -> None:
    found = fit_rows([[50, 50], [10, 30]], [[0.5, 0.5], [0.25, 0.75]])
    assert found.statistic == 0
    assert found.freedom == 2
    assert found.draws == 140


def test_an_impossible_draw_is_never_likely() -> None:
    found = fit([99, 1], [1.0, 0.0])
    assert found.statistic == math.inf
    assert not found.is_likely


def test_rare_cells_are_counted_together() -> None:
    rare = fit([900, 95, 3, 2], [0.9, 0.095, 0.003, 0.002])
    assert rare.freedom == 1
    apart = fit([9000, 950, 30, 20], [0.9, 0.095, 0.003, 0.002])
    assert apart.freedom == 3


def test_an_empty_row_counts_for_nothing() -> None:
    assert fit_rows([[0, 0]], [[0.5, 0.5]]) == Fit(0.0, 0, 0)
    assert fit_rows([[0, 0]], [[0.5, 0.5]]).is_likely


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="3 counts and 2 probabilities"):
        fit([1, 2, 3], [0.5, 0.5])


def test_the_first_unlikely_fit_is_named() -> None:
    fits = [("first", fit([50, 50], [0.5, 0.5])), ("second", fit([900, 100], [0.5, 0.5]))]
    assert find_unlikely(fits) == ("second", fits[1][1])
    assert find_unlikely(fits[:1]) is None


def test_right_draws_of_a_thousand_seeds_are_likely() -> None:
    chances = [0.55, 0.25, 0.1, 0.07, 0.02, 0.01]
    for seed in range(1000):
        drawn = random.Random(seed).choices(range(6), chances, k=400)
        assert fit([drawn.count(value) for value in range(6)], chances).is_likely
