"""What an exercise's own cases have in common is taken for its promise."""

import pytest

from tutor.judge.breaking.habits import Forms, TensorForm, find_strangeness
from tutor.judge.cases.reference import quote_promise


def form(*shape: int, dtype: str = "float32", contiguous: bool = True, finite: bool = True):
    return TensorForm(dtype, shape, contiguous, finite)


PRODUCTS = [
    (form(m, k), form(k, n)) for m, k, n in ((1, 1, 1), (3, 5, 7), (16, 9, 2), (2, 8, 8), (5, 5, 6))
]
BLOCKS = [(form(64 * n), n) for n in (1, 2, 3, 5, 6)]


@pytest.mark.parametrize(
    ("case", "own", "said"),
    [
        ((form(3, 4), form(4, 5)), PRODUCTS, ""),
        ((form(3, 4), form(5, 5)), PRODUCTS, "`a.shape[1]` is 4 and `b.shape[0]` is 5"),
        ((form(3, 4, dtype="float16"), form(4, 5)), PRODUCTS, "`a` is float16, and float32"),
        ((form(3), form(4, 5)), PRODUCTS, "`a` is 1-D, and 2-D"),
        ((form(0, 4), form(4, 5)), PRODUCTS, "`a` is without elements"),
        ((form(3, 4, contiguous=False), form(4, 5)), PRODUCTS, "`a` is not contiguous"),
        ((form(3, 4, finite=False), form(4, 5)), PRODUCTS, "`a` is not finite"),
        ((3, form(4, 5)), PRODUCTS, "`a` is a tensor"),
        ((form(128), 2), BLOCKS, ""),
        ((form(100), 2), BLOCKS, "a multiple of 64"),
        ((form(64), 0), BLOCKS, "`b` is 0, and at least 1"),
        ((form(64), "x"), BLOCKS, "`b` is 'x', and a value such as 1"),
        ((form(64), form(3)), BLOCKS, "`b` is a number"),
    ],
)
def test_a_strange_case(case: Forms, own: list[Forms], said: str) -> None:
    found = find_strangeness(case, own, ("a", "b"))
    assert said in found
    assert bool(said) == bool(found)


def test_sizes_that_are_fixed_or_powers_of_two() -> None:
    fixed = [(form(1024, n),) for n in range(1, 6)]
    assert "1024 in this task" in find_strangeness((form(1023, 2),), fixed, ("x",))
    powers = [(form(n, 2**n),) for n in range(1, 6)]
    assert "a power of two" in find_strangeness((form(2, 12),), powers, ("x",))
    assert not find_strangeness((form(2, 64),), powers, ("x",))


def test_a_promise_in_words() -> None:
    promised = (("at most 4", lambda x: x <= 4), ("even", lambda x: x % 2 == 0))
    assert quote_promise(promised, (2,)) == ""
    assert quote_promise(promised, (6,)) == "at most 4"
    assert quote_promise(promised, (3,)) == "even"
    assert quote_promise((("a matrix", lambda x: x.shape[1] > 0),), (3,)) == "a matrix"
