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


@triton.jit
def fill_all(x, n, B: tl.constexpr = 64):
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
    y = y.type(torch.cuda.FloatTensor)
    return y + torch.nn.Linear(4, 4, device="cuda:0").weight[0]


def calls_helper(x):
    y = (x * 2).cuda().type(x.type())
    return y + helper(x * 3)


def scale_of(x):
    return torch.tensor(x.abs().max().item() / 8 + 0.5, device=x.device)


def scales_two(x, y):
    return x / scale_of(x) + y / scale_of(y + 9)


def ignores(x, label):
    ignored = (label.cpu() == 7).nonzero()
    return x[ignored[:, 0]] * 2


def prints(x):
    y = x * 2
    print(y)
    return y + 1


def only_prints(x):
    print(x)
    return x


def launches_with_a_default_block(x):
    fill_all[lambda meta: (triton.cdiv(x.numel(), meta["B"]),)](x, x.numel())
    return x.sum()
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
    assert "type('torch.cuda.FloatTensor')" in shown.stages["dynamo"].text
    assert "+" in shown.stages["dynamo:graph2"].text


def test_a_number_that_cannot_stay_an_input_is_traced_again_as_a_constant(file: Path) -> None:
    shown = run(file, "scales_two", "f32[8]", "f32[8]")
    assert not shown.failures
    assert "def forward(self):" in shown.stages["dynamo:graph4"].text, "the second scale is in it"


def test_what_the_function_copies_to_the_cpu_is_told(file: Path) -> None:
    shown = run(file, "ignores", "f32[8, 4]", "i64[8]", stage="guards")
    notes = shown.notes("dynamo")
    assert "Copied to the CPU by the function itself: cpu." in notes
    assert "Made on the CPU" not in notes, "no factory is called"
    assert "An input of this graph has no elements." in shown.notes("dynamo:graph2")


def test_what_notes_a_launch_is_not_traced(file: Path) -> None:
    shown = run(file, "launches_with_a_default_block", "f32[256]")
    assert "sass:fill_all" in shown.stages
    assert not [stage.title for stage in shown.stages.values() if "record" in stage.title]
    (failure,) = shown.failures  # Triton itself gives the grid `B`
    assert "an exception that nothing catches, KeyError('B')" in failure.sentence
    assert "does not give it the defaults of the kernel's parameters" in failure.sentence


def test_what_prints_a_tensor_is_not_traced(file: Path) -> None:
    shown = run(file, "prints", "f32[8]")
    assert not shown.failures
    titles = [stage.title for stage in shown.stages.values() if "rewrote" in stage.title]
    assert titles
    assert all(title.startswith("prints") for title in titles)


def test_a_function_of_which_no_graph_comes_has_none(file: Path) -> None:
    shown = run(file, "only_prints", "f32[8]")
    rewritten = [stage for stage in shown.stages.values() if "rewrote" in stage.title]
    assert all("No graph came of it" in " ".join(stage.notes) for stage in rewritten)
