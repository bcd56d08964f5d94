"""What an X-ray cannot look into, or is asked for in the wrong place, is told in one sentence."""

from pathlib import Path

import pytest
from running import run

from tutor.base.errors import UsageError

TEXT = """
import abc
import struct

import numpy as np
import torch
import triton
import triton.language as tl

net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU())
traced = torch.jit.trace(net, torch.randn(4, 16))
scripted = torch.jit.script(net)


class Gate(torch.nn.Module, metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def forward(self, x): ...


def marks(x):
    torch._dynamo.mark_dynamic(x, 0)
    return torch.relu(x)


@torch.library.custom_op("strange_subjects::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@triton.jit
def doubled(x, n, **meta):
    tl.store(x + tl.program_id(0), 1.0)


def launches_with_a_name_it_lacks(x):
    doubled[(4,)](x, x.numel(), BLOCK=8)


def packs(x):
    values = x.numpy()
    return struct.pack(f"{len(values)}f", *values)


def makes_a_constant_of_numbers(angle):
    turned = torch.Tensor([[1, 0], [0, np.cos(angle)]])
    return turned @ turned


def makes_a_tensor_of_an_array(x):
    return x + torch.FloatTensor(np.random.normal(0, 1, x.shape))


def makes_a_module(x):
    return torch.nn.Linear(16, 8, device=x.device)(x)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "subjects.py"
    path.write_text(TEXT)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["traced", "scripted"])
def test_a_torchscript_program_is_called_one(file: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"is a TorchScript program.*name the module"):
        run(file, name, "f32[4,16]")


@pytest.mark.slow
def test_an_abstract_class_is_called_one(file: Path) -> None:
    with pytest.raises(UsageError, match="Gate is an abstract class"):
        run(file, "Gate", "f32[8]")


def test_a_module_made_inside_is_called(file: Path) -> None:
    shown = run(file, "makes_a_module", "f32[4,16]")
    assert not shown.failures
    assert "Calls into libraries and ATen: addmm." in shown.notes("wrapper")


@pytest.mark.slow
def test_a_fault_of_dynamo_is_not_told_as_one_of_the_call(file: Path) -> None:
    (failure,) = run(file, "packs", "f32[4096]").failures
    assert failure.stage == "dynamo"
    assert failure.sentence.startswith("torch.compile failed while it traced the call: Recursion")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("makes_a_constant_of_numbers", "30.0", "its data is not allocated yet."),
        ("makes_a_tensor_of_an_array", "f32[8]", "TypeError: expected TensorOptions"),
    ],
)
def test_what_only_tracing_refuses_is_told_so(file: Path, name: str, given: str, says: str) -> None:
    (failure,) = run(file, name, given).failures
    assert failure.stage == "dynamo"
    assert failure.sentence.startswith("torch.compile failed while it traced the call: ")
    assert says in failure.sentence
    assert "custom kernel" not in failure.sentence


@pytest.mark.slow
def test_a_size_marked_inside_is_told_with_the_cure(file: Path) -> None:
    (failure, *_) = run(file, "marks", "f32[8,32]", stage="dynamo").failures
    assert "`mark_dynamic` inside the function" in failure.sentence
    assert "the input `f32[s0,32]`" in failure.sentence
    assert "0x" not in failure.sentence


@pytest.mark.slow
def test_an_operator_of_ones_own_has_the_source_that_was_registered(file: Path) -> None:
    shown = run(file, "twice", "f32[8]", stage="bytecode")
    assert shown.failures == ()
    assert "return x * 2" in shown.stages["source"].text


@pytest.mark.slow
def test_a_launch_with_a_name_that_the_kernel_lacks_is_told_in_our_words(file: Path) -> None:
    (failure, *_) = run(file, "launches_with_a_name_it_lacks", "f32[8]", stage="ttir").failures
    assert "doubled has no parameter BLOCK; it has x, n, meta" in failure.sentence
    assert "UsageError" not in failure.sentence


OPERATORS = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@torch.library.custom_op("elsewhere::plus", mutates_args=())
def plus(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    add_one[(8,)](x, y, x.numel(), 128)
    return y


@plus.register_fake
def _(x):
    return torch.empty_like(x)
"""


@pytest.mark.slow
def test_the_kernel_of_an_imported_operator_is_shown(tmp_path: Path) -> None:
    (tmp_path / "operators_there.py").write_text(OPERATORS)
    path = tmp_path / "here.py"
    path.write_text("from operators_there import plus\n\n\ndef call(x):\n    return plus(x) * 2\n")
    shown = run(path, "call", "f32[1000]", stage="ttir")
    assert shown.failures == ()
    assert any("what elsewhere::plus launches" in note for note in shown.stages["wrapper"].notes)
    assert "tt.store" in shown.stages["ttir:add_one"].text
