"""What Day 14 states and a machine can decide: held against this torch, as it is installed.

F-numbers are those of the list of corrections that the lesson was written from.
"""

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._inductor.config as inductor
import torch.nn.functional as F

from tutor.course.catalog.course import open_course
from tutor.course.model import Prose
from tutor.hardware.gpus import target
from tutor.xray.model.counts import of_stages
from tutor.xray.model.input_specs import Arguments, parse_input
from tutor.xray.model.stages import Event, Failure, Stage
from tutor.xray.torch_compile.capture import capture

DAY = 14


def kernels(function: Callable[..., Any], *inputs: str) -> tuple[int, int]:
    """(Triton kernels, library calls) in what Inductor writes for an H100."""
    events: list[Event] = []
    given = tuple(parse_input(text) for text in inputs)
    capture(function, Arguments(given), target("H100"), False, events.append)
    assert [event.sentence for event in events if isinstance(event, Failure)] == []
    numbers = of_stages(event for event in events if isinstance(event, Stage))
    return int(numbers["kernels"]), int(numbers["extern_calls"])


def whole(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum()


def rows(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum(-1, keepdim=True)


def softmax(x: torch.Tensor) -> torch.Tensor:
    return F.softmax(x, -1)


def broadcast(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (x + b).relu() * 2


def siblings(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.sin(), x.cos()


def strangers(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.relu(), y.sigmoid()


def epilogue(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.gelu(x @ w)


def two_matmuls(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x @ w @ w


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        (whole, ("f32[256]",), 1),
        (whole, ("f32[1048576]",), 3),
        (rows, ("f32[4096,65536]",), 1),
        (rows, ("f32[16,65536]",), 3),
        (softmax, ("f32[4096,1024]",), 1),
    ],
)
def test_f27_a_reduction_ends_a_kernel_only_where_its_group_spans_blocks(
    function: Callable[..., Any], inputs: tuple[str, ...], expected: int
) -> None:
    assert kernels(function, *inputs) == (expected, 0)


def test_f27_blocks_that_wait_inside_one_kernel_need_no_second() -> None:
    with inductor.patch({"triton.cooperative_reductions": True}):
        assert kernels(whole, "f32[1048576]") == (1, 0)
    assert not inductor.triton.cooperative_reductions  # "off by default"


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        (broadcast, ("f32[4096,1024]", "f32[1024]"), (1, 0)),  # shapes need not be the same
        (siblings, ("f32[4096,1024]",), (1, 0)),  # horizontal, over a shared input
        (strangers, ("f32[4096,1024]", "f32[4096,1024]"), (2, 0)),  # nothing is shared
        (epilogue, ("f16[512,512]", "f16[512,512]"), (1, 1)),  # the library's matmul takes none in
        (two_matmuls, ("f16[512,512]", "f16[512,512]"), (0, 2)),
    ],
)
def test_f28_what_the_tree_says_of_two_operators(
    function: Callable[..., Any], inputs: tuple[str, ...], expected: tuple[int, int]
) -> None:
    assert kernels(function, *inputs) == expected


def test_f28_the_settings_that_the_tree_names() -> None:
    assert inductor.epilogue_fusion
    assert not inductor.max_autotune
    assert inductor.max_fusion_size == 64


def test_f49_to_f52_the_ladder() -> None:
    """108 multiprocessors at 1.41 GHz: NVIDIA A100 architecture white paper, 2020."""
    multiprocessors, clock, kib = 108, 1.41e9, 2**10
    registers, l1 = multiprocessors * 256 * kib, multiprocessors * 192 * kib
    assert registers > l1
    assert (registers / 2**20, l1 / 2**20) == (27, 20.25)
    bandwidths = [  # TB/s
        multiprocessors * 64 * 3 * 4 * clock / 1e12,
        multiprocessors * 32 * 4 * clock / 1e12,
        5120 * clock / 1e12,
        2.039,
    ]
    assert [round(value, 1) for value in bandwidths] == [117.0, 19.5, 7.2, 2.0]
    assert [round(312 / tb) for tb in (2.039, 1.555, 2.0)] == [153, 201, 156]  # F50
    assert round(19.5 / 2.039, 1) == 9.6


def test_f17_the_old_captures_say_that_they_are_deprecated() -> None:
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    for old in (
        lambda: torch.jit.trace(double, (torch.ones(3),)),
        lambda: torch.jit.script(double),
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            old()
        assert any("deprecated" in str(warning.message) for warning in said)


def _graphs(function: Callable[..., Any], *calls: Callable[[Callable[..., Any]], Any]) -> int:
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend)
    for call in calls:
        call(compiled)
    return len(graphs)


def test_f05_print_breaks_a_graph_and_can_be_told_not_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def half_way(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x)
        print("half way")
        return y * 2

    x = torch.randn(8)
    assert _graphs(half_way, lambda f: f(x)) == 2
    with torch._dynamo.config.patch(reorderable_logging_functions={print}):
        assert _graphs(half_way, lambda f: f(x)) == 1
    assert capsys.readouterr().out == "half way\n" * 2


def test_f12_grad_mode_is_guarded_whatever_is_computed() -> None:
    x = torch.randn(8)

    def without(f: Callable[..., Any]) -> None:
        with torch.no_grad():
            f(x)

    assert _graphs(torch.relu, lambda f: f(x), without, lambda f: f(x)) == 2


def test_f09_a_branch_can_be_an_operator() -> None:
    def pick(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: 2 * x, lambda x: x + 10, [x])

    torch._dynamo.reset()
    whole_graph = torch.compile(pick, backend="eager", fullgraph=True)
    assert whole_graph(-torch.ones(3)).tolist() == [9.0] * 3


def test_f56_no_factor_of_retention_is_promised() -> None:
    lesson = open_course().lesson(DAY)
    assert lesson is not None
    text = " ".join(
        block.text for s in lesson.sections for block in s.blocks if isinstance(block, Prose)
    )
    assert not re.search(r"\d\s*[-–]\s*\d\s*(x|×|times)", text)
    assert {"karpicke", "mayrhofer"} <= {source.id for source in lesson.sources}
