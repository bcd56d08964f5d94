"""Texts of programs made smaller, and what a verdict shows of them. Nothing is run."""

import pytest

from tutor.judge.cases.drawn_programs import arith, onnx, relax
from tutor.judge.cases.fx_graphs import net
from tutor.judge.cases.passes import name_inputs, show_program
from tutor.judge.shrinking.smaller_programs import shrink_program, size_of

# A program, what is shown of it, its inputs, and a smaller one that has to be among the candidates.
TABLE = {
    "fx": (
        net("y = self.w.sin()\ny.add_(1)\nz = y + x\nreturn z * 2", "self.w = None"),
        ("y = self.w.sin()", "y.add_(1)", "z = y + x", "return z * 2"),
        ("x",),
        ("self.w.add_(1)", "z = self.w + x", "return z * 2"),
    ),
    "xdsl": (
        arith(["%a = arith.muli %x, %y : i32", "%b = arith.subi %a, %a : i32"], "%b"),
        (
            "func.func @f(%x: i32, %y: i32) -> i32 {",
            "  %a = arith.muli %x, %y : i32",
            "  %b = arith.subi %a, %a : i32",
            "  func.return %b : i32",
            "}",
        ),
        ("%x", "%y"),
        (
            "func.func @f(%x: i32, %y: i32) -> i32 {",
            "  %b = arith.subi %y, %y : i32",
            "  func.return %b : i32",
            "}",
        ),
    ),
    "relax": (
        relax(["v = R.add(x, y)", "w = R.nn.relu(v)"], "w"),
        (
            "with R.dataflow():",
            "    v = R.add(x, y)",
            "    w = R.nn.relu(v)",
            "    out = w",
            "    R.output(out)",
            "return out",
        ),
        ("x", "y"),
        (
            "with R.dataflow():",
            "    w = R.nn.relu(x)",
            "    out = w",
            "    R.output(out)",
            "return out",
        ),
    ),
    "onnx": (
        onnx(["v = Add (x, y)", "w = Relu (v)"], "w"),
        tuple(onnx(["v = Add (x, y)", "w = Relu (v)"], "w").splitlines()),
        ("x", "y"),
        tuple(onnx(["w = Relu (y)"], "w").splitlines()),
    ),
}


@pytest.mark.parametrize("subject", TABLE)
def test_a_line_goes_and_what_it_read_takes_its_place(subject: str) -> None:
    text, shown, inputs, smaller = TABLE[subject]
    assert show_program(text) == shown
    assert name_inputs(text, len(inputs)) == inputs
    candidates = [
        show_program(each) for each in shrink_program(text) if size_of(each) < size_of(text)
    ]
    assert smaller in candidates


def test_a_part_of_an_expression_stands_for_the_whole() -> None:
    text = net("return torch.maximum((x + 1).sin(), -x), x")
    shown = {show_program(each)[-1] for each in shrink_program(text)}
    assert {
        "return (torch.maximum((x + 1).sin(), x), x)",
        "return (torch.maximum(x + 1, -x), x)",
        "return ((x + 1).sin(), x)",
        "return torch.maximum((x + 1).sin(), -x)",
        "return x",
    } <= shown
