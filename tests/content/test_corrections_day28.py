"""What Day 28 states and a machine can decide: held against this torch, as it is installed.

F-numbers are those of the list of corrections that the lesson was written from.
"""

import logging
from typing import Any

import pytest
import torch
import torch._dynamo
import torch.nn.functional as F
import triton.language as tl
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.decomposition import select_decomp_table

from tutor.hardware.gpus import target
from tutor.xray.model.counts import of_stages
from tutor.xray.model.input_specs import Arguments, parse_input
from tutor.xray.model.stages import Event, Failure, Stage
from tutor.xray.torch_compile.capture import capture


def total(x: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    return (torch.relu(x @ W + 1) * 0.5).sum()


def layer(x: torch.Tensor, W: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.gelu(x @ W + b)


def stages(function: Any, *inputs: str) -> list[Stage]:
    events: list[Event] = []
    capture(
        function, Arguments(tuple(map(parse_input, inputs))), target("sm_90"), False, events.append
    )
    assert [event.sentence for event in events if isinstance(event, Failure)] == []
    return [event for event in events if isinstance(event, Stage)]


def names(graph: torch.fx.GraphModule) -> list[str]:
    return [n.target.__name__ for n in graph.graph.nodes if n.op == "call_function"]


@pytest.mark.slow
def test_f01_dynamo_speaks_torch_and_only_aot_speaks_aten() -> None:
    heard: list[list[str]] = []

    def keep(graph: Any, inputs: Any) -> Any:
        heard.append(names(graph))
        return make_boxed_func(graph.forward)

    def keep_first(graph: Any, inputs: Any) -> Any:
        heard.append(names(graph))
        return graph.forward

    arguments = torch.randn(8, 4), torch.randn(4, 6), torch.randn(6)
    for backend in (
        keep_first,
        aot_autograd(fw_compiler=keep),
        aot_autograd(fw_compiler=keep, decompositions=select_decomp_table()),
    ):
        torch._dynamo.reset()
        with torch.no_grad():
            torch.compile(layer, backend=backend)(*arguments)
    dynamo, aot, table = heard
    assert dynamo == ["matmul", "add", "gelu"]
    assert aot == ["mm.default", "add.Tensor", "gelu.default"]
    # F21, F22: the backend's table takes gelu apart, into five
    assert sorted(table[2:]) == [
        "add.Tensor",
        "erf.default",
        "mul.Tensor",
        "mul.Tensor",
        "mul.Tensor",
    ]


def test_f23_gelu_is_a_function_of_nn_functional() -> None:
    assert not hasattr(torch, "gelu")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "kernels"), [(32, 1), (90, 1), (91, 2), (512, 2)])
def test_f26_the_elementwise_part_vanishes_into_the_reduction(n: int, kernels: int) -> None:
    found = stages(total, f"f32[{n},{n}]", f"f32[{n},{n}]")
    counts = of_stages(found)
    assert (counts["kernels"], counts["extern_calls"]) == (kernels, 1)
    written = [stage.kernel for stage in found if stage.name == "triton"]
    assert not any(name.startswith("triton_poi") for name in written)


@pytest.mark.slow
def test_f32_a_kernel_is_named_after_the_operators_it_came_from() -> None:
    found = stages(layer, "f32[256,256]", "f32[256,256]", "f32[256]")
    (kernel,) = [stage for stage in found if stage.name == "triton"]
    assert "gelu" in kernel.kernel
    assert "erf" not in kernel.kernel
    assert "libdevice.erf" in kernel.text


def test_f34_triton_has_no_tanh_of_its_own() -> None:
    assert not hasattr(tl.math, "tanh")


@pytest.mark.slow
def test_f33_the_debug_switch_writes_no_files_the_trace_does(
    tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(torch._dynamo.config, "debug_dir_root", str(tmp_path))
    dynamo = logging.getLogger("torch._dynamo")
    level = dynamo.level
    with torch._inductor.config.patch(debug=True):
        stages(total, "f32[16,16]", "f32[16,16]")
    dynamo.setLevel(level)
    assert list(tmp_path.iterdir()) == []
    with torch._inductor.config.patch({"trace.enabled": True}):
        stages(total, "f32[16,16]", "f32[16,16]")
    written = {path.name for path in tmp_path.rglob("*.*")}
    assert {"ir_pre_fusion.txt", "ir_post_fusion.txt"} <= written


def test_f44_example_inputs_may_be_symbolic_integers() -> None:
    kinds: set[str] = set()

    def backend(graph: Any, inputs: Any) -> Any:
        kinds.update(type(each).__name__ for each in inputs)
        return graph.forward

    torch._dynamo.reset()
    torch.compile(lambda x: x * 2, backend=backend, dynamic=True)(torch.randn(6, 4))
    assert {"SymInt", "Tensor"} <= kinds


def test_f77_a_graph_may_hold_control_flow_of_its_own() -> None:
    heard: list[str] = []

    def backend(graph: Any, inputs: Any) -> Any:
        heard.extend(names(graph))
        return graph.forward

    def pick(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))

    torch._dynamo.reset()
    torch.compile(pick, backend=backend, fullgraph=True)(torch.randn(8))
    assert "cond" in heard
