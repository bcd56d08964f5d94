"""The rule that decides right or wrong, on numbers drawn at random."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tutor.base import paths
from tutor.judge.cases.reference import LONGEST_ARGUMENT, load_reference, make_inputs, spec
from tutor.judge.comparison.compare import BOUNDS, K, compare_output, default_scale

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
seeds = st.integers(0, 2**31 - 1)
dtypes = st.sampled_from(FLOATS)
shapes = st.sampled_from([(1,), (), (7,), (3, 5), (2, 3, 4), (0,), (4, 0)])
scales = st.sampled_from([1e-4, 1.0, 37.0, 1e4])


def truth(seed: int, shape: tuple[int, ...], size: float) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return size * torch.randn(shape, generator=generator, dtype=torch.float64)


def verdict(got, want, eager=None):
    return compare_output(got, want, default_scale(want, got.dtype), eager)


@given(seed=seeds, dtype=dtypes, shape=shapes, size=scales)
def test_the_correctly_rounded_output_is_right(seed, dtype, shape, size):
    want = truth(seed, shape, size)
    found = verdict(want.to(dtype), want)
    assert found.passed
    assert found.mismatch is None


def test_the_bound_shown_of_a_wrong_output_is_smaller_than_its_error():
    """Elements with large terms have a loose bound, which is not the one that was broken."""
    want = torch.tensor([1e6, 1.0], dtype=torch.float64)
    got = torch.tensor([1e6, 1.0 + 2e-5])
    found = compare_output(got, want, want, None)
    assert found.mismatch is not None
    assert found.mismatch.index == (1,)
    assert found.bound < found.max_abs_err < compare_output(want.float(), want, want, None).bound


@given(seed=seeds, dtype=dtypes, size=scales, noise=st.floats(0, 1e3), share=st.floats(0, 1))
def test_an_output_no_less_accurate_than_eager_is_right(seed, dtype, size, noise, share):
    """Whatever eager's own error is, an output whose largest error is no larger passes."""
    want = truth(seed, (50,), size)
    eager = (want + noise * truth(seed + 1, (50,), size)).to(dtype)
    assume(bool(torch.isfinite(eager).all()))
    # Between the truth and eager's output, then rounded: at most half a unit farther off.
    got = (want + share * (eager.double() - want)).to(dtype)
    assert verdict(got, want, eager).passed


@given(
    seed=seeds,
    dtype=st.sampled_from([torch.float64, torch.float32, torch.bfloat16]),
    power=st.integers(-30, 30),
)
def test_zeros_do_not_pass_for_small_numbers(seed, dtype, power):
    want = truth(seed, (40,), 10.0**power)
    zeros = torch.zeros(40, dtype=dtype)
    found = verdict(zeros, want, want.to(dtype))
    assert not found.passed
    assert found.mismatch is not None
    assert found.mismatch.got == 0.0


@given(seed=seeds, dtype=dtypes, factor=st.floats(1.5, 1e3))
def test_an_error_beyond_the_bound_is_found_where_it_is(seed, dtype, factor):
    want = truth(seed, (3, 4, 5), 1.0)
    eager = want.to(dtype)
    allowed = verdict(eager, want, eager).bound
    at = seed % 60
    got = want.clone().reshape(-1)
    got[at] += factor * (allowed + 2 * torch.finfo(dtype).eps * want.abs().max())
    found = verdict(got.reshape(3, 4, 5).to(dtype), want, eager)
    assert not found.passed
    assert found.mismatch is not None
    assert found.mismatch.index == (at // 20, at // 5 % 4, at % 5)
    assert (found.mismatch.count, found.mismatch.total) == (1, 60)
    assert int(found.wrong.sum()) == 1


def test_the_bound_is_what_the_formula_says():
    want = torch.tensor([1.0, -8.0, 0.5], dtype=torch.float64)
    eager = torch.tensor([1.0, -8.0, 0.5], dtype=torch.float32) + torch.tensor([0, 0, 0.25])
    found = verdict(want.float(), want, eager)
    assert found.eager_err == 0.25
    allowed = BOUNDS["float32"]
    assert found.bound == pytest.approx(K * 0.25 + allowed.c * allowed.eps * 8)


SPECIAL = (math.nan, math.inf, -math.inf)


@pytest.mark.slow
@given(
    values=st.lists(st.sampled_from([*SPECIAL, 0.0, 1.0, -2.5]), min_size=1, max_size=8),
    at=st.integers(0, 7),
    other=st.sampled_from([*SPECIAL, 1.0]),
)
@settings(max_examples=200)
def test_nan_and_infinities_stand_where_the_reference_has_them(values, at, other):
    want = torch.tensor(values, dtype=torch.float64)
    assert verdict(want.float(), want).passed
    got = want.clone().float()
    at %= len(values)
    assume(
        not torch.equal(
            torch.tensor(values[at]).nan_to_num(7.0, 8.0, 9.0),
            torch.tensor(other).nan_to_num(7.0, 8.0, 9.0),
        )
    )
    got[at] = other
    found = verdict(got, want, want.float())
    assert not found.passed
    assert found.mismatch is not None
    assert found.mismatch.index == (at,)


def test_what_overflows_the_outputs_dtype_is_infinite_and_excuses_nothing_else():
    want = torch.tensor([1e39, 1.0, 2.0], dtype=torch.float64)
    right = torch.tensor([math.inf, 1.0, 2.0])
    assert verdict(right, want).passed
    assert not verdict(torch.tensor([3e38, 1.0, 2.0]), want).passed
    assert not verdict(torch.tensor([math.inf, 0.0, 0.0]), want, right).passed


@given(values=st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=6), at=st.integers(0, 5))
def test_integers_are_exact(values, at):
    want = torch.tensor(values, dtype=torch.int64)
    assert verdict(want.clone(), want).passed
    got = want.clone()
    got[at % len(values)] += 1
    found = verdict(got, want)
    assert not found.passed
    assert found.bound == 0.0
    assert found.mismatch is not None
    assert found.mismatch.count == 1


