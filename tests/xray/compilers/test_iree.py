"""IREE's ladder: counts, results, lines, what it cannot take, and PTX without a GPU."""

import functools
import re

import pytest
import torch
from subjects import SUBJECTS, Emitted, captured, emitted, source_line

from tutor.xray.compilers.capture import capture
from tutor.xray.model.compiler import IREE

pytest.importorskip("iree.compiler")
pytest.importorskip("iree.runtime")

from tutor.xray.compilers.iree import lower

HOST = ["input", "dispatch-creation", "flow", "stream", "executable-targets", "hal", "vm"]
# Operations of linalg in the phase "input", dispatches, and bytes between inputs and results.
UNITS = {
    "linear_gelu": (4, 1, 0),
    "softmax": (8, 1, 0),
    "layer_norm": (14, 2, 64 * 256 * 4),
    "attention": (14, 4, 2 * 4 * (16 * 32 + 2 * 32 * 32) * 4),
}


@functools.cache
def on_cpu(name: str) -> Emitted:
    return emitted(lower, captured(name))


@pytest.mark.parametrize("name", SUBJECTS)
def test_units_buffers_and_results(name: str) -> None:
    seen = on_cpu(name)
    before, after, size = UNITS[name]
    assert not seen.failures
    assert list(dict.fromkeys(stage.name for stage in seen.stages)) == [*HOST, "asm", "result"]
    assert seen.counts(IREE.before)["units"] == before
    assert seen.counts(IREE.after)["units"] == after
    assert seen.counts("stream")["units"] == after  # none is called twice
    assert seen.counts("stream")["bytes"] == size
    assert seen.counts("result")["difference"] < 2e-5
    units = [note.partition(": ")[0] for note in seen.stage(IREE.after).notes]
    for stage in ("executable-targets", "asm"):
        assert [one.kernel for one in seen.stages if one.name == stage] == units


@pytest.mark.parametrize(
    ("name", "line", "stage", "operation"),
    [
        ("linear_gelu", "h = x @ w", "input", r"linalg\.matmul"),
        ("linear_gelu", "h = h + b", "input", r"arith\.addf"),
        ("linear_gelu", "F.gelu", "input", r"math\.erf"),
        ("linear_gelu", "F.gelu", "flow", r"math\.erf"),
        ("linear_gelu", "h = x @ w", "vm", r"hal\.command_buffer\.dispatch"),
        ("linear_gelu", "h = x @ w", "asm", r"vfmadd231ps|vmulps|mulps|fmla|fmul"),
        ("attention", "s = q @ k", "dispatch-creation", r"linalg\.batch_matmul"),
        ("attention", "s = q @ k", "flow", r"arith\.divf"),
        ("attention", "p = torch.softmax", "stream", r"stream\.cmd\.dispatch .*softmax"),
        ("attention", "return p @ v", "executable-targets", r"llvm\.load"),
    ],
)
def test_a_line_of_the_source_leads_to_its_operation(
    name: str, line: str, stage: str, operation: str
) -> None:
    seen = on_cpu(name)
    wanted = source_line(captured(name), line)
    texts = {one.key: one.text.split("\n") for one in seen.stages if one.name == stage}
    led_to = [
        texts[link.target][link.target_line - 1]
        for link in seen.links
        if link.source_line == wanted and link.target in texts
    ]
    assert any(re.search(operation, text) for text in led_to)


def test_what_was_fused_and_no_stage_after_the_last() -> None:
    seen = emitted(lower, captured("linear_gelu"), last="flow")
    (note,) = seen.stage("flow").notes
    assert note.endswith("matmul_64x256x128_f32: matmul, add, gelu")
    assert [stage.name for stage in seen.stages] == HOST[:3]


@pytest.mark.parametrize("gpu", ["sm_80", "sm_120"])
def test_ptx_for_a_gpu_that_is_not_here(gpu: str) -> None:
    seen = emitted(lower, captured("attention"), gpu)
    assert not seen.failures
    assert [stage.name for stage in seen.stages][-4:] == ["ptx"] * 4
    for stage in seen.stages[-4:]:
        assert f".target {gpu}" in stage.text
        assert stage.text.count(".entry") == 1
        assert stage.kernel in stage.text


def test_a_gpu_that_it_does_not_know() -> None:
    (failure,) = emitted(lower, captured("softmax"), "sm_90").failures
    assert "sm_90" in failure.sentence
    assert "sm_89" in failure.sentence


def test_an_operation_that_it_does_not_know() -> None:
    def values(x):
        return torch.linalg.svd(x)[1]

    seen = emitted(lower, capture(values, (torch.ones(4, 4),)))
    (failure,) = seen.failures
    assert not seen.stages
    assert failure.stage == "iree/input"
    assert "aten.linalg_svd" in failure.sentence
    assert "test_iree.py" in failure.sentence


def test_a_module_with_weights_that_counts_its_calls() -> None:
    class Counting(torch.nn.Module):
        counts = True

        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(64, 32)
            self.norm = torch.nn.BatchNorm1d(32)
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            if self.counts:
                self.calls.add_(1)
            return self.norm(torch.relu(self.linear(x))), x > 0

    module = Counting().eval()
    seen = emitted(lower, capture(module, (torch.randn(8, 64),)))
    assert not seen.failures
    # One that writes nothing is imported as it is: the importer takes its weights out of the graph.
    module.counts = False
    without = emitted(lower, capture(module, (torch.randn(8, 64),)))
    assert not without.failures
    assert without.counts("result")["difference"] < 2e-5
    assert seen.counts("result")["difference"] < 2e-5
    assert max(len(stage.text) for stage in seen.stages) < 200_000  # no weights are printed
