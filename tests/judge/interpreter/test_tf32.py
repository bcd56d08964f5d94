"""`tl.dot` of float32 in the interpreter: as inexact as on a GPU, unless it is told otherwise."""

import numpy as np
import pytest
import torch
import triton.language as tl
import triton.runtime.interpreter as private
from hypothesis import given
from hypothesis import strategies as st
from judging import cell

from tutor.judge.interpreter.arithmetic.tf32 import _patch_dot, round_to_tf32

NORMAL = st.floats(min_value=2.0**-100, max_value=2.0**100, width=32)


@given(st.lists(st.one_of(NORMAL, NORMAL.map(lambda x: -x)), min_size=1, max_size=20))
def test_a_number_goes_to_the_nearest_with_ten_bits_of_fraction(values):
    exact = np.array(values, np.float32)
    found = round_to_tf32(exact)
    assert found.dtype == np.float32
    assert not np.any(found.view(np.uint32) & np.uint32((1 << 13) - 1))
    assert np.all(np.abs(found.astype(float) - exact) <= 2.0**-11 * np.abs(exact))
    assert np.array_equal(round_to_tf32(found), found)


def test_what_is_no_number_stays_and_ties_go_to_even():
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    found = round_to_tf32(special)
    assert np.array_equal(found, special, equal_nan=True)
    assert np.signbit(found[-1])
    ties = np.array([1 + 2.0**-11, 1 + 3 * 2.0**-11], np.float32)
    assert round_to_tf32(ties).tolist() == [1.0, 1 + 2 * 2.0**-10]


CELL = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(a, b, o):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    x, y = tl.load(a + 16 * i + j), tl.load(b + 16 * i + j)
    tl.store(o + 16 * i + j, tl.dot(x, y{how}))

torch.manual_seed(3)
a, b, o = torch.randn(16, 16), torch.randn(16, 16), torch.empty(16, 16)
if {whole}:
    a, b = (10 * a).round(), (10 * b).round()
kernel[(1,)](a, b, o)
off = ((o.double() - a.double() @ b.double()).abs() / (a.abs() @ b.abs())).max().item()
"""


@pytest.mark.parametrize(
    ("how", "whole", "least", "most"),
    [
        ("", False, 1e-5, 2.0**-10),
        (', input_precision="tf32"', False, 1e-5, 2.0**-10),
        (', input_precision="ieee"', False, 0, 1e-6),
        (', input_precision="tf32x3"', False, 0, 1e-6),
        (', input_precision="tf32"', True, 0, 0),  # small whole numbers are exact
    ],
)
def test_a_dot_is_as_exact_as_a_gpu_makes_it(judge, how, whole, least, most):
    code = CELL.format(how=how, whole=whole)
    _, done = cell(judge, "tf32", code, evaluate=("off",))
    assert done.ok, done.error
    assert least <= done.values["off"] <= most


def test_float16_factors_give_the_same_numbers_widened():
    seen = []

    def dot(_self, a, b, d, *_rest):
        seen.append(a.dtype)
        return private.TensorHandle(np.matmul(a.data, b.data, dtype=d.data.dtype) + d.data, d.dtype)

    a, b = (private.TensorHandle(torch.randn(16, 16).half().numpy(), tl.float16) for _ in range(2))
    for dtype, kept in ((np.float32, tl.float32), (np.float16, tl.float16)):
        d = private.TensorHandle(np.zeros((16, 16), dtype), kept)
        got, plain = (f(None, a, b, d, None, 0) for f in (_patch_dot(dot), dot))
        assert seen[-2:] == [kept, tl.float16]
        np.testing.assert_allclose(got.data, plain.data, rtol=1e-5, atol=1e-5)
