"""What `@torch.compile(…)` and the inputs ask for is what is shown."""

import torch
from capturing import f32, look

from tutor.xray.dynamo.compile_options import options_of
from tutor.xray.model.input_specs import parse_input


def plain(x):
    return torch.relu(x) + 1


def broken(x):
    y = x * 2
    print("between")
    return y + 1


def test_options_are_read_from_the_compiled_function() -> None:
    inner, found = options_of(torch.compile(plain, fullgraph=True, dynamic=True))
    assert (inner, found.fullgraph, found.dynamic, found.config) == (plain, True, True, {})
    assert found.notes() == ("torch.compile was asked for fullgraph=True, dynamic=True.",)
    _, found = options_of(torch.compile(plain, mode="max-autotune"))
    assert found.config["max_autotune"] is True
    assert "triton.cudagraphs" not in found.settings
    assert "CUDA graph" in found.notes()[1]
    module = torch.nn.Linear(2, 2)
    inner, found = options_of(torch.compile(module, backend="eager"))
    assert (inner, found.backend) == (module, "eager")
    assert options_of(plain) == (plain, type(found)())


def test_dynamic_sizes_are_symbols() -> None:
    seen = look(torch.compile(plain, dynamic=True), f32(64, 32))
    assert seen.failures == []
    assert "Sym(s" in seen.text("forward")
    seen = look(plain, parse_input("f32[s0,32]"), last_stage="dynamo")
    assert ", 32]" in seen.text("dynamo")
    assert '"f32[s' in seen.text("dynamo")


def test_fullgraph_fails_at_a_break() -> None:
    seen = look(torch.compile(broken, fullgraph=True), f32(8), last_stage="dynamo")
    assert "Failed to trace builtin operator" in seen.failures[0].sentence
    assert look(broken, f32(8), last_stage="dynamo").failures == []


def test_templates_of_max_autotune_are_listed_and_one_is_shown() -> None:
    half = parse_input("f16[256,256]")
    seen = look(torch.compile(lambda a, b: torch.relu(a @ b), mode="max-autotune"), half, half)
    assert seen.failures == []
    assert seen.names() == ["triton_tem_fused_mm_relu_0"]
    notes = seen.notes("lowered")
    assert "candidates and keeps the fastest (ATen mm; Triton template BLOCK_K=" in notes
    assert "Nothing is timed here" in notes


def test_layouts_of_inputs_reach_the_graph() -> None:
    seen = look(plain, parse_input("f32[2,3,8,8][channels_last]"), last_stage=None)
    assert "[192, 1, 24, 3]" in seen.text("forward")
