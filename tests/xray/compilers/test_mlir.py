"""torch-mlir's ladder: counts, what was fused, results, lines, and what it cannot take.

The counts of linalg's operations are those of the first try of this pipeline; there the compiled
function returned its results, here it writes into the caller's buffers, so that each function asks for
one buffer less. A copy of a buffer is a loop nest here, and is fused, too: layer_norm has one nest.
"""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from subjects import SUBJECTS, Emitted, captured, emitted, source_line

from tutor.xray.compilers.capture import capture
from tutor.xray.model.compiler import MLIR

pytest.importorskip("torch_mlir")

from tutor.xray.compilers.mlir import lower

# Operations of linalg before fusion and after that of elementwise ones; loops before and after fusion;
# buffers.
COUNTS = {
    "linear_gelu": (4, 3, 7, 3, 0),
    "softmax": (8, 6, 13, 5, 1),
    "layer_norm": (18, 7, 16, 6, 4),
    "attention": (14, 10, 43, 12, 2),
}
FUSED = {
    "linear_gelu": "mm, add, gelu",
    "softmax": "max, sub, exp, sum, div",
    "layer_norm": "to, sum, div, sub, mul, sum, div, to, sum, div, add, rsqrt, sub, mul, mul, add",
    "attention": "bmm, div, max, sub, exp, sum, div, bmm",
}


@cache
def lowered_once(name: str) -> Emitted:
    return emitted(lower, captured(name))


@pytest.mark.parametrize("name", SUBJECTS)
def test_each_function_becomes_one_nest_that_computes_what_pytorch_computes(name: str) -> None:
    seen = lowered_once(name)
    made = {failure.stage for failure in seen.failures} | {stage.key for stage in seen.stages}
    assert made == {f"mlir/{kind.name}" for kind in MLIR.stages}
    assert not seen.failures or seen.failures[0].sentence.startswith("objdump")
    before, fused, loops, after = (
        seen.counts(stage) for stage in ("linalg", "linalg_fused", "affine", "affine_fused")
    )
    found = (before["units"], fused["units"], loops["loops"], after["loops"], after["buffers"])
    assert found == COUNTS[name]
    assert after["units"] == 1
    assert seen.stage(MLIR.after).notes[0] == f"nest_1: {FUSED[name]}"
    assert seen.counts("result")["difference"] < 2e-5


# A line of the source, a stage, what its lines there hold, and what they do not.
TIED = [
    ("linear_gelu", "x @ w", "torch", "torch.aten.mm", "torch.aten.add"),
    ("linear_gelu", "h + b", "torch", "torch.aten.add.Tensor", "torch.aten.gelu"),
    ("linear_gelu", "x @ w", "linalg", "linalg.matmul", "arith.addf"),
    ("linear_gelu", "F.gelu", "linalg", "math.erf", "linalg.matmul"),
    ("linear_gelu", "x @ w", "affine_fused", "affine.load %arg1", "affine.load %arg2"),
    ("linear_gelu", "F.gelu", "affine_fused", "math.erf", "affine.load %arg1"),
    ("linear_gelu", "x @ w", "llvm", "llvm.fadd", "llvm.fdiv"),
    ("attention", "p @ v", "linalg", "linalg.batch_matmul", "math.exp"),
    ("attention", "p = torch.softmax", "affine_fused", "math.exp", "affine.load %arg0"),
    ("attention", "math.sqrt", "scf", "memref.load %arg1", "math.exp"),
    ("attention", "p = torch.softmax", "llvm", "llvm.intr.exp", "llvm.return"),
]


@pytest.mark.parametrize(("name", "code", "stage", "held", "absent"), TIED)
def test_lines_come_from_the_line_that_names_their_operation(
    name: str, code: str, stage: str, held: str, absent: str
) -> None:
    subject = captured(name)
    seen = lowered_once(name)
    lines = seen.stage(stage).text.split("\n")
    line = source_line(subject, code)
    linked = [
        lines[link.target_line - 1]
        for link in seen.links
        if (link.source, link.source_line, link.target) == ("source", line, f"mlir/{stage}")
    ]
    assert any(held in text for text in linked)
    assert not any(absent in text for text in linked)
    assert any(absent in text for text in lines)


def test_an_operation_is_followed_from_stage_to_stage() -> None:
    seen = lowered_once("linear_gelu")
    upper, lower_ = (seen.stage(name).text.split("\n") for name in ("bufferized", "affine"))
    pairs = {
        (upper[link.source_line - 1].strip(), lower_[link.target_line - 1].strip())
        for link in seen.links
        if link.source == "mlir/bufferized"
    }
    (erf,) = [above for above, below in pairs if "math.erf" in below]
    assert "math.erf" in erf
    products = [above for above, below in pairs if "arith.mulf %0, %1" in below]
    assert len(products) == 1
    assert "arith.mulf" in products[0]


def test_what_the_passes_cannot_lower_is_a_sentence_with_its_line() -> None:
    def transform(x):
        y = x + 1
        return torch.fft.fft(y).real

    seen = emitted(lower, capture(transform, (torch.ones(2, 8),)))
    assert [stage.name for stage in seen.stages] == ["torch"]
    (failure,) = seen.failures
    assert failure.stage == "mlir/linalg"
    assert failure.sentence.startswith("MLIR's passes stopped: failed to legalize operation")
    line = transform.__code__.co_firstlineno + 2
    assert failure.sentence.endswith(f"(from line {line} of the file)")


def pad_and_scan(x, i, w):
    x.add_(1.0)
    joined = torch.cat([x[:, ::2], F.pad(x, (1, 1))], dim=1)
    return joined.cumsum(1), F.embedding(i, w), joined > 0


def test_results_of_other_kinds() -> None:
    """An input that is changed, copies with strides, a scan, checks of indices, several results."""
    inputs = (torch.rand(3, 8), torch.tensor([2, 0]), torch.rand(4, 5))
    seen = emitted(lower, capture(pad_and_scan, inputs))
    assert not seen.failures
    assert "result 2: bool[3, 14]" in seen.stage("result").text
    assert seen.counts("result")["difference"] < 2e-5
    assert any("cf.assert" in note for note in seen.stage("linalg_fused").notes)
    assert "cf.assert" in seen.stage("linalg").text


def test_an_input_that_is_changed_and_returned_is_two_results() -> None:
    seen = emitted(lower, capture(lambda x: [x.add_(1.0), {"twice": x * 2}], (torch.ones(4),)))
    assert not seen.failures
    assert seen.counts("result")["difference"] == 0


def test_loops_that_the_pass_fuses_wrongly_are_left_as_they_are() -> None:
    """In a GRU it would add the bias again for each slice of a buffer."""
    seen = emitted(lower, capture(torch.nn.GRU(4, 4), (torch.rand(3, 2, 4),)))
    assert not seen.failures
    assert any("not fused" in note for note in seen.stage("affine_fused").notes)
    assert seen.counts("result")["difference"] < 2e-5


def test_values_of_parameters_are_not_printed() -> None:
    seen = emitted(lower, capture(torch.nn.Linear(64, 64), (torch.ones(2, 64),)), last="affine")
    assert not seen.failures
    assert max(len(stage.text) for stage in seen.stages) < 6_000
    assert all("dialect_resources" not in stage.text for stage in seen.stages)
