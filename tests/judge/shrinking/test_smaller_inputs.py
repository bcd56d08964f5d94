"""Smaller and simpler arguments, and smaller blocks, as the search tries them."""

import torch

from tutor.judge.shrinking.shown_values import _restore, show_value
from tutor.judge.shrinking.smaller_blocks import shrink_blocks
from tutor.judge.shrinking.smaller_inputs import (
    count_elements,
    count_up,
    find_common_factors,
    shared_sizes,
    shrink_size,
    simplify_tensor,
)


def test_a_size_that_arguments_share_shrinks_in_all_of_them() -> None:
    args = (torch.zeros(6, 40), torch.zeros(40, 3), 40, 0.5)
    assert shared_sizes(args) == [40, 6, 3]
    smaller = list(shrink_size(args, 40, {}))
    assert [(x.shape, w.shape, k) for x, w, k, _ in smaller][:2] == [
        ((6, 1), (1, 3), 1),
        ((6, 2), (2, 3), 2),
    ]
    assert all(x.is_contiguous() and w.is_contiguous() for x, w, *_ in smaller)
    assert all(rest == 0.5 for *_, rest in smaller)
    assert [k for _, _, k, _ in smaller] == sorted(k for _, _, k, _ in smaller)
    assert smaller[-1][2] < 40


def test_whole_tiles_stay_whole() -> None:
    cases = [(torch.zeros(64, 96),), (torch.zeros(160, 32),)]
    factors = find_common_factors(cases)
    assert factors == {(0, 0): 32, (0, 1): 32}
    assert [x.shape for (x,) in shrink_size(cases[0], 96, factors)] == [(64, 32), (64, 64)]


def test_a_view_keeps_its_strides() -> None:
    view = torch.arange(40.0).reshape(4, 10)[:, ::2]
    (smaller,) = next(shrink_size((view,), 5, {}))
    assert smaller.stride() == view.stride()
    (simple,) = next(simplify_tensor((smaller,), 0))
    assert simple.stride() == view.stride()
    assert not simple.any()


def test_numbers_become_simple() -> None:
    args = (torch.tensor([3.71239, -120.0, float("inf")]), 2)
    *simpler, shown = (x for x, _ in simplify_tensor(args, 0))
    told = [tuple(x.tolist()) for x in simpler]
    assert told == [(0, 0, 0), (1, 1, 1), (1, 0, 0), (0, 0, 1), (1, 2, 3), (4, -9, 9)]
    assert shown.equal(torch.tensor([3.712, -120.0, float("inf")]))
    assert list(simplify_tensor(args, 1)) == []
    counted, two = count_up(args)
    assert counted.tolist() == [1, 2, 3]
    assert two == 2
    assert count_elements(args) == 3


KERNEL = """\
BLOCK = 1024
ROWS: int = 7
M, N = 32, x

def f(x):
    é = 64; kernel[(4 + x // 1024,)](x, TILE=é, WIDE=32, num_warps=32, few=8)
"""


def test_blocks_become_small_and_lines_stay() -> None:
    source, change = shrink_blocks(KERNEL)
    assert source == KERNEL.replace("1024", "4").replace("64", "4").replace("32", "4", 2)
    assert change == "BLOCK = 4 for 1024, M = 4 for 32, é = 4 for 64, WIDE = 4 for 32"


def test_without_a_block_nothing_is_changed() -> None:
    assert shrink_blocks("SIZE = 100\nflag = True\nname = 'x'\n") == ("", "")
    assert shrink_blocks("def (") == ("", "")


def test_a_block_stays_where_the_text_has_a_multiple_of_it() -> None:
    """A right program with a tile of 8 × 128 launches `n // 1024` programs: none for a few elements."""
    tile = "def run(x):\n    k[(x.shape[0] // 1024,)](x, ROWS=8, COLS=128)\n"
    assert shrink_blocks(tile) == ("", "")
    assert shrink_blocks(tile.replace("1024", "128"))[1] == "COLS = 4 for 128"
    assert shrink_blocks(tile.replace("1024", "1000"))[1] == "COLS = 4 for 128"


def test_a_tensor_whose_elements_share_an_address_keeps_its_numbers() -> None:
    """A row for all rows, as `expand` makes it, cannot be written element by element."""
    row = torch.arange(3.0).expand(4, 3)
    assert list(simplify_tensor((row, 2), 0)) == []
    (kept,) = count_up((row,))
    assert kept is row
    restored = _restore(show_value("x", row))
    assert restored.stride() == row.stride()
    assert torch.equal(restored, row)
