"""The lines that give a compiler's stage without tutor are run, and give it."""

import importlib
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from subjects import Emitted, emitted
from torch._inductor.graph import GraphLowering

from tutor.xray.compilers.capture import capture
from tutor.xray.model.by_hand import by_hand
from tutor.xray.model.compiler import COMPILERS, INDUCTOR, INDUCTOR_CPU, RESULT
from tutor.xray.model.stages import Stage

PROGRAM = """\
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def forward(self, x, w, b):
        return F.gelu(x @ w + b)


MODULE = Net()
torch.manual_seed(0)
INPUTS = (torch.randn(64, 128), torch.randn(128, 256), torch.randn(256))
if __name__ == "__main__":
    torch.compile(MODULE)(*INPUTS)
"""
# Stages that no lines give: of XLA's passes the ladder shows what each changed, by hand there are texts.
OTHERWISE = {("xla", "passes")}
# Where the words are the same one by one; not so: addresses, a unit of several, places in a file.
EXACT = ("tvm", "mlir", "onnx")
ROUGHLY = ("loops", "llvm", "asm")
# What a location, a pointer and the number in a name say is not compared.
NOISE = re.compile(r"loc\(.*?\)+|metadata=\{.*?\}|0x[0-9a-f]+|(?<=[%#@])[\w.]+")
WORD = re.compile(r"[A-Za-z_][\w.-]+")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]\d+)?")


def words_of(text: str) -> Counter[str]:
    return Counter(word.rstrip("0123456789.") for word in WORD.findall(NOISE.sub(" ", text)))


def share_of(stage: str, made: str) -> float:
    """How many of the stage's words the text has, of 1."""
    wanted, got = words_of(stage), words_of(made)
    return sum((wanted & got).values()) / max(1, sum(wanted.values()))


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the program `learner`, in which the lines run."""
    (tmp_path / "learner.py").write_text(PROGRAM, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "learner", raising=False)
    return tmp_path


def lower(name: str, target: str) -> Emitted:
    learner = importlib.import_module("learner")
    module = importlib.import_module(COMPILERS[name].module)
    return emitted(module.lower, capture(learner.MODULE, learner.INPUTS), target)


def run_by_hand(
    stage: Stage, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> str:
    """Run what is shown for a stage, in a folder of its own; return what it prints."""
    place = folder / stage.name
    place.mkdir()
    monkeypatch.chdir(place)
    text = by_hand(stage)
    assert max(map(len, text.split("\n"))) <= 82, "one pass of MLIR has a name of 76"
    text = text.replace('"PROGRAM"', repr(str(folder / "learner.py"))).replace("PROGRAM", "learner")
    capfd.readouterr()
    with (
        monkeypatch.context() as patch
    ):  # what the lines for Inductor leave behind in their process
        for owner, name in (
            (GraphLowering, "compile_to_module"),
            (torch.compiler.config, "force_disable_caches"),
        ):
            patch.setattr(owner, name, getattr(owner, name))
        exec(compile(text, f"{stage.name}.py", "exec"), {"__name__": "by_hand"})
    return capfd.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target"),
    [
        *(("tvm", target) for target in ("cpu", "sm_80")),
        ("mlir", "cpu"),
        ("xla", "cpu"),
        *(("iree", target) for target in ("cpu", "sm_80")),
        ("onnx", "cpu"),
        ("inductor-cpu", "cpu"),
    ],
)
def test_the_lines_of_a_stage_give_it(
    name: str,
    target: str,
    learner: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if not COMPILERS[name].is_here():
        pytest.skip(f"{name} is not installed")
    seen = lower(name, target)
    assert not seen.failures
    shown = {stage.name: stage for stage in seen.stages}  # of units the last one
    if target != "cpu":
        shown = {stage: shown[stage] for stage in ("cuda", "ptx") if stage in shown}
    if name == INDUCTOR_CPU.name:  # the others are channels of TORCH_LOGS
        shown = {stage: shown[stage] for stage in ("lowered", RESULT.name)}
    for stage in shown.values():
        if (name, stage.name) in OTHERWISE:
            continue
        monkeypatch.setenv("TVM_COMPILE_FORCE_FALLBACK", "0")
        made = run_by_hand(stage, learner, monkeypatch, capfd)
        if stage.name == RESULT.name:
            wanted = importlib.import_module("learner")
            last = wanted.MODULE(*wanted.INPUTS).flatten()[-1].item()
            assert abs(float(NUMBER.findall(made)[-1]) - last) < 1e-3, stage.key
        elif (name, stage.name) == ("onnx", "kernels"):
            words = [line.split()[0] for line in stage.text.splitlines()]
            assert [line.split()[0] for line in made.splitlines()] == words
        elif name in EXACT and stage.name not in ROUGHLY:
            assert made.split() == stage.text.split(), stage.key
        else:
            assert share_of(stage.text, made) > 0.9, stage.key


def test_every_stage_says_how_but_those_that_need_no_saying() -> None:
    for compiler in COMPILERS.values():
        for kind in compiler.stages:
            stage = compiler.make_stage(kind.name, "", unit="Inductor")
            silent = compiler is INDUCTOR and kind.name in ("source", "triton")
            assert bool(by_hand(stage)) != silent, stage.key
    exported = Stage("exported", "", "fx", "")
    assert "torch.export.export" in by_hand(exported)
