"""Python code between two graphs that makes tensors on the GPU, which need not be there."""

from pathlib import Path

import pytest
from running import run

from tutor.hardware import presence

pytestmark = [
    pytest.mark.skipif(presence.has_nvidia(), reason="a GPU makes its tensors itself"),
    pytest.mark.slow,
]

TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def fill(x, n, B: tl.constexpr):
    lanes = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + lanes, 1.0, mask=lanes < n)


class Filled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lengths):
        y = torch.zeros((lengths * 2).max(), device=x.device)
        fill[(1,)](y, y.numel(), B=8)
        return y


def sized_by_a_value(x):
    lengths = torch.tensor([1, 2, 4], device=x.device)
    return Filled.apply(x, lengths), x * 2


@torch.compiler.disable
def helper(x):
    y = x.new_zeros(4).to("cuda") + torch.ones(4, device="cuda") + torch.tensor(2.0).cuda()
    return y + torch.nn.Linear(4, 4, device="cuda:0").weight[0]


def calls_helper(x):
    y = (x * 2).cuda()
    return y + helper(x * 3)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "between.py"
    path.write_text(TEXT)
    return path


def test_a_tensor_whose_size_is_a_value(file: Path) -> None:
    shown = run(file, "sized_by_a_value", "f32[64]")
    assert not shown.failures
    assert "sass:fill" in shown.stages


def test_each_way_to_name_the_gpu(file: Path) -> None:
    shown = run(file, "calls_helper", "f32[4]")
    assert not shown.failures
    assert "mul.cuda()" in shown.stages["dynamo"].text, "the graph names the GPU as the code does"
    assert "+" in shown.stages["dynamo:graph2"].text
