"""Combine functions on whole arrays, against what they give element by element."""

import numpy as np
import pytest

from tutor.judge.interpreter.arithmetic.combine_functions import reduce_arrays, scan_arrays


def affine(left, right):
    """Composition of maps x → a·x + b: associative, and not commutative."""
    (a, b), (c, d) = left, right
    return [a * c, b * c + d]


@pytest.mark.parametrize("length", [1, 2, 7, 8, 64])
def test_the_order_of_the_elements_is_kept(length: int) -> None:
    rng = np.random.default_rng(length)
    maps = [rng.uniform(0.5, 1.5, (3, length)) for _ in "ab"]
    want = [[each[:, :1] for each in maps]]
    for i in range(1, length):
        want.append(affine(want[-1], [each[:, i : i + 1] for each in maps]))
    for got, last in zip(reduce_arrays(maps, affine), want[-1], strict=True):
        np.testing.assert_allclose(got, last, rtol=1e-12)
    scanned = scan_arrays(maps, affine)
    for part, got in enumerate(scanned):
        every = np.concatenate([step[part] for step in want], axis=1)
        np.testing.assert_allclose(got, every, rtol=1e-12)


def test_a_function_is_called_a_few_times_and_not_for_each_element() -> None:
    calls = 0

    def add(left, right):
        nonlocal calls
        calls += 1
        return [left[0] + right[0]]

    (total,) = reduce_arrays([np.ones((2, 1024))], add)
    assert total.tolist() == [[1024.0], [1024.0]]
    assert calls == 10
