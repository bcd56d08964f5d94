"""Gluon kernels: compiled from TTGIR down without a GPU, alone and through what launches them."""

from pathlib import Path

import pytest
from running import run

FILE = Path(__file__).with_name("gluon_kernels.py")
VECTOR = "f32[4096]"
BELOW = ["ttgir", "llir", "ptx"]


def test_a_gluon_kernel_begins_with_its_layouts() -> None:
    shown = run(FILE, "double", VECTOR, VECTOR, "4096", "B=512", stage="ptx")
    assert shown.status == 0, shown.failures
    assert [stage.name for stage in shown.stages.values()] == ["triton", *BELOW]
    assert shown.stages["triton:double"].title == "Gluon source"
    text = shown.stages["ttgir:double"].text
    assert "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32]" in text
    ties = {(link.source, link.target) for link in shown.links}
    assert ("triton:double", "ttgir:double") in ties


@pytest.mark.slow
def test_an_autotuner_shows_its_first_configuration() -> None:
    shown = run(FILE, "tuned", VECTOR, VECTOR, "4096", stage="ttgir")
    assert [stage.name for stage in shown.stages.values()] == ["triton", "ttgir"]
    assert "tensor<512x" in shown.stages["ttgir:tuned"].text


@pytest.mark.slow
def test_what_launches_it_shows_its_stages_as_the_kernel_alone() -> None:
    alone = run(FILE, "double", VECTOR, VECTOR, "4096", "B=512", "num_warps=4", stage="ptx").stages
    assert {f"{stage}:double" for stage in ("triton", *BELOW)} == alone.keys()
    for name in ("launch", "launch_and_more"):
        shown = run(FILE, name, VECTOR, stage="ptx")
        assert shown.status == 0, shown.failures
        assert "ttir:double" not in shown.stages
        for key, stage in alone.items():
            assert (key, shown.stages[key].text) == (key, stage.text)


def test_a_stage_that_it_has_not_is_refused() -> None:
    shown = run(FILE, "double", VECTOR, VECTOR, "4096", "B=512", stage="ttir")
    assert shown.status == 3
    assert "has no stage ttir" in shown.failures[0].sentence


def test_a_fault_in_it_is_told_with_its_line() -> None:
    (failure, *_) = run(FILE, "without_layout", VECTOR, "B=512").failures
    line = next(n for n, t in enumerate(FILE.read_text().split("\n"), 1) if "layout=3" in t)
    assert f"line {line}" in failure.sentence
