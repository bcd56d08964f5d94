"""What an X-ray cannot look into, or is asked for in the wrong place, is told in one sentence."""

from pathlib import Path

import pytest
from running import run

from tutor.base.errors import UsageError

TEXT = """
import torch

net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU())
traced = torch.jit.trace(net, torch.randn(4, 16))
scripted = torch.jit.script(net)


def marks(x):
    torch._dynamo.mark_dynamic(x, 0)
    return torch.relu(x)


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
def test_a_module_made_inside_is_told_with_the_cure(file: Path) -> None:
    (failure, *_) = run(file, "makes_a_module", "f32[4,16]", stage="dynamo").failures
    assert "there is none here that this PyTorch can use" in failure.sentence
    assert "aten::" not in failure.sentence


@pytest.mark.slow
def test_a_size_marked_inside_is_told_with_the_cure(file: Path) -> None:
    (failure, *_) = run(file, "marks", "f32[8,32]", stage="dynamo").failures
    assert "`mark_dynamic` inside the function" in failure.sentence
    assert "--input f32[s0,32]" in failure.sentence
    assert "0x" not in failure.sentence
