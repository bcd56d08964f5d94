"""Generators of a GPU that is not there: made, seeded, drawn from, and what only a GPU knows."""

from pathlib import Path

import pytest
from running import run

from tutor.base.errors import CannotHere
from tutor.hardware import presence

pytestmark = [
    pytest.mark.skipif(presence.has_nvidia(), reason="a GPU has generators of its own"),
    pytest.mark.slow,
]

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def keep(x, r, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.where(tl.load(r + i) > 0.5, tl.load(x + i), 0.0))


seeded = torch.Generator(device="cuda").manual_seed(5)


def launch(x):
    g = torch.Generator(device="cuda")
    g.manual_seed(3)
    assert isinstance(g, torch.Generator) and not isinstance(3, torch.Generator)
    assert g.initial_seed() == 3 and g.device == x.device and seeded.initial_seed() == 5
    r = torch.rand(x.shape, generator=g, device="cuda")
    g.set_state(g.clone_state().get_state())
    torch.cuda.manual_seed_all(7)
    assert torch.cuda.default_generators[0].initial_seed() == torch.cuda.initial_seed() == 7
    o = torch.empty_like(x)
    keep[(4,)](x, r, o, B=1024)
    return o


def asks_for_the_offset(x):
    torch.cuda.default_generators[0].get_offset()
    return launch(x)
"""

PYTORCH = """
import torch


def makes_one(x):
    g = torch.Generator(device=x.device).manual_seed(3)
    return x + torch.rand(x.shape, generator=g, device=x.device)


def draws(x):
    g = torch.Generator("cuda:0")
    more = torch.empty(8, device=x.device).normal_(generator=g)
    order = torch.randperm(8, generator=g, device="cuda")
    return (torch.randn(8, generator=g, device="cuda") + more)[order] * x


def of_the_cpu(x):
    return x + torch.rand(8, generator=torch.Generator().manual_seed(1)).cuda()


def asks_for_the_offset(x):
    return x + torch.Generator(device="cuda").get_offset()


def asks_later(x):
    y = torch.relu(x)
    torch._dynamo.graph_break()
    return y + torch.Generator(device="cuda").get_offset()
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "launches.py").write_text(KERNEL)
    (tmp_path / "draws.py").write_text(PYTORCH)
    return tmp_path


def test_a_launcher_seeds_and_draws(files: Path) -> None:
    shown = run(files / "launches.py", "launch", "f32[4096]")
    assert not shown.failures
    assert "sass:keep" in shown.stages
    assert not shown.stages["source"].notes[1:], "the file and the call come to their end"


def test_a_function_breaks_where_it_does_on_a_gpu(files: Path) -> None:
    shown = run(files / "draws.py", "makes_one", "f32[4096]")
    assert not shown.failures
    (graph,) = [stage for key, stage in shown.stages.items() if key.startswith("dynamo")]
    assert dict(graph.counts)["operations"] == 1, "the draw itself is no graph of the call's"
    assert sum("It begins after a graph break" in note for note in graph.notes) == 3


@pytest.mark.parametrize("name", ["draws", "of_the_cpu"])
def test_each_way_to_draw(files: Path, name: str) -> None:
    shown = run(files / "draws.py", name, "f32[8]")
    assert not shown.failures
    assert "traced_devices.py" not in "".join(stage.text for stage in shown.stages.values())


@pytest.mark.parametrize("file", ["launches.py", "draws.py"])
def test_what_a_gpu_has_drawn_is_refused(files: Path, file: str) -> None:
    with pytest.raises(
        CannotHere, match=r"^`torch\.Generator\.get_offset` asks what a GPU has drawn"
    ):
        run(files / file, "asks_for_the_offset", "f32[4096]")


def test_after_a_graph_it_is_a_failure_of_the_next(files: Path) -> None:
    (failure,) = run(files / "draws.py", "asks_later", "f32[8]").failures
    assert failure.stage == "dynamo:graph2"
    assert failure.sentence.startswith("`torch.Generator.get_offset` asks what a GPU has drawn")
