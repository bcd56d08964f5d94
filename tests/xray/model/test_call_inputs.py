"""The calls that a cell makes become inputs of the ladder."""

import pytest

from tutor.xray.model.call_inputs import find_calls, list_expressions, read_specs

CELL = """
def f(x, scale):
    return x * scale

g = torch.compile(f)
f(torch.ones(4), 2)
g(x[:8], scale=2.5)
"""
LAUNCH = "add[(4,)](x, y, out, n, BLOCK=1024)"


def test_the_last_call_comes_first_also_through_compile() -> None:
    assert find_calls([CELL], "f") == [
        (("", "x[:8]"), ("scale", "2.5")),
        (("", "torch.ones(4)"), ("", "2")),
    ]


def test_a_launch_of_a_kernel_is_a_call() -> None:
    (found,) = find_calls([LAUNCH, "no python ("], "add")
    assert [keyword for keyword, _ in found] == ["", "", "", "", "BLOCK"]


@pytest.mark.parametrize("call", ["f(*all)", "f(**named)", "other(1)", "o.f(1)"])
def test_a_call_whose_arguments_are_not_written_out_is_left_out(call: str) -> None:
    assert find_calls([call], "f") == []


def test_values_are_written_as_inputs() -> None:
    (found,) = find_calls([LAUNCH], "add")
    tensor = ["torch.float32", [4, 1024]]
    assert read_specs(found, [tensor, tensor, tensor, "4096", "1024"]) == (
        "f32[4,1024]",
        "f32[4,1024]",
        "f32[4,1024]",
        "4096",
        "BLOCK=1024",
    )
    assert read_specs(found, [tensor, tensor, tensor, "4096", "<a module>"]) == ()
    assert read_specs(found, [tensor, tensor, tensor, "-inf", "1024"])[3] == "-1e999"
    assert read_specs(found, [["torch.qint8", [4]], tensor, tensor, "4096", "1024"]) == ()


def test_a_question_tells_a_tensor_from_another_value() -> None:
    class Tensor:
        dtype, shape = "torch.float16", (2, 3)

    (found,) = find_calls(["f(t, [1, 2])"], "f")
    space = {"t": Tensor()}
    values = [eval(each, space) for each in list_expressions(found)]
    assert values == [["torch.float16", [2, 3]], "[1, 2]"]
