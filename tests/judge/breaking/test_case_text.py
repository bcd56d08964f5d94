"""A case is read as data: what it may hold, how much of it, and what is said of anything else."""

import math

import pytest

from tutor.base.errors import UsageError
from tutor.judge.breaking.case_text import (
    MOST_CASES,
    MOST_TEXT,
    TensorText,
    describe_value,
    parse_case,
    parse_case_file,
    parse_cases,
)

ENTRY = "layer_norm(x, weight, bias, eps)"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("f32[4, 1025]", TensorText("f32", (4, 1025))),
        ("float16[4]", TensorText("f16", (4,))),
        ("x=f32[8,4][1,8]", TensorText("f32", (8, 4), (1, 8))),
        ("double(zeros(f32[2, 3]))", TensorText("f32", (2, 3), fill="zeros")),
        (
            "double(x=full(bf16[2], -inf))",
            TensorText("bf16", (2,), fill="full", numbers=(-math.inf,)),
        ),
        ("values(i32[3], 1, -2)", TensorText("i32", (3,), fill="values", numbers=(1, -2))),
        ("f32[()]", TensorText("f32", ())),
    ],
)
def test_a_tensor(text: str, value: TensorText) -> None:
    assert parse_case(text, "double(x)").args == (value,)
    again = parse_case(describe_value(value), "double(x)") if value.shape else None
    assert again is None or again.args == (value,)


def test_arguments_stand_in_the_order_of_the_signature() -> None:
    case = parse_case("layer_norm(f32[2, 5], eps=1e-5, bias=zeros(f32[5]), weight=f32[5])", ENTRY)
    assert case.args[1:] == (TensorText("f32", (5,)), TensorText("f32", (5,), fill="zeros"), 1e-5)
    assert parse_case("f32[1, 2], True", "attention(q, causal)").args[1] is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x=f32[4", "is no call of double"),
        ("other(f32[4])", "there is no `other`"),
        ("__import__('os').system('true')", "there is no `__import__('os').system`"),
        ("[f32[4] for _ in range(9)]", "a case has tensors such as"),
        ("(lambda: 1)()", "there is no"),
        ("f32[4].zeros()", "there is no"),
        ("f32[2**30]", "whole numbers"),
        ("f32[-1]", "whole numbers"),
        ("f32[1.5]", "whole numbers"),
        ("f32[70000]", "at most 65536"),
        ("f32[4, 4][1000000, 1]", "reaches over more than"),
        ("f32[4, 4][1]", "2 sizes and 1 strides"),
        ("f99[4]", "no dtype `f99`"),
        ("full(f32[4])", "one number"),
        ("zeros(f32[4], 1)", "nothing else"),
        ("one(f32[4], 'x')", "one number"),
        ("f32[4], f32[4]", "takes 1 arguments, not 2"),
        ("y=f32[4]", "no argument `y`"),
        ("x=f32[4], x=f32[4]", "is given twice"),
        ("", "needs `x` too"),
        ("x=99999999999999", "larger than 2**31"),
        ("x=" + "f32[4]" * MOST_TEXT, f"at most {MOST_TEXT} characters"),
        ("f32[" + "(" * 120 + "4" + ")" * 120 + "x]", "is no call"),
        ("\x00", "is no call"),
        ("\u202ef32[4]", "is no call"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_case(text, "double(x)")
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


def test_cases_are_counted() -> None:
    with pytest.raises(UsageError, match=f"at most {MOST_CASES} cases"):
        parse_cases(["f32[4]"] * (MOST_CASES + 1), "double(x)")
    with pytest.raises(UsageError, match="case 2: `x`"):
        parse_cases(["f32[4]", "f99[4]"], "double(x)")


FILE = '''
"""Cases."""
import os


def cases(double):
    """Say which."""
    double(f32[4, 5])
    # a comment
    double(x=zeros(f32[1]))
'''


def test_a_file_of_cases_is_read_and_not_run() -> None:
    cases = parse_case_file(FILE, "double(x)")
    assert [(case.text, case.line) for case in cases] == [
        ("double(f32[4, 5])", 8),
        ("double(x=zeros(f32[1]))", 10),
    ]
    for line, said in (
        ("    for i in range(9): double(f32[i])", "line 8: only calls"),
        ("    x = 1", "line 8: only calls"),
        ("    os.remove('x')", "line 8: `os.remove` is called; a case is a call such as `double"),
        ("    twice(f32[4, 5])", "line 8: `twice` is called; a case is a call such as `double"),
        ("    double(f99[1])", "line 8: `x`: there is no dtype"),
        ("  x", "line 8"),
    ):
        with pytest.raises(UsageError, match=said):
            parse_case_file(FILE.replace("    double(f32[4, 5])", line), "double(x)")
    with pytest.raises(UsageError, match="no function `cases`"):
        parse_case_file("x = 1", "double(x)")
