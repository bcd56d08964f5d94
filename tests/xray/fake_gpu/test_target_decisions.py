"""What torch decides by device is decided as on the target, although tensors are the CPU's."""

import operator

import pytest
import torch
import xray_functions as functions
from capturing import Seen, f32, look
from torch._inductor.decomposition import select_decomp_table
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from tutor.hardware.gpus import target
from tutor.xray.fake_gpu import autocast, traced_devices
from tutor.xray.fake_gpu.attention import _backend, attention_on
from tutor.xray.fake_gpu.decompositions import decompositions_on_device
from tutor.xray.model.input_specs import TensorSpec

decides_since_2_13 = pytest.mark.skipif(
    torch.__version__ < (2, 13), reason=f"torch {torch.__version__} does not decide by device here"
)


def calls(seen: Seen) -> str:
    return " ".join(
        note
        for key in seen.order
        if key.startswith("wrapper")
        for note in seen.stages[key].notes
        if note.startswith("Calls")
    )


@decides_since_2_13
def test_products_of_vectors() -> None:
    outer = look(functions.product, f32(64, 1), f32(1, 64))
    assert calls(outer) == ""
    assert outer.names() == ["triton_poi_fused_mm_relu_0"]
    dot = look(functions.product, f32(1, 64), f32(64, 1))
    assert calls(dot).endswith("mm.")
    assert dot.names() == ["triton_poi_fused_relu_0"]
    assert outer.failures == dot.failures == []


@pytest.mark.slow
def test_bias_gradient_of_a_convolution_is_a_kernel() -> None:
    seen = look(functions.convolution, f32(2, 3, 8, 8), f32(4, 3, 3, 3), f32(4), backward=True)
    assert seen.failures == []
    assert any("convolution_backward" in name for name in seen.names())
    assert "[True, True, False]" in seen.text("joint")


@decides_since_2_13
def test_grid_is_indexed_with_32_bits() -> None:
    def sample(x, grid):
        return torch.ops.aten.grid_sampler_2d(x, grid, 0, 0, False)

    def traced(table) -> str:
        inputs = torch.zeros(1, 1, 8, 8), torch.zeros(1, 4, 4, 2)
        graph = make_fx(sample, decomposition_table=table, tracing_mode="fake")(*inputs)
        return "\n".join(line for line in graph.code.splitlines() if "iota" not in line)

    on_device = traced(decompositions_on_device())
    assert "torch.int32" in on_device
    assert "torch.int64" not in on_device
    assert "torch.int64" in traced(select_decomp_table())


def list_parts(function, table) -> list[str]:
    """Return the operations that a function of one bfloat16 tensor is made of."""
    graph = make_fx(function, decomposition_table=table, tracing_mode="fake")(
        torch.zeros(16, 64, dtype=torch.bfloat16)
    )
    return [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]


def test_a_random_mask_is_drawn_by_inductor() -> None:
    def mask(x):
        return torch.ops.aten.bernoulli.p(x, 0.3)

    assert any("rand" in name for name in list_parts(mask, decompositions_on_device()))
    assert not any("rand" in name for name in list_parts(mask, select_decomp_table()))


def test_statistics_of_a_layer_norm_stay_in_float32() -> None:
    def norm(x):
        return torch.ops.aten.native_layer_norm(x, [64], None, None, 1e-5)

    on_device, on_cpu = (
        sum(name.startswith("prims.convert_element_type") for name in list_parts(norm, table))
        for table in (decompositions_on_device(), select_decomp_table())
    )
    assert on_device == on_cpu - 2  # of the mean and of the deviation


def test_autocast_for_the_device_casts_by_its_lists() -> None:
    seen = look(functions.autocast_to_half, f32(16, 16), f32(16, 16))
    assert seen.failures == []
    forward = seen.text("forward")
    assert 'mm: "bf16' in forward.replace("mm_1", "mm")
    assert 'exp: "f32' in forward
    assert 'matmul: "bf16' in seen.text("dynamo")
    assert 'softmax: "f32' in seen.text("dynamo")
    untouched = look(functions.autocast_of_the_cpu, f32(16, 16), f32(16, 16))
    assert "bf16" not in untouched.text("forward")
    with torch.autocast("cpu", dtype=torch.bfloat16):  # torch's kernels are back
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16


def test_lists_of_autocast_are_read_from_torch() -> None:
    assert {"mm", "conv2d", "linear"} <= set(autocast.operations("LOWER_PRECISION_FP"))
    assert {"exp", "layer_norm"} <= set(autocast.operations("FP32"))
    assert "sum.dim_IntList" in autocast.operations("FP32_SET_OPT_DTYPE")
    assert "index_put" in autocast.operations("PROMOTE")


