"""The file of `--repro` runs without this program."""

import runpy
from pathlib import Path

import pytest
import torch

from tutor.base.errors import CannotHere
from tutor.judge.processes import learner_module
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Request, Stage

KERNELS = Path(__file__).with_name("xray_kernels.py")
ADD = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024", "num_warps=8")
FUNCTIONS = '''
"""Two functions."""
from __future__ import annotations

import torch


def scaled(x, factor, *, bias):
    return (x @ x.mT * factor + bias).relu()


if __name__ == "__main__":
    raise SystemExit("this part is left out")
'''


def reproduction(
    path: Path, name: str, inputs: tuple[str, ...], stage: str, backward: bool = False
) -> Path:
    events: list[Event] = []
    request = Request(str(path), name, parse_inputs(inputs), "sm_90", stage, backward, repro=True)
    engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    (text,) = (each.text for each in events if isinstance(each, Stage) and each.name == "repro")
    made = path.with_name("repro.py")
    made.write_text(text)
    return made


def test_a_kernels_file_compiles_it_for_the_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernels.py"
    path.write_bytes(KERNELS.read_bytes())
    made = reproduction(path, "add", ADD, "triton")
    monkeypatch.setattr("sys.argv", [str(made), "ptx"])
    runpy.run_path(str(made), run_name="__main__")
    ptx = capsys.readouterr().out
    assert ".target sm_90a" in ptx
    assert ".reqntid 256" in ptx, "with the options that were given"


def test_a_functions_file_makes_the_same_inputs_and_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "functions.py"
    path.write_text(FUNCTIONS)
    made = reproduction(path, "scaled", ("f32[8,4][1,8]", "0.5", "bias=f32[8]"), "source", True)
    monkeypatch.setattr(torch._dynamo.config, "disable", True)  # the comparison, not C++
    runpy.run_path(str(made), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "tensor 0: (8, 8) torch.float32, largest difference 0",
        "tensor 1: (8, 4) torch.float32, largest difference 0",
        "tensor 2: (8,) torch.float32, largest difference 0",
    ]


def test_a_constant_without_a_literal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def cast(x, T: tl.constexpr = tl.float16):\n    tl.store(x, tl.load(x).to(T))\n"
    )
    with pytest.raises(CannotHere, match="constant T is fp16"):
        reproduction(path, "cast", ("f32[4]",), "triton")
