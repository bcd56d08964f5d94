"""Each fact about a wrong output, made on purpose and read off."""

import math

import pytest
import torch

from tutor.judge.comparison import patterns
from tutor.judge.comparison.compare import compare_output, default_scale

N = 3000


def want() -> torch.Tensor:
    return torch.randn(N, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def read(got: torch.Tensor, truth: torch.Tensor) -> patterns.Pattern:
    scale = default_scale(truth)
    found = compare_output(got, truth, scale, None)
    assert found.mismatch is not None
    return patterns.find_pattern(got, truth, found.wrong, found.mismatch, scale)


def test_an_unwritten_tail():
    got = want().float()
    got[2048:] = math.nan
    found = read(got, want())
    assert (found.total, found.wrong, found.first, found.unwritten) == (N, N - 2048, 2048, N - 2048)
    assert found.tail_from == 2048
    assert found.overflowed
    assert not found.only_special


def test_a_hole_is_no_tail():
    got = want().float()
    got[100:200] = math.nan
    found = read(got, want())
    assert found.tail_from is None
    assert found.unwritten == found.wrong == 100


def test_everything_unwritten_has_no_right_part_before_it():
    found = read(torch.full((N,), math.nan), want())
    assert found.tail_from is None
    assert found.unwritten == N


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_what_torch_fills_memory_with_is_untouched_and_a_nan_that_was_calculated_is_not(dtype):
    was_on = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        filled = torch.empty(3, 5, dtype=dtype).t()
    finally:
        torch.use_deterministic_algorithms(was_on)
    assert patterns.find_untouched(filled).all()
    infinite = torch.full((3, 5), math.inf, dtype=dtype)
    assert not patterns.find_untouched(infinite).any()
    # PyTorch on a CPU knows one NaN of bfloat16, the one it fills with.
    if dtype is not torch.bfloat16:
        assert not patterns.find_untouched(infinite - infinite).any()


def test_a_missing_factor_and_summand_are_found_together():
    found = read(((want() - 1) / 0.5).float(), want())
    assert found.affine == pytest.approx((2.0, -2.0), rel=1e-4)


def test_noise_has_neither_factor_nor_summand():
    noise = torch.randn(N, generator=torch.Generator().manual_seed(4))
    found = read(want().float() + noise, want())
    assert found.affine is None
    assert not found.near
    assert not found.half_like
    assert not found.permuted


def test_beside_one_huge_element_small_errors_are_no_factor():
    truth = want()
    truth[5] = 1e7
    noise = torch.randn(N, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    noise[5] = 0.0
    assert read((truth + 20 * noise).float(), truth).affine is None
    assert read((truth * 2).float(), truth).affine == pytest.approx((2.0, 0.0), abs=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_looks_like_half_precision(dtype):
    assert read(want().to(dtype).float(), want()).half_like


def test_half_precision_is_seen_where_the_task_is_exact():
    got = want().float().half().float()
    found = compare_output(got, want().float().double(), 0.0, None)
    assert found.mismatch is not None
    assert patterns.find_pattern(
        got, want().float().double(), found.wrong, found.mismatch, 0.0
    ).half_like


def test_a_factor_close_to_one_is_no_rounding_and_moves_nothing():
    for factor in (1 + 1e-5, 1.02):
        found = read((want() * factor).float(), want())
        assert found.near
        assert not found.half_like
        assert not found.permuted


def test_half_precision_where_terms_cancel():
    """The result is next to nothing, its error grows with the terms."""
    a = torch.randn(N, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    truth = torch.full((N,), 1e-9, dtype=torch.float64)
    got = (a.bfloat16().double() - a + truth).float()
    found = compare_output(got, truth, a.abs(), None)
    assert found.mismatch is not None
    assert patterns.find_pattern(got, truth, found.wrong, found.mismatch, a.abs()).half_like


def test_the_right_numbers_in_the_wrong_places():
    matrix = want().reshape(60, 50)
    got = matrix.T.contiguous().reshape(60, 50).float()
    assert read(got, matrix).permuted
    assert not read((matrix + 1).float(), matrix).permuted


def test_zeros():
    assert read(torch.zeros(N), want()).zeros
    assert not read(torch.ones(N), want()).zeros


def test_wrong_only_where_the_reference_is_special():
    truth = want()
    truth[7], truth[9] = math.nan, math.inf
    got = truth.clone().float()
    got[7], got[9] = 0.0, 0.0
    found = read(got, truth)
    assert found.only_special
    assert not found.overflowed
    assert found.wrong == 2


def test_integers_and_single_elements_are_read_too():
    found = read(torch.tensor([1, 2, 4]), torch.tensor([1, 2, 3]))
    assert (found.first, found.wrong) == (2, 1)
    one = read(torch.tensor(2.0), torch.tensor(1.0, dtype=torch.float64))
    assert (one.total, one.wrong, one.permuted) == (1, 1, False)


@pytest.mark.parametrize(
    ("truth", "got", "line"),
    [
        (want()[:2], 2 * want()[:2], (2.0, 0.0)),  # two elements tell a factor
        (want()[:3], want()[:3] - 1, (1.0, -1.0)),  # or a summand
        (want()[:7], 2 * want()[:7] + 1, None),  # but not both
        (want()[:8], 2 * want()[:8] + 1, (2.0, 1.0)),
        (5 + want() / 1000, 6 + want() / 1000, (1.0, 1.0)),  # nearly a factor of 6 / 5
        (want()[:2], want()[:2] + torch.tensor([1.0, 2.0]), None),
        (want(), torch.full((N,), 3.0), None),  # a line, with a slope of zero
    ],
)
def test_a_factor_or_a_summand(truth, got, line):
    found = read(got.float(), truth)
    assert found.comparable
    assert found.affine == (line and pytest.approx(line, rel=1e-4))


def test_a_single_number_tells_neither():
    for truth in (torch.ones(9, dtype=torch.float64), want()[:1]):
        found = read((2 * truth).float(), truth)
        assert (found.comparable, found.affine) == (False, None)


def test_half_precision_hides_no_factor():
    found = read((1.1 * want()).half(), want())
    assert found.affine == pytest.approx((1.1, 0.0), rel=1e-3)


def test_one_number_everywhere():
    assert read(torch.full((N,), 1.5), want()).constant == 1.5
    assert read(want().float() + 1, want()).constant is None
    assert read(torch.zeros(9), torch.ones(9, dtype=torch.float64)).constant is None


def test_a_lost_sign_of_zero_is_nothing_else():
    truth = want().float().double() * (torch.arange(N) % 2)
    got = (truth + 0.0).float()
    found = compare_output(got, truth, 0.0, None, exact=True)
    assert found.mismatch is not None
    seen = patterns.find_pattern(got, truth, found.wrong, found.mismatch, 0.0)
    assert 0 < seen.zero_signs == seen.wrong
    assert (seen.near, seen.half_like, seen.permuted, seen.affine) == (False, False, False, None)


def test_beside_a_huge_row_small_numbers_have_not_moved():
    truth = want()[:1200].reshape(30, 40).clone()
    got = truth + 0.2 * want()[1200:2400].reshape(30, 40)
    truth[7] *= 1e7
    got[7] = truth[7]
    scale = truth.abs() + 1
    found = compare_output(got, truth, scale, None)
    assert found.mismatch is not None
    assert not patterns.find_pattern(got, truth, found.wrong, found.mismatch, scale).permuted


def test_where_it_is_wrong_stands_in_the_pattern():
    matrix = want().reshape(60, 50)
    got = matrix.float()
    got[:, 3] += 1
    found = read(got, matrix)
    assert (found.where, found.repeats) == ("every element of column 3", False)
    assert (found.index, found.want) == ((0, 3), float(matrix[0, 3]))
    got[:, 3::7] = 9.0
    assert read(got, matrix).repeats
