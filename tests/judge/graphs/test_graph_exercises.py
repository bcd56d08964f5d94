"""Exercises of kind "graph": a course of a test's own, judged by the real judge."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import judged

from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import open_course
from tutor.course.reading.exercise import read_exercise
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.client import Judge
from tutor.xray.model.compiler import ONNX

COURSE = Path(__file__).with_name("course")
SLUGS = ("fuse_gelu", "fold_batch_norm")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("graphs") / "course"
    shutil.copytree(COURSE, root)
    for folder in ("lessons", "quizzes"):
        (root / folder).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    for slug in SLUGS:
        with (root / "kernels" / slug / "reference.py").open("a") as file:
            file.write("\nCASES = CASES[:3]\n")
    with (root / "kernels" / "fuse_gelu" / "exercise.toml").open("a") as file:
        file.write("\n[limits]\nseconds = 2\n")
    return root


@pytest.fixture(scope="module")
def graphs(home: Path, course: Path) -> Iterator[Judge]:
    with Judge(course) as judge:
        yield judge


# What each wrong answer is told, and the text of the line that is named.
WRONG = {
    "approximate": (
        "`gelu` is the first value that is not the given model's: a node Gelu makes it",
        'gelu = helper.make_node("Gelu", [div.input[0]], [last.output[0]], approximate="tanh")',
    ),
    "constants_left": ("No node reads the initializer `root` (float32[])", ""),
    "dangling": ("In the given model a node Mul made it", "graph.node.remove(node)"),
    "makes_it_at_the_end": ("stands before the Gelu that makes it", "graph.node.append(gelu)"),
    "nodes_left": ("The model has 1 `Erf`. Asked for: none", ""),
    "opset_21": ("imports opset 21. Asked for: 20", ""),
    "opset_stays": (
        "`Gelu` from opset 20 on, and the model imports opset 17",
        'gelu = helper.make_node("Gelu", [div.input[0]], [last.output[0]])',
    ),
    "renames_the_output": ("outputs are `result`. Asked for: `y`", ""),
    "returns_nothing": ("It is to return the model", ""),
    "adds_an_input": ("inputs are `x`, `w`. Asked for: `x`", ""),
    "leaky": ("(level extended) has no `com.microsoft.FusedConv`. Asked for: 1.", ""),
    "lists_a_constant_as_input": ("`b` is an initializer and an input of the graph", ""),
    "constants_left_2": ("The model has 6 initializers", ""),
    "name_used_twice": (
        "two initializers with the name `w`",
        "graph.initializer.append(numpy_helper.from_array(value, name))",
    ),
    "no_epsilon": ("is wrong", ""),
    "stays": ("The model has 1 `BatchNormalization`. Asked for: none", ""),
    "wrong_axis": ("", "folded = (w * factor[None, :, None, None], (b - mean) * factor + shift)"),
}
needs_onnx = pytest.mark.skipif(not ONNX.is_here(), reason="ONNX is an extra")


@needs_onnx
@pytest.mark.slow
def test_a_model_is_judged_by_its_nodes_and_by_what_it_computes(
    graphs: Judge, course: Path
) -> None:
    left = dict(WRONG)
    for slug in SLUGS:
        exercise = open_course(course).exercise(slug)
        assert judged(graphs, exercise.solution.read_text("utf-8"), slug).passed
        for answer in read_wrong_answers(exercise.folder):
            words, code = left.pop(answer.name, None) or left.pop(f"{answer.name}_2")
            found = judged(graphs, answer.code, slug).diagnosis[0]
            line = answer.code.splitlines()[found.line - 1].strip() if found.line else ""
            assert (answer.name, found.code, line) == (answer.name, answer.expect, code)
            assert words in found.message
    assert not left


ENDLESS = """
from onnx import TensorProto, helper

def fuse(model):
    places = {
        name: helper.make_tensor_value_info(name, kind, [])
        for name, kind in (("turn", TensorProto.INT64), ("go", TensorProto.BOOL),
                           ("on", TensorProto.BOOL), ("n", TensorProto.INT64),
                           ("more", TensorProto.INT64))
    }
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["n", "n"], ["more"])],
        "body", [places[name] for name in ("turn", "go", "n")], [places["on"], places["more"]])
    for name, kind, value in (("turns", TensorProto.INT64, 2**60), ("start", TensorProto.BOOL, True),
                              ("zero", TensorProto.INT64, 0)):
        model.graph.initializer.append(helper.make_tensor(name, kind, [], [value]))
    node = helper.make_node("Loop", ["turns", "start", "zero"], ["sum"], body=body)
    model.graph.node.append(node)
    return model
"""
ENORMOUS = """
from onnx import TensorProto, helper

def fuse(model):
    model.graph.initializer.append(helper.make_tensor("size", TensorProto.INT64, [1], [2**40]))
    model.graph.node.append(helper.make_node("ConstantOfShape", ["size"], ["much"]))
    return model
"""


@needs_onnx
@pytest.mark.slow
def test_a_model_that_never_ends_or_asks_for_too_much_is_stopped(graphs: Judge) -> None:
    (found, *_) = judged(graphs, ENDLESS, "fuse_gelu").diagnosis
    assert found.code == "timeout"
    (found, *_) = judged(graphs, ENORMOUS, "fuse_gelu").diagnosis
    assert (found.code, found.line) == ("refused-model", 6)
    assert "ONNX Runtime stopped at the ConstantOfShape that makes `much`" in found.message


@pytest.mark.skipif(ONNX.is_here(), reason="ONNX is here")
def test_without_onnx_an_exercise_is_read_and_not_judged(graphs: Judge, course: Path) -> None:
    solution = open_course(course).exercise("fuse_gelu").solution.read_text("utf-8")
    with pytest.raises(CannotHere, match=r"but not judged.*pip install"):
        judged(graphs, solution, "fuse_gelu")


def test_a_graph_says_that_it_needs_onnx(course: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fuse_gelu"
    shutil.copytree(course / "kernels" / "fuse_gelu", folder)
    text = (folder / "exercise.toml").read_text("utf-8")
    (folder / "exercise.toml").write_text(text.replace('needs = ["onnx"]', "needs = []"))
    with pytest.raises(CourseFault, match="onnx"):
        read_exercise(folder)
