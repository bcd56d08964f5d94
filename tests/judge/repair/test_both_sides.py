"""What can be changed on the one side of a launch, changed on the other."""

import ast

import pytest

from tutor.judge.repair.both_sides import exchange_sides
from tutor.judge.repair.edits import Edit, Program, replace_node
from tutor.judge.repair.trees import read_program

SOURCE = """\
@triton.jit
def k(x_ptr, n, first, second, B: tl.constexpr):
    a = tl.program_id(1) * B
    b = tl.program_id(0) * B
    tl.store(x_ptr + a * first + b * second, 1.0)

def run(x):
    grid = (triton.cdiv(n, 4), triton.cdiv(m, 4))
    k[grid](x, 3, x.stride(1), x.stride(0), B=4)
"""


def names(program: Program, pairs: dict[str, str], line: int) -> list[Edit]:
    """Return edits that put other names in a line."""
    found = [n for n in ast.walk(program.tree) if isinstance(n, ast.Name) and n.lineno == line]
    return [replace_node(n, ast.Name(pairs[n.id], ast.Load())) for n in found if n.id in pairs]


def test_parameters_that_change_places_are_exchanged_in_the_launch() -> None:
    program = Program(read_program(SOURCE))
    edits = names(program, {"first": "second", "second": "first"}, 5)
    (other,) = exchange_sides(program, edits)
    assert "first=x.stride(0), second=x.stride(1)" in program.after(other)
    assert [edit.line for edit in other] == [9, 9]


@pytest.mark.parametrize("pairs", [{"first": "second"}, {"first": "n", "second": "first"}])
def test_other_changes_of_names_have_no_other_side(pairs: dict[str, str]) -> None:
    program = Program(read_program(SOURCE))
    assert list(exchange_sides(program, names(program, pairs, 5))) == []


def test_the_axes_of_the_programs_are_the_other_side_of_the_grid() -> None:
    program = Program(read_program(SOURCE))
    edits = names(program, {"n": "m", "m": "n"}, 8)
    (other,) = exchange_sides(program, edits)
    assert "a = tl.program_id(0) * B" in program.after(other)
    assert [edit.line for edit in other] == [3, 4]
    elsewhere = names(program, {"x": "y"}, 9)
    assert list(exchange_sides(program, [*edits, *elsewhere])) == []
