"""Tuples of pointers, descriptors and lists of tensors as arguments, and the names of symbols."""

from pathlib import Path

import pytest
from running import run

from tutor.base.errors import UsageError

FILE = Path(__file__).with_name("tuples.py")
VECTOR = "f32[1024]"


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_a_launcher_passes_a_tuple(target: str) -> None:
    shown = run(FILE, "launch", VECTOR, VECTOR, target=target)
    assert (shown.status, shown.failures) == (0, ())
    known = "Known to be multiples of 16: vectors[0], vectors[1], vectors[2], sizes[0]."
    assert known in shown.notes("triton:added")
    assert shown.stages["ttir:added"].text.count("tt.load") == 2
    assert "mulf" not in shown.stages["ttir:added"].text, "a 1 is a constant, in a tuple too"


def test_a_named_tuple_keeps_its_names() -> None:
    assert run(FILE, "launch_named", "f32[64]", "f32[64]").status == 0


def test_a_kernel_alone_is_given_a_tuple() -> None:
    inputs = (f"({VECTOR}, {VECTOR}, {VECTOR})", "(1024, 2)", "B=256")
    shown = run(FILE, "added", *inputs)
    assert (shown.status, shown.failures) == (0, ())
    assert "mulf" in shown.stages["ttir:added"].text


@pytest.mark.slow
def test_a_kernel_alone_is_given_descriptors() -> None:
    shown = run(FILE, "doubled_blocks", "f32[64,64]@[32,64]", "f32[64,64]@[32,64]")
    assert (shown.status, shown.failures) == (0, ())
    assert "tensor<32x64xf32>" in shown.stages["ttir:doubled_blocks"].text
    assert "cp.async.bulk.tensor.2d" in shown.stages["ptx:doubled_blocks"].text
    pointers = run(FILE, "doubled_blocks", "f32[64,64]", "f32[64,64]")
    assert "the input `f16[64,128]@[32,64]` gives one" in pointers.failures[0].sentence
    with pytest.raises(UsageError, match="without the @ and the block"):
        run(FILE, "launch", "f32[64,64]@[32,64]", VECTOR)


def test_a_function_is_given_a_list_of_tensors() -> None:
    shown = run(FILE, "joined", "[f32[8,4], f32[2,4]]", backward=True, stage="wrapper")
    assert (shown.status, shown.failures) == (0, ())
    assert "backward" in shown.stages