def test_the_sign_of_a_zero_counts_in_an_exact_task_only():
    want = torch.tensor([0.0, -0.0, 1.0], dtype=torch.float64)
    got = torch.tensor([0.0, 0.0, 1.0])
    assert compare_output(got, want, 0.0, None).passed
    found = compare_output(got, want, 0.0, None, exact=True)
    assert not found.passed
    assert found.mismatch is not None
    assert (found.mismatch.index, found.mismatch.count) == ((1,), 1)
    assert math.copysign(1.0, float(found.mismatch.want)) == -1.0
    assert compare_output(want.float(), want, 0.0, None, exact=True).passed


def test_a_task_is_exact_where_its_own_scale_is_the_number_zero():
    exact = {
        path.parent.name
        for path in (paths.course_root() / "kernels").glob("*/reference.py")
        for known in [load_reference(path)]
        for args in [make_inputs(known.cases[0], 0)]
        if known.exact(known.magnitude(args, known.want(args), torch.float32))
    }
    moved = {
        "bank_conflicts",
        "dlpack_round_trip",
        "masked_tail",
        "strided_copy",
        "transpose",
        "transpose_naive",
        "tree_broadcast",
    }
    verdicts = {
        "dependence_vectors",
        "engine_tests",
        "fuzz_a_pass",
        "legal_schedule",
        "pass_tests",
        "schedule_order",
        "tile_the_loops",
    }
    numbers = {
        "arena",
        "arena_lifetimes",
        "bands",
        "block_manager",
        "chunked_prefill",
        "compress_tiny",
        "fsdp_bytes",
        "kv_bytes",
        "memory_plan",
        "onnx_surgery_2",
        "order_for_peak",
        "pass_ablate",
        "pass_whole",
        "pick_tactics",
        "place_qdq",
        "prefix_hash",
        "read_safetensors",
        "ridge_batch",
        "ring_time",
    }  # of steps and bytes
    tokens = {"accept", "engine_ablate", "engine_core", "engine_whole"}
    sparse = {"compress_24", "two_four_sparse_mask"}  # masks and bytes
    assert exact == moved | verdicts | numbers | tokens | sparse
    transpose = load_reference(paths.course_root() / "kernels" / "transpose" / "reference.py")
    assert not transpose.exact(torch.zeros(3))  # some elements of a sum, say, may be zero
    assert not replace(transpose, scale=None).exact(0.0)  # nothing but zeros is wanted


def test_truths_are_exact():
    want = torch.tensor([True, False])
    assert verdict(torch.tensor([True, False]), want).passed
    assert not verdict(torch.tensor([True, True]), want).passed


def test_a_scale_for_each_element_binds_each_by_its_own():
    """Where terms cancel the result is small and its error is not; elsewhere it must be small."""
    want = torch.tensor([0.0, 0.0], dtype=torch.float64)
    scale = torch.tensor([1e6, 1.0], dtype=torch.float64)
    error = torch.tensor([0.1, 0.0])
    assert compare_output(error, want, scale, None).passed
    assert not compare_output(error.flip(0), want, scale, None).passed


def test_a_long_argument_is_cut_with_a_mark():
    """What is shown of a case says where it was cut."""
    assert spec("i:4 j:5") == "'i:4 j:5'"
    cut = spec([[16, 128, 256, 16], [256, 64, 16], [128, 64]])
    assert cut == "[[16, 128, 256, 16], [256, 64, 16], [12…"
    assert len(cut) == LONGEST_ARGUMENT
