"""Sets of elements as blocks, and tensors as cells: nothing is lost, nothing is counted twice."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.judge.model.tensor_grid import (
    Grid,
    draw_grid,
    elements,
    index_of,
    join_runs,
    make_grid,
    row_label,
    union,
)

_SETS = st.sets(st.integers(0, 400), max_size=120)
_SHAPES = (
    st.lists(st.integers(1, 40), min_size=0, max_size=4)
    .map(tuple)
    .filter(lambda shape: math.prod(shape) <= 20_000)
)


def runs_of(chosen: set[int]) -> list[tuple[int, int]]:
    """The stretches of neighbours, the plain way."""
    found: list[tuple[int, int]] = []
    for each in sorted(chosen):
        if found and sum(found[-1]) == each:
            found[-1] = found[-1][0], found[-1][1] + 1
        else:
            found.append((each, 1))
    return found


@given(_SETS)
def test_blocks_hold_the_same_elements_each_once(chosen):
    assert list(elements(join_runs(runs_of(chosen)))) == sorted(chosen)


@given(st.integers(0, 50), st.integers(1, 9), st.integers(1, 30), st.integers(0, 20))
def test_a_tile_is_one_block(start, length, count, gap):
    pitch = length + gap + 1
    tile = {start + row * pitch + i for row in range(count) for i in range(length)}
    assert len(join_runs(runs_of(tile))) == 1


@given(st.lists(_SETS, max_size=4))
def test_a_union_holds_each_element_once(chosen):
    blocks = [block for each in chosen for block in join_runs(runs_of(each))]
    assert list(elements(union(blocks))) == sorted(set().union(*chosen))


@settings(deadline=None)
@given(_SHAPES, st.integers(1, 20), st.integers(1, 70), st.data())
def test_cells_conserve_what_they_count(shape, rows, columns, data):
    total = math.prod(shape)
    grid = make_grid(shape, rows, columns)
    assert 1 <= grid.rows <= rows
    assert 1 <= grid.columns <= columns
    sizes = [[grid.size(r, c) for c in range(grid.columns)] for r in range(grid.rows)]
    assert sum(map(sum, sizes)) == total
    chosen = data.draw(st.sets(st.integers(0, total - 1), max_size=60))
    counts = grid.counts(join_runs(runs_of(chosen)))
    assert sum(map(sum, counts)) == len(chosen)
    for row, room in zip(counts, sizes, strict=True):
        assert all(n <= size for n, size in zip(row, room, strict=True))
    assert grid.counts([(0, total, 1, total)]) == sizes


@settings(deadline=None)
@given(_SHAPES.filter(bool), st.data())
def test_a_place_is_where_row_major_order_says(shape, data):
    element = data.draw(st.integers(0, math.prod(shape) - 1))
    index = index_of(element, shape)
    number = 0
    for at, size in zip(index, shape, strict=True):
        assert 0 <= at < size
        number = number * size + at
    assert number == element


def test_a_long_vector_is_folded_at_a_power_of_two():
    grid = make_grid((1025,), 12, 32)
    assert grid == Grid(1025, 128, 1, 4)
    assert (grid.rows, grid.columns) == (9, 32)
    assert row_label(grid, (1025,), 8) == "1024"
    assert row_label(grid, (1025,), 0) == "0–127"


@pytest.mark.parametrize(
    ("shape", "label"), [((40, 8), "8–15"), ((2, 20, 8), "0,8–0,15"), ((1, 777), "512–767")]
)
def test_rows_say_which_elements_they_are(shape, label):
    grid = make_grid(shape, 5, 64) if len(shape) > 1 and shape[0] > 1 else Grid(777, 256, 1, 4)
    row = 1 if shape[0] > 1 else 2
    assert row_label(grid, shape, row) == label


@settings(deadline=None)
@given(_SHAPES)
def test_a_picture_has_a_mark_for_each_cell_that_holds_elements(shape):
    grid = make_grid(shape, 16, 64)
    lines = draw_grid(grid, shape, lambda row, column: "#")
    assert len(lines) == grid.rows + 1
    held = sum(grid.size(r, c) > 0 for r in range(grid.rows) for c in range(grid.columns))
    assert "".join(lines[1:]).count("#") == held
