"""Kernels of the learner's own in a backward pass, and in a module that the file imports."""

from pathlib import Path

import pytest
from running import run

HERE = Path(__file__).parent
FILE = HERE / "own_backward.py"
BOTH = {"ttir:cubed", "ttir:slope"}


def test_the_kernel_of_a_backward_pass_has_its_stages() -> None:
    shown = run(FILE, "alone", "f32[1000]", backward=True, stage="ttir")
    assert (shown.status, shown.failures) == (0, ())
    assert set(shown.stages) > BOTH
    assert "Launched by the backward pass." in shown.notes("triton:slope")
    assert "backward" not in shown.notes("triton:cubed")
    assert "PyTorch also runs" not in shown.notes("source"), "no gradient is copied"
    forward = run(FILE, "alone", "f32[1000]", stage="ttir")
    assert BOTH & set(forward.stages) == {"ttir:cubed"}


@pytest.mark.slow
def test_so_it_has_where_torch_compile_writes_the_rest() -> None:
    shown = run(FILE, "among_operations", "f32[1000]", backward=True, stage="ttir")
    assert (shown.status, shown.failures) == (0, ())
    assert set(shown.stages) > BOTH
    assert any("relu" in key for key in shown.stages)
    assert "a launch that Dynamo does not take over: It knows" in shown.notes("dynamo")
    assert "_getframe" not in shown.notes("dynamo")


def test_heuristics_of_a_kernel_ask_for_the_target() -> None:
    shown = run(FILE, "cubed", "f32[64]", "f32[64]", "64", "B=64", target="sm_80", stage="ttir")
    assert (shown.status, shown.failures) == (0, ())


def test_a_function_without_a_backward_pass_says_so() -> None:
    shown = run(FILE, "without_backward", "f32[1000]", backward=True, stage="ttir")
    assert shown.status == 0
    assert "No result has a backward pass" in shown.notes("source")
    shown = run(FILE, "without_backward", "f32[1000]", stage="ttir")
    assert "backward pass" not in shown.notes("source")


@pytest.mark.slow
def test_kernels_of_an_imported_module_have_their_stages() -> None:
    shown = run(HERE / "imports_kernels.py", "shifted", "f32[1000]", backward=True, stage="ttir")
    assert (shown.status, shown.failures) == (0, ())
    assert set(shown.stages) > BOTH