def test_code_that_asks_for_the_device_gets_the_targets() -> None:
    seen = look(functions.asks_for_the_device, f32(8))
    assert seen.failures == []
    assert "sin" in seen.text("dynamo")
    assert "device = device(type='cuda', index=0)" in seen.text("dynamo")
    assert "Made on the CPU" not in seen.notes("dynamo")


def test_tensor_made_on_the_cpu_is_named_and_its_values_kept() -> None:
    seen = look(functions.adds_a_constant, f32(4, 2))
    assert seen.failures == []
    assert "Made on the CPU, on a machine with a GPU too: tensor." in seen.notes("dynamo")
    assert "3.0" in seen.text(next(key for key in seen.order if key.startswith("triton")))


def adds_a_list(x):
    return x + torch.Tensor([1.0, 2.0])


def adds_where_told(x):
    return x + torch.linspace(0.0, 1.0, 2, device="cpu")


def test_how_a_tensor_is_made_on_the_cpu_is_told_apart() -> None:
    notes = look(adds_a_list, f32(2), last_stage="dynamo").notes("dynamo")
    assert "Made on the CPU, on a machine with a GPU too:" in notes
    notes = look(adds_where_told, f32(2), last_stage="dynamo").notes("dynamo")
    assert "Made on the CPU, which the code names here: linspace." in notes
    assert "on a machine with a GPU too" not in notes


def rotation(angle):
    return torch.tensor([[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]]) * 2


def test_tensor_made_of_a_list_of_tensors_is_one_of_the_cpu() -> None:
    notes = look(rotation, TensorSpec("f32", ()), last_stage="dynamo").notes("dynamo")
    assert "Made on the CPU, on a machine with a GPU too: tensor." in notes


def test_tensor_of_the_program_that_is_moved_is_named() -> None:
    notes = look(functions.moves_a_table, f32(4, 2), last_stage="dynamo").notes("dynamo")
    assert "Moved to the GPU by the graph: table. What lies on the CPU is copied" in notes
    assert "Made on the CPU" not in notes


def test_host_tensors_are_found_in_a_graph() -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    host = graph.call_function(torch.zeros, (3,))
    there = graph.call_function(torch.ones, (3,), {"device": "cuda"})
    moved = graph.call_method("cuda", (host,))
    near = graph.call_method("to", (x, torch.device("cuda", 0)))
    total = graph.call_function(operator.add, (near, moved))
    graph.output(graph.call_function(operator.add, (total, there)))
    module = torch.fx.GraphModule({}, graph)
    assert traced_devices.on_host(module) == (host.name,)
    traced_devices.move_to_cpu(module)
    assert module(torch.ones(3)).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("arch", "dtype", "heads", "kernel"),
    [
        ("sm_90", "bf16", 2, "cudnn"),
        ("sm_80", "bf16", 2, "flash"),
        ("gfx942", "bf16", 2, "flash"),
        ("sm_80", "f32", 8, "efficient"),
        ("sm_80", "f32", 2, "math"),  # the memory-efficient kernel knows no grouped heads
    ],
)
def test_grouped_heads(arch: str, dtype: str, heads: int, kernel: str) -> None:
    spec = TensorSpec(dtype, (1, heads, 16, 64))
    kind = getattr(torch, spec.torch_name)

    def call(q, k, v):
        return attention_on(target(arch))(q, k, v, enable_gqa=heads == 2)

    q = torch.zeros(1, 8, 16, 64, dtype=kind, device="meta")
    k = torch.zeros(1, heads, 16, 64, dtype=kind, device="meta")
    text = make_fx(call)(q, k, k).code
    assert (f"_scaled_dot_product_{kernel}_attention" in text) or (
        kernel == "math" and "bmm" in text
    )


def test_only_the_backends_that_are_left_on_are_chosen() -> None:
    q = torch.zeros(1, 2, 16, 64, dtype=torch.float16)
    hopper = target("sm_90")
    chosen = {
        SDPBackend.FLASH_ATTENTION: "flash",
        SDPBackend.EFFICIENT_ATTENTION: "efficient",
        SDPBackend.MATH: "math",
    }
    for left, kernel in chosen.items():
        with sdpa_kernel(left):
            assert _backend(hopper, q, q, False, False, False, False) == kernel
    assert _backend(hopper, q, q, False, False, False, False) == "cudnn"


def test_flash_is_left_out_where_it_does_not_fit() -> None:
    q, k = torch.zeros(1, 1, 8, 64, dtype=torch.float16), torch.zeros(1, 1, 4, 64)
    ampere, turing = target("sm_80"), target("sm_75")
    assert _backend(ampere, q, k, False, True, False, False) == "efficient"  # causal, not square
    assert _backend(turing, q, q, False, False, False, False) == "efficient"
    assert _backend(turing, q.bfloat16(), q, False, False, False, False) == "math"
