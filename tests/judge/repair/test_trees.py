"""Programs are read in one form, and changed without harm to the tree that they come from."""

import ast

import pytest

from tutor.judge.repair.edits import Program, delete_node, insert_node, replace_node
from tutor.judge.repair.trees import Unreadable, expression, launches, read_program

LAUNCH = """
@triton.jit
def kernel(x, a, b, n, B: tl.constexpr):
    tl.store(x, tl.sum(tl.load(x), axis=0))

def run(x: torch.Tensor) -> torch.Tensor:
    "What it returns."
    kernel[(1,)](x, *x.stride(), 4, B=8)
"""


def test_a_launch_hands_over_its_arguments_by_name() -> None:
    (call,) = launches(read_program(LAUNCH))
    assert not call.args
    assert [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords] == [
        "x=x",
        "a=x.stride(0)",
        "b=x.stride(1)",
        "n=4",
        "B=8",
    ]


@pytest.mark.parametrize(
    ("before", "given", "named"),
    [
        ("blocks = {'B': 8}", "**blocks", ["a=x.stride(0)", "b=x.stride(1)"]),
        ("blocks = {'B': 8, 'n': 4}", "**blocks", ["a=x.stride(0)", "b=x.stride(1)"]),
        ("blocks = dict(B=8)", "**blocks", None),
        ("blocks = {'B': 8}; blocks = {}", "**blocks", None),
        ("", "**find_blocks(x)", None),
    ],
)
def test_a_launch_with_a_dict_hands_over_as_many_strides_as_are_left(
    before: str, given: str, named: list[str] | None
) -> None:
    text = (
        LAUNCH.replace("4, B=8", f"4, {given}")
        if "'n'" not in before
        else LAUNCH.replace("4, B=8", given)
    )
    (call,) = launches(read_program(text.replace("    kernel[", f"    {before}\n    kernel[")))
    strides = [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords if k.arg in ("a", "b")]
    assert strides == (named or [])
    assert bool(call.args) == (named is None), "the number of strides is unknown"


def test_types_docstrings_and_spellings_are_one() -> None:
    text = ast.unparse(read_program(LAUNCH))
    assert "What it returns" not in text
    assert "torch.Tensor" not in text
    assert "tl.sum(tl.load(x), 0)" in text
    assert "B: tl.constexpr" in text


@pytest.mark.parametrize("text", ["def f(:\n", "x = 1\n" * 20_000, "\0"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_program(text)


def test_edits_are_made_in_a_copy() -> None:
    tree = read_program("def f(a, b):\n    c = a + b\n    return c * 2\n")
    program = Program(tree)
    before = ast.dump(tree)
    function = tree.body[0]
    assign, back = function.body
    changed = program.after(
        [
            replace_node(assign.value.right, expression("b - 1")),
            insert_node(function, "body", 1, ast.parse("c += 1").body[0]),
        ]
    )
    assert changed == "def f(a, b):\n    c = a + (b - 1)\n    c += 1\n    return c * 2\n"
    assert program.after([delete_node(back)]) == "def f(a, b):\n    c = a + b\n"
    assert program.after([delete_node(assign), delete_node(back)]) == "def f(a, b):\n    pass\n"
    assert ast.dump(tree) == before


def test_an_edit_inside_what_another_one_wraps_is_made_too() -> None:
    tree = read_program("y = f(a)\n")
    call = tree.body[0].value
    wrapped = ast.BinOp(call, ast.Add(), ast.Constant(1))
    edits = [replace_node(call, wrapped), replace_node(call.args[0], expression("b"))]
    assert Program(tree).after(edits) == "y = f(b) + 1\n"
