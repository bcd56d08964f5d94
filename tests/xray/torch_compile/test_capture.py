"""A function's stages down to its Triton kernels, for GPUs that are not there."""

import logging
import re
import sys

import pytest
import torch
import xray_functions as functions
from capturing import Seen, f32, look

from tutor.hardware.gpus import TARGETS
from tutor.xray.model.compiler import INDUCTOR
from tutor.xray.model.input_specs import TensorSpec
from tutor.xray.torch_compile import capture

pytestmark = [
    pytest.mark.skipif(torch.cuda.is_available(), reason="test_real_device.py looks here"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    assert capture.lower_training_step() > 0


@pytest.fixture(scope="module")
def reduction() -> Seen:
    return look(functions.day28_reduction, f32(1024, 1024), f32(1024, 1024))


@pytest.fixture(scope="module")
def training() -> Seen:
    return look(functions.day25_training, f32(1024), backward=True)


@pytest.fixture(scope="module")
def broken() -> Seen:
    return look(functions.broken, f32(64))


# --- one function, all stages ---------------------------------------------------------------------


def test_every_stage_comes_in_order(reduction: Seen) -> None:
    wanted = [name for name in INDUCTOR.function_stages if name not in ("joint", "backward")]
    own = [key for key in reduction.order if ":" not in key]
    assert own == wanted
    assert reduction.failures == []
    assert all(reduction.text(key).strip() for key in reduction.order)
    assert reduction.device == "pretend"


def test_the_split_reduction_of_day_28(reduction: Seen) -> None:
    assert reduction.names() == [
        "triton_red_fused_add_mul_relu_sum_0",
        "triton_per_fused_add_mul_relu_sum_1",
    ]
    assert reduction.count("wrapper", "extern_calls") == 1
    notes = reduction.notes("ir_post_fusion")
    assert "128 results of 8192 elements" in notes
    assert "call into a library" in notes  # why mm is not in the kernel


def test_a_small_one_is_one_kernel() -> None:
    seen = look(functions.day28_reduction, f32(32, 32), f32(32, 32))
    assert seen.names() == ["triton_per_fused_add_mul_relu_sum_0"]


def test_dynamo_speaks_torch_and_aot_speaks_aten(reduction: Seen) -> None:
    assert "torch.relu" in reduction.text("dynamo")
    assert "aten" not in reduction.text("dynamo")
    assert "torch.ops.aten.relu.default" in reduction.text("forward")
    assert reduction.count("dynamo", "operations") == 5


def test_each_guard_has_its_reason(reduction: Seen) -> None:
    text = reduction.text("guards")
    assert "TENSOR_MATCH: check_tensor(L['x']" in text
    assert "why: the graph was traced for a tensor of this class" in text
    checks = [line for line in text.splitlines() if not line.startswith("    why: ")]
    assert len(checks) == reduction.count("guards", "guards")
    assert "Dynamo read this while tracing" not in text  # every kind here is known


def test_bytecode_is_this_pythons(reduction: Seen) -> None:
    import dis

    own = [step.opname for step in dis.get_instructions(functions.day28_reduction)]
    listed = reduction.text("bytecode").splitlines()
    assert len(listed) == len(own)
    assert all(name in line for name, line in zip(own, listed, strict=True))


@pytest.mark.parametrize(
    ("line", "word", "stage"),
    [
        (2, "x @ W", "lowered"),
        (4, "relu", "ir_post_fusion"),
        (5, "* 0.5", "wrapper"),
        (6, "sum", "triton:triton_per_fused_add_mul_relu_sum_1"),
    ],
)
def test_links_lead_from_a_line_to_its_kernel(
    reduction: Seen, line: int, word: str, stage: str
) -> None:
    assert word in reduction.text("source").splitlines()[line - 1]
    assert reduction.reached("source", stage, line)


def test_links_point_at_what_they_mean(reduction: Seen) -> None:
    forward = reduction.text("forward").splitlines()
    (relu,) = [n for n, line in enumerate(forward, 1) if "aten.relu" in line]
    at = ("dynamo", "forward", relu)
    came_from = {
        link.source_line
        for link in reduction.links
        if (link.source, link.target, link.target_line) == at
    }
    dynamo = reduction.text("dynamo").splitlines()
    assert [dynamo[line - 1].strip().split(" = ")[1][:10] for line in came_from] == ["torch.relu"]


def test_a_loop_ties_each_turn_to_its_own_node() -> None:
    seen = look(functions.long, f32(8))  # 200 nodes, all of one line
    pairs = [(n.source_line, n.target_line) for n in seen.links if n.source == "dynamo"]
    assert len(pairs) == len(set(pairs)) == 200
    assert pairs == sorted(pairs)


def test_links_stay_inside_their_texts(reduction: Seen, broken: Seen, training: Seen) -> None:
    for seen in (reduction, broken, training):
        heights = {key: len(stage.text.splitlines()) for key, stage in seen.stages.items()}
        for link in seen.links:
            assert 1 <= link.source_line <= heights[link.source]
            assert 1 <= link.target_line <= heights[link.target]


def test_a_kernel_says_how_it_is_launched(reduction: Seen) -> None:
    kernel = reduction.kernels[0]
    assert dict(kernel.signature)["in_ptr0"] == "*fp32"
    assert dict(kernel.constexprs)["XBLOCK"] >= 1
    assert "in_ptr0" in kernel.divisible
    assert dict(kernel.options)["num_warps"] in (1, 2, 4, 8, 16, 32)
    assert reduction.count(f"triton:{kernel.name}", "reductions") == 1
    assert callable(kernel.function.fn)


# --- training -------------------------------------------------------------------------------------


def test_what_is_kept_and_why(training: Seen) -> None:
    assert training.count("forward", "saved_tensors") == 2
    notes = training.notes("forward")
    assert "primals_1, float32[1024]: an input" in notes  # and not sin, as a page says
    assert "exp, float32[1024]: an output" in notes
    assert training.count("forward", "saved_extra_bytes") == 0
    assert "aten.cos" in training.text("backward")


def test_the_joint_graph_marks_what_is_kept(training: Seen) -> None:
    joint = training.text("joint").splitlines()
    (mark,) = [n for n, line in enumerate(joint) if "# kept for the backward: exp," in line]
    assert "4,096 bytes: an output of the function" in joint[mark]
    assert "exp: " in joint[mark + 1]
    assert joint[mark].index("#") == len(joint[mark + 1]) - len(joint[mark + 1].lstrip())
    (given,) = [n for n, line in enumerate(joint) if "# kept for the backward: primals_1" in line]
    assert "primals_1: " in joint[given + 1]
    assert not any("kept for the backward: sin" in line for line in joint)
    (border,) = [n for n, line in enumerate(joint) if "# the backward begins" in line]
    assert all("tangents" not in line for line in joint[mark + 1 : border])
    for name in ("saved_tensors", "saved_bytes", "saved_extra_bytes"):
        assert training.count("joint", name) == training.count("forward", name)
    assert "Kept for the backward: 2 values, 8,192 bytes; 0 bytes of it" in training.notes("joint")


def test_links_find_the_lines_below_the_marks(training: Seen) -> None:
    joint, forward = (training.text(name).splitlines() for name in ("joint", "forward"))
    (exp,) = [n for n, line in enumerate(joint, 1) if "aten.exp.default" in line]
    (below,) = [n for n, line in enumerate(forward, 1) if "aten.exp.default" in line]
    assert training.reached("joint", "forward", exp) == {below}


def test_a_budget_of_memory_shows_in_the_joint_graph() -> None:
    with torch._functorch.config.patch(activation_memory_budget=0.0):
        seen = look(functions.day25_training, f32(1024), backward=True)
    assert seen.count("joint", "saved_bytes") == 4096  # its input alone
    assert "kept for the backward: exp" not in seen.text("joint")


def test_backward_has_its_own_stages(training: Seen) -> None:
    assert training.failures == []
    for name in ("lowered", "ir_pre_fusion", "ir_post_fusion", "wrapper"):
        assert f"{name}:backward" in training.stages
    assert len(training.kernels) == 2
    joint = training.text("joint").splitlines()
    (cos,) = [n for n, line in enumerate(joint, 1) if "aten.cos" in line]
    assert training.reached("joint", "backward", cos)


def test_decompositions_are_told() -> None:
    seen = look(functions.day28_linear, f32(64, 64), f32(64, 64), f32(64))
    assert "aten.gelu.default became mul, mul, erf, add, mul." in seen.notes("forward")
    assert seen.count("wrapper", "kernels") == 1
    assert seen.count("wrapper", "extern_calls") == 1


def test_what_is_recomputed_is_told() -> None:
    seen = look(functions.GatedMLP(64, 128), f32(64, 64), backward=True)
    assert "Computed again from what was kept" in seen.notes("backward")
    assert len(seen.kernels) >= 5
    assert seen.failures == []


# --- graph breaks ---------------------------------------------------------------------------------


def test_each_graph_has_its_stages(broken: Seen) -> None:
    for name in ("dynamo", "guards", "forward", "lowered", "wrapper"):
        assert {name, f"{name}:graph2", f"{name}:graph3"} <= set(broken.stages)
    assert len(broken.kernels) == 3
    assert broken.failures == []


def test_a_break_says_why_where_and_what_helps(broken: Seen) -> None:
    first, second = broken.notes("dynamo"), broken.notes("dynamo:graph2")
    line = functions.broken.__code__.co_firstlineno
    assert f"Line {line + 2}: graph break" in first
    assert "GB0059" in first
    assert "print" in first
    assert "reorderable_logging_functions" in first
    assert f"Line {line + 3}: graph break" in second
    assert "GB0170" in second
    assert "torch.where" in second
    assert "torch.cond" in second
    assert "graph break" not in broken.notes("dynamo:graph3")


def test_resume_functions_are_shown(broken: Seen) -> None:
    titles = [broken.stages[key].title for key in broken.order if key.startswith("bytecode:")]
    assert len(titles) == 3
    assert sum("torch_dynamo_resume_in_broken" in title for title in titles) == 2
    assert "__resume_at_" in broken.text("bytecode:rewritten1")


def test_a_helper_in_the_file_is_part_of_the_source(broken: Seen) -> None:
    text = broken.text("source")
    assert "return y * 3" in text
    line = 1 + text.splitlines().index("    return y * 3")
    assert broken.reached("source", "dynamo", line)  # it was inlined into the first graph


# --- models, targets ------------------------------------------------------------------------------


def test_a_residual_block_in_training_and_in_eval() -> None:
    block = functions.ResidualBlock(8)
    training = look(block, f32(2, 8, 8, 8), backward=True)
    assert training.failures == []
    assert "_native_batch_norm_legit" in training.text("joint") or "var_mean" in training.text(
        "joint"
    )
    assert training.count("wrapper", "extern_calls") == 2
    inference = look(block.eval(), f32(2, 8, 8, 8))
    assert inference.failures == []
    assert "joint" not in inference.stages
    assert "var_mean" not in inference.text("forward")
    # Inductor lays out convolutions of so few channels anew for inference only.
    with_gradients = look(block, f32(2, 8, 8, 8), backward=True)
    assert inference.count("wrapper", "launches") > with_gradients.count("wrapper", "launches")
    assert "Compiled as under torch.no_grad()" in inference.notes("dynamo")
    assert "no_grad" not in with_gradients.notes("dynamo")


def test_without_parameters_that_ask_for_gradients_none_are_named() -> None:
    layer = torch.nn.Linear(8, 8).requires_grad_(False)
    assert "no_grad" not in look(layer, f32(8, 8), last_stage="dynamo").notes("dynamo")


def test_an_encoder_layer_in_training() -> None:
    seen = look(functions.encoder_layer(), f32(2, 16, 64), backward=True)
    assert seen.failures == []
    assert len(seen.kernels) >= 12
    assert "_scaled_dot_product_efficient_attention" in seen.text("forward")


@pytest.mark.parametrize(
    ("dtype", "on", "kernel"),
    [
        ("f32", "sm_90", "efficient"),
        ("bf16", "sm_80", "flash"),
        ("bf16", "sm_90", "cudnn"),
        ("f16", "gfx942", "flash"),
    ],
)
def test_attention_is_the_devices(dtype: str, on: str, kernel: str) -> None:
    inputs = [TensorSpec(dtype, (2, 4, 64, 64))] * 3
    seen = look(functions.attention, *inputs, on=on)
    assert f"aten._scaled_dot_product_{kernel}_attention" in seen.text("wrapper")
    assert "for_cpu" not in seen.text("forward")


def test_attention_by_hand_is_found_where_the_device_would() -> None:
    half = look(
        functions.attention_by_hand, *[TensorSpec("f16", (2, 4, 64, 64))] * 3, backward=True
    )
    assert "aten._scaled_dot_product_cudnn_attention" in half.text("wrapper")
    assert "attention_backward" in half.text("backward")
    exact = look(functions.attention_by_hand, *[f32(2, 4, 64, 64)] * 3)  # TF32 is not allowed
    assert "_scaled_dot_product" not in exact.text("forward")
    assert exact.count("wrapper", "extern_calls") == 2


@pytest.mark.parametrize("chip", TARGETS, ids=lambda chip: chip.name)
def test_every_target(chip) -> None:
    seen = look(functions.softmax, f32(512, 1024), on=chip.name)
    assert len(seen.kernels) == 1
    assert seen.failures == []
    text = seen.text(f"triton:{seen.names()[0]}")
    assert f"multi_processor_count={chip.multiprocessors}" in text
    assert f"type='{chip.backend}'" in text


def test_a_training_step_that_calls_backward() -> None:
    labels = TensorSpec("i64", (32,))
    seen = look(functions.training_step, f32(32, 64), labels, backward=True)
    assert seen.failures == []
    assert "backward" in seen.notes("dynamo")
    assert "wrapper:backward" in seen.stages
    (failure,) = look(functions.training_step, f32(32, 64), labels, last_stage="dynamo").failures
    assert "unless the backward pass is asked for" in failure.sentence


def test_an_optimizer_that_the_call_makes() -> None:
    layer = torch.nn.Linear(8, 4)

    def step(x):
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
        layer(x).square().mean().backward()
        optimizer.step()

    seen = look(step, f32(16, 8), backward=True)
    assert seen.failures == []
    assert any(name.startswith("triton_for_fused") for name in seen.names())


@pytest.mark.parametrize("name", ["random", "data_dependent", "day25_to_half", "chain"])
def test_others_are_lowered(name: str) -> None:
    seen = look(getattr(functions, name), f32(64))
    assert seen.failures == []
    assert len(seen.kernels) == 1


def test_a_lookup_with_its_backward() -> None:
    seen = look(functions.looked_up, TensorSpec("i64", (8,)), f32(16, 4), backward=True)
    assert seen.failures == []
    assert "index_put" in seen.text("backward") or "embedding" in seen.text("backward")


def test_inputs_beyond_memory_have_shapes_only() -> None:
    large = TensorSpec("bf16", (1 << 16, 1 << 16))
    seen = look(functions.day28_reduction, large, large)
    assert seen.failures == []
    assert len(seen.kernels) == 2


# --- what goes wrong ------------------------------------------------------------------------------


def test_a_function_that_raises(caplog: pytest.LogCaptureFixture) -> None:
    seen = look(functions.raising, f32(8))
    assert [f.sentence for f in seen.failures] == ["the call raised ValueError: no good"]
    assert {"source", "bytecode"} == set(seen.stages)


def test_an_error_without_words_names_its_line() -> None:
    (failure,) = look(functions.asserting, f32(8)).failures
    assert failure.sentence.startswith(
        "the call raised AssertionError of `assert x.ndim == 2` (xray_functions.py, line "
    )


def test_shapes_that_do_not_fit(capfd: pytest.CaptureFixture[str]) -> None:
    seen = look(functions.ill_fitting, f32(3, 4), f32(3, 4))
    (failure,) = seen.failures
    assert failure.stage == "dynamo"
    assert "RuntimeError: a and b must have same" in failure.sentence
    assert capfd.readouterr().err == ""
    assert logging.root.manager.disable == logging.NOTSET


def test_no_tensor_operation_at_all() -> None:
    (failure,) = look(functions.untensored, f32(8)).failures
    assert "no graph" in failure.sentence


def test_a_graph_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "MOST_OPERATIONS", 100)
    seen = look(functions.long, f32(8))
    (failure,) = seen.failures
    assert "200 operations" in failure.sentence
    assert seen.count("dynamo", "operations") == 200
    assert "guards" in seen.stages
    assert "lowered" not in seen.stages


def test_a_builtin_has_no_source() -> None:
    seen = look(torch.sin, f32(8))
    assert {"source", "bytecode"} <= {failure.stage for failure in seen.failures}


def test_a_torch_without_a_name_loses_that_stage_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor.graph import GraphLowering

    monkeypatch.delattr(GraphLowering, "compile_to_module")
    seen = look(functions.chain, f32(64))
    (failure,) = seen.failures
    assert failure.stage == "lowered"
    assert "has no torch._inductor.graph.GraphLowering.compile_to_module" in failure.sentence
    assert "forward" in seen.stages


def test_without_the_cache_entries_there_are_no_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._dynamo import eval_frame

    monkeypatch.delattr(eval_frame, "_debug_get_cache_entry_list")
    seen = look(functions.chain, f32(64))
    (failure,) = seen.failures
    assert failure.stage == "guards"
    assert len(seen.kernels) == 1


def test_without_a_compiler_for_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("CXX", "/nonexistent/g++")
    seen = look(functions.day15_gelu, f32(64, 64))
    assert seen.failures == []
    assert len(seen.kernels) == 1


def test_the_last_stage_wanted_ends_it() -> None:
    assert "dynamo" not in look(functions.chain, f32(8), last_stage="bytecode").stages
    seen = look(functions.chain, f32(8), last_stage="guards")
    assert "guards" in seen.stages
    assert "forward" not in seen.stages


def test_compiling_for_the_cpu_still_works_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    # To precompile C++ headers takes longer than they save one function.
    monkeypatch.setattr(torch._inductor.config, "cpp_cache_precompile_headers", False)
    torch._dynamo.reset()
    x = torch.randn(32)
    assert torch.allclose(torch.compile(functions.chain)(x), functions.chain(x))
    torch._dynamo.reset()
    assert len(look(functions.chain, f32(32)).kernels) == 1
    assert "torch.cuda" in sys.modules
    assert not torch.cuda.is_available()


def test_the_rewritten_function_stands_as_python(broken: Seen) -> None:
    text = broken.text("rewritten")
    assert text.startswith("def broken(x")
    assert re.search(r"= __compiled_fn_\d+\(x\)$", text, re.MULTILINE)
    assert "return __resume_at_" in text
    assert "record_pregraph" not in text
    assert "torch_dynamo_resume_in_broken" in broken.text("rewritten:frame2")
    lines = text.splitlines()
    call = next(i for i, line in enumerate(lines, 1) if "= __compiled_fn_" in line)
    assert call in {link.target_line for link in broken.links if link.target == "rewritten"}


def test_of_a_kernel_of_one_node_every_line_is_tied_to_the_source() -> None:
    seen = look(functions.chain, f32(64))
    (name,) = seen.names()
    lines = seen.text(f"triton:{name}").split("\n")
    first = next(n for n, line in enumerate(lines, 1) if line.startswith("def "))
    relu = next(
        n for n, line in enumerate(seen.text("source").split("\n"), 1) if "torch.relu" in line
    )
    assert seen.reached("source", f"triton:{name}", relu) == set(range(first, len(lines) + 1))


def test_the_line_of_a_break_is_counted_in_the_sources_lines() -> None:
    seen = look(functions.broken, f32(8), last_stage="dynamo")
    source = seen.text("source").split("\n")
    assert "print" in source[int(seen.count("dynamo", "breaks_at_line")) - 1]
    assert "if x.sum()" in source[int(seen.count("dynamo:graph2", "breaks_at_line")) - 1]


def sized_by_a_tensor(x, n):
    return x.view(n, 4) * 2


def test_a_graph_that_torch_compile_leaves_out_is_no_end_of_the_call() -> None:
    x, n = torch.ones(2, 4), torch.tensor(2)
    (failure,) = look(sized_by_a_tensor, x, n).failures
    assert failure.stage == "forward"
    assert "runs its lines as Python: DataDependentOutputException" in failure.sentence
    assert torch.compile(sized_by_a_tensor)(x, n).shape == (2, 4)
