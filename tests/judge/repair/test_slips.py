"""Generic slips: each change that undoes one is among them."""

import pytest

from tutor.judge.repair.edits import Program
from tutor.judge.repair.slips import find_slips
from tutor.judge.repair.trees import read_program

KERNEL = """
@triton.jit
def k(x_ptr, out_ptr, rows, columns, stride, B: tl.constexpr):
    row = tl.program_id(0) + tl.arange(0, 4)
    column = tl.arange(0, B)
    at = row[:, None] * stride + column[None, :]
    x = tl.load(x_ptr + at, mask=(row < rows)[:, None])
    best = tl.max(x, 0)
    tl.store(out_ptr + row, best, mask=row < rows)

def run(x):
    if x.ndim == 2 and x.numel() > 0:
        count = x.shape[0] // 4
    return math.sqrt(x) + 1

def pick(a, b):
    grid = (a, b)
    if a > 1:
        grid = (a,)
    elif b > 1:
        grid = parts[:-1]
    return grid[-1]

def sum_tiles(x, y, out, width):
    groups[(1,)](x=x, y=y, out=out, a=x.stride(0), b=x.stride(1), c=x.stride(0), d=x.stride(1))
    total = 0.0
    for first in range(0, width, 8):
        left = width
        at = first + 2
        at = at * 2
        inside = (at < width) & (first >= 0) & (first < left)
        at += 8 * groups
        out += 8 * groups
    high = at // 4
    low = at % width
    return total, reversed(x)

def steps(x, y, groups, column):
    x += column
    x += groups
    y += groups
    return x, y
"""


@pytest.fixture(scope="module")
def changed() -> set[str]:
    program = Program(read_program(KERNEL))
    rows = set()
    for slip in find_slips(program):
        rows |= set(program.after(slip.edits).split("\n"))
    return {row.strip() for row in rows}


@pytest.mark.parametrize(
    "row",
    [
        "tl.store(out_ptr + row, best, mask=row <= rows)",
        "best = tl.max(x, 1)",
        "best = tl.sum(x, 0)",
        "row = tl.program_id(1) + tl.arange(0, 4)",
        "x = tl.load(x_ptr + at, mask=(row < rows)[:, None], other=0.0)",
        "at = row[:, None] * columns + column[None, :]",
        "x = tl.load(x_ptr + at, mask=(row < rows)[:, None] & (column[None, :] < columns))",
        "if x.ndim == 2 or x.numel() > 0:",
        "count = triton.cdiv(x.shape[0], 4)",
        "return math.sqrt(x + 1)",
        "tl.store(out_ptr + row, best)",
        "grid = (b, a)",
        "if b > 1:",
        "grid = parts",
        "return grid[0]",
        "left = width - first",  # what is left of a loop
        "high = at // width",  # the divisor of the remainder
        "inside = (at < width) & (first < left) & (first < left)",  # another bound of the same
        "return (total, x)",
        "x += column",
        "groups[1,](x=x, y=y, out=out, a=x.stride(0), b=x.stride(1), c=y.stride(0), d=y.stride(1))",
    ],
)
def test_the_change_that_undoes_a_slip_is_there(changed: set[str], row: str) -> None:
    assert row in changed


def test_the_mask_of_a_turned_tile_is_turned_too() -> None:
    """One change: rows and columns are exchanged in the whole mask, as in the address of the store."""
    source = (
        "@triton.jit\n"
        "def k(out, t, R, C, S: tl.constexpr):\n"
        "    r = tl.arange(0, S)\n"
        "    c = tl.arange(0, S)\n"
        "    tl.store(out + c[:, None] * R + r[None, :], t, mask=(r[:, None] < R) & (c[None, :] < C))\n"
    )
    program = Program(read_program(source))
    rows = {(len(s.edits), program.after(s.edits)) for s in find_slips(program)}
    turned = "t, mask=(r[None, :] < R) & (c[:, None] < C))"
    assert [count for count, text in rows if turned in text] == [1]


def test_what_is_likely_comes_first() -> None:
    """Two statements in the wrong order, an argument that nobody reads, a step of another length."""
    rows = ("y = x", "y = y + 1", "y = y * n", "x += y", "x += n", "return x")
    text = "def f(x, n, stride):\n    " + "\n    ".join(rows)
    program = Program(read_program(text))
    slips = sorted(find_slips(program), key=lambda slip: slip.cost)
    near = [program.after(slip.edits) for slip in slips if slip.cost <= 1.2]
    loop = Program(read_program("def f(n):\n    for i in range(n // 8):\n        print(i // n)"))
    first = min(find_slips(loop), key=lambda slip: slip.cost)
    assert "range(triton.cdiv(n, 8))" in loop.after(first.edits)
    assert any("y = y * n\n    y = y + 1\n" in made for made in near)
    assert any("y = x\n    y = y + 1\n    y = y * stride\n" in made for made in near)
    assert any("x += y\n    x += y\n" in made for made in near)


@pytest.mark.slow
def test_every_slip_makes_another_program_that_can_be_read() -> None:
    program = Program(read_program(KERNEL))
    before = program.after(())
    texts = [program.after(slip.edits) for slip in find_slips(program)]
    assert len(texts) > 100
    assert all(read_program(text) for text in texts)
    assert sum(text == before for text in texts) == 0


def test_a_fill_is_not_replaced_by_itself() -> None:
    load = "def f(p):\n    return tl.load(p, mask=p < 1, other={})\n"
    for fill in ("0.0", "float('-inf')"):
        program = Program(read_program(load.format(fill)))
        texts = [program.after(slip.edits) for slip in find_slips(program)]
        assert program.after(()) not in texts
        assert load.format("1.0") in texts
