"""What a change does with names that other statements set, and the lines on the way to an access."""

import ast

import pytest

from tutor.judge.repair.assignments import (
    discards_work,
    find_definition,
    find_other_setting,
    find_worked_out,
)
from tutor.judge.repair.edits import Program, insert_node, replace_node
from tutor.judge.repair.suspects import find_suspects
from tutor.judge.repair.trees import functions, read_program

COUNT = """
def count(pieces):
    kernels = 0
    plain = len(pieces)
    for piece in pieces:
        kernels += 1
    return kernels
"""


@pytest.mark.parametrize(
    ("new", "index", "discards"),
    [
        ("kernels = sum(map(bool, pieces))", 3, True),
        ("kernels = max(kernels, 1)", 3, False),  # goes on with what was worked out
        ("kernels = len(pieces)", 1, False),  # one statement before it
        ("plain = sum(map(bool, pieces))", 3, False),
    ],
)
def test_a_new_statement_that_does_all_work_anew(new: str, index: int, discards: bool) -> None:
    program = Program(read_program(COUNT))
    (statement,) = read_program(new).body
    edit = insert_node(functions(program.tree)["count"], "body", index, statement)
    assert discards_work(program, edit) == discards


def test_a_name_that_a_change_sets_beside_its_own_is_found_where_it_is_set() -> None:
    program = Program(
        read_program("def f(n, w, b):\n    n.w = w\n    if b:\n        n.b = b\n    return n\n")
    )
    old = functions(program.tree)["f"].body[0]
    (both,) = ast.parse("n.w, n.b = (w, b)").body
    assert find_other_setting(program, replace_node(old, both)) == ("n.b", [4])
    (other,) = ast.parse("n.w = b").body
    assert find_other_setting(program, replace_node(old, other)) is None


@pytest.mark.parametrize(
    ("new", "dropped"),
    [
        ("exact(x)", {"share"}),
        ("2 * share", set()),
        ("2 * tanh(x)", set()),  # what `share` stands for
    ],
)
def test_names_that_a_change_reads_no_more(new: str, dropped: set[str]) -> None:
    program = Program(
        read_program(
            "def f(x):\n    share = tanh(x)\n    y = x\n    y = y + 1\n    return share + 1\n"
        )
    )
    returned = functions(program.tree)["f"].body[-1]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    assert find_worked_out(program, returned.value, ast.parse(new, mode="eval").body) == dropped
    names = {n.id: n for n in ast.walk(returned.value) if isinstance(n, ast.Name)}
    definition = find_definition(program, names["share"])
    assert definition is not None
    assert definition.lineno == 2


def test_the_way_to_an_access_goes_through_names_and_the_launch() -> None:
    program = read_program(
        """
@triton.jit
def k(x_ptr, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    at = row * stride
    inside = at < n
    other = row + 1
    tl.store(x_ptr + at, other, mask=inside)

def run(x):
    wide = x.stride(0)
    name = "run"
    k[(4,)](
        x, 3,
        wide, B=4)
"""
    )
    steps = find_suspects(program, {8})
    assert {line: steps.get(line) for line in (4, 5, 6, 7, 8)} == {4: 2, 5: 1, 6: 1, 7: None, 8: 0}
    assert {line: steps.get(line) for line in (11, 12, 14, 15)} == {11: 3, 12: None, 14: 1, 15: 2}
    assert find_suspects(program, set()) == {}
