"""What a verdict on a compiled function rests on: graphs, breaks, compilations and failed guards."""

import runpy

import pytest
import torch
from judging import first_code, judged

from tutor.base import paths
from tutor.judge.worker import graph_capture

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def limit_as_shipped():
    """A capture raises the limit of compilations for its whole process."""
    with torch._dynamo.config.patch(recompile_limit=torch._dynamo.config.recompile_limit):
        yield


HEAD = "import torch\nimport torch.nn.functional as F\n"
NORM = "F.layer_norm(x, x.shape[-1:])"


def rows(*counts):
    return [torch.ones(count, 4) for count in counts]


def captured(function, inputs, dynamic=None):
    capture = graph_capture.Capture(function, dynamic)
    for x in inputs:
        capture.call(x)
    return capture


def test_a_compilation_names_the_guard_that_failed():
    capture = captured(lambda x: x * 2, rows(8, 8, 16, 24))
    assert capture.compilations == 2
    assert capture.guards == ["tensor 'x' size mismatch at index 0. expected 8, actual 16"]


def test_more_compilations_than_torchs_limit_are_counted_not_hidden():
    assert captured(lambda x: x * 2, rows(*range(2, 12)), dynamic=False).compilations == 10


def test_a_guard_on_a_value_is_told_without_its_comment():
    capture = graph_capture.Capture(lambda x, flag: x * 2 if flag else x * 3)
    capture.call(torch.ones(2), True)
    capture.call(torch.ones(2), False)
    assert capture.guards == ["flag == True"]


@pytest.mark.parametrize("setting", [None, True, False])
def test_the_learners_own_setting_is_found_again(setting):
    function = torch.compile(lambda x: x, dynamic=setting)
    assert graph_capture.dynamic_setting(function) is setting
    assert graph_capture.dynamic_setting(graph_capture.inner(function)) is None


def test_a_break_before_any_operation_is_one():
    """`explain` alone reports none: there is no graph before it."""

    def greets(x):
        print("hello")
        return x.sin()

    found = graph_capture.explain_graphs(greets, (torch.ones(2),), __file__)
    assert found.graphs == 1
    assert len(found.breaks) == 1
    assert found.breaks[0].line == greets.__code__.co_firstlineno + 1


def test_operations_inside_a_branch_of_the_graph_are_listed():
    def chooses(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    assert {"sin", "cos", "cond"} <= set(
        graph_capture.explain_graphs(chooses, (torch.ones(2),), "").ops
    )


# --- whole verdicts -----------------------------------------------------------------------------------


def test_over_budget_names_the_guard_and_torchs_own_limit(judge):
    source = f"{HEAD}@torch.compile(dynamic=False)\ndef fn(x):\n    return {NORM}\n"
    found = judged(judge, source, "dynamic_shapes")
    assert first_code(found) == "recompiles"
    assert "size mismatch at index 0. expected 8, actual 16" in found.diagnosis[0].message
    assert "here 2 inputs, in eager mode" in found.diagnosis[0].message
    assert found.graph is not None
    assert found.graph.compilations > 10
    assert len(found.graph.guards) == found.graph.compilations - 1


def test_within_budget_the_guards_are_told_all_the_same(judge):
    source = f"{HEAD}@torch.compile(dynamic=True)\ndef fn(x):\n    return {NORM}\n"
    found = judged(judge, source, "dynamic_shapes")
    assert found.passed, found.diagnosis
    assert found.graph is not None
    assert "2 <= x.size()[0]" in found.graph.guards


def test_a_break_on_a_path_that_the_first_case_does_not_take(judge):
    path = paths.course_root() / "kernels" / "fix_graph_breaks" / "solution.py"
    source = path.read_text("utf-8").replace(
        "    y = x.sin()", "    if not training:\n        print(1)\n    y = x.sin()"
    )
    found = judged(judge, source, "fix_graph_breaks")
    assert first_code(found) == "graph-break"
    line = found.diagnosis[0].line
    assert line is not None
    assert source.splitlines()[line - 1].strip() == "print(1)"
    counted, _, reason = found.diagnosis[0].message.partition(". The first: ")
    assert counted == "1 break, 1 graph"  # below the headline "The graph breaks"
    assert "print" in reason


def test_what_a_probe_stumbles_over_is_the_learners_error(judge):
    path = paths.course_root() / "kernels" / "pipeline_walk" / "solution.py"
    source = path.read_text("utf-8").replace("captured = []", "captured = ()")
    source = source.replace("captured.append(graph)", "globals().update(captured=(graph,))")
    found = judged(judge, source, "pipeline_walk")
    assert all(case.passed for case in found.cases)
    assert first_code(found) == "crash"
    assert "clear" in found.diagnosis[0].message


def test_a_list_that_holds_the_wrong_graph_is_not_called_empty():
    """Dynamo's graph in `lowered` calls no ATen operator, and the list is not empty."""
    path = paths.course_root() / "kernels" / "pipeline_walk" / "reference.py"
    check = runpy.run_path(str(path))["check_found"]
    names = ["linear", "relu", "mul"]
    found = {"graphs": 1, "kind": "GraphModule", "torch_ops": names, "aten": [], "foreign": names}
    assert "calls linear, which is no ATen operator" in check(found)[1]
