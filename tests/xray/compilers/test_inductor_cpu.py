"""Inductor's ladder for the CPU: kernels of C++, what went into each, lines, results, no g++."""

from functools import cache

import pytest
import torch
from subjects import SUBJECTS, Emitted, captured, emitted, source_line

from tutor.base.errors import CannotHere
from tutor.xray.compilers.capture import capture
from tutor.xray.compilers.inductor_cpu import lower
from tutor.xray.model.compiler import INDUCTOR_CPU, choose_compilers

# Units before fusion, units after it, of these calls of a library. Attention is one call: its pattern is
# replaced by PyTorch's own function.
COUNTS = {
    "linear_gelu": (2, 2, 1),
    "softmax": (4, 1, 0),
    "layer_norm": (4, 1, 0),
    "attention": (2, 1, 1),
}
FUSED = {
    "linear_gelu": "cpp_fused_gelu_0: mul, mul_1, erf, add_1, mul_2",
    "softmax": "cpp_fused__softmax_0: amax, sub, exp, sum_1, div",
    "layer_norm": "cpp_fused_native_layer_norm_0: var_mean, sub, add, rsqrt, mul, mul_1, add_1",
    "attention": "",
}


@cache
def lowered_once(name: str) -> Emitted:
    return emitted(lower, captured(name), last="cpp")


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_kernels_and_what_went_into_each(name: str) -> None:
    seen = lowered_once(name)
    assert not seen.failures
    names = list(dict.fromkeys(stage.name for stage in seen.stages))
    assert names == list(INDUCTOR_CPU.names[: len(names)])
    before, after = seen.counts("ir_pre_fusion"), seen.counts("ir_post_fusion")
    assert (before["units"], after["units"], after["library_calls"]) == COUNTS[name]
    notes = seen.stage("ir_post_fusion").notes
    kernels = [stage.kernel for stage in seen.stages if stage.name == "cpp"]
    assert [note for note in notes if note.startswith("cpp_")] == [FUSED[name]] * len(kernels)
    assert seen.counts("wrapper")["launches"] == len(kernels)
    assert not any(
        "cuBLAS" in note or "Triton" in note for stage in seen.stages for note in stage.notes
    )
    for stage in seen.stages:
        if stage.name == "cpp":
            assert f"void  {stage.kernel}(" in stage.text
            assert dict(stage.counts)["loops"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code", "operation"),
    [
        ("linear_gelu", "x @ w", "mm"),
        ("linear_gelu", "h + b", "add"),
        ("linear_gelu", "F.gelu", "erf"),
        ("softmax", "torch.softmax", "amax"),
        ("layer_norm", "F.layer_norm", "rsqrt"),
    ],
)
def test_an_operation_comes_from_its_line_and_leads_to_the_fused_ir(
    name: str, code: str, operation: str
) -> None:
    seen = lowered_once(name)
    line = source_line(captured(name), code)
    forward = seen.stage("forward").text.split("\n")
    linked = [
        one.target_line for one in seen.links if (one.source, one.source_line) == ("source", line)
    ]
    assert any(
        f" {operation} = " in forward[number - 1] or f" {operation}: " in forward[number - 1]
        for number in linked
    )
    reached = {("inductor-cpu/forward", number) for number in linked}
    for link in seen.links:
        if (link.source, link.source_line) in reached:
            reached.add((link.target, link.target_line))
    assert any(stage.startswith("inductor-cpu/ir_post_fusion") for stage, _ in reached)


@pytest.mark.slow
def test_two_groups_may_stand_in_one_kernel_and_the_result_is_pytorchs() -> None:
    """Run here: it takes g++. Two sums of two tensors have nothing to fuse and one kernel."""
    subject = capture(lambda a, b: (a.sum(0), b.exp()), (torch.ones(8, 4), torch.ones(5)))
    seen = emitted(lower, subject)
    assert not seen.failures
    assert seen.counts("ir_post_fusion")["units"] == 1
    assert "holds 2 loop nests: op0, op1." in " ".join(seen.stage("ir_post_fusion").notes)
    assert seen.counts("result")["difference"] < 2e-5


@pytest.mark.slow
def test_without_a_compiler_the_code_stands_there_and_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch._inductor.config.cpp, "cxx", (None, "/nowhere/g++"))
    torch._inductor.cpp_builder.cpp_compiler_search.cache_clear()
    seen = Emitted()
    try:
        with pytest.raises(CannotHere, match="apt install g"):
            lower(captured("softmax"), "cpu", seen.add, None)
    finally:
        torch._inductor.cpp_builder.cpp_compiler_search.cache_clear()
    assert seen.stages[-1].name == "cpp"
    assert not seen.failures


def test_inductor_is_meant_for_the_gpu_the_cpu_or_both() -> None:
    several = ("inductor", "tvm")
    assert choose_compilers(("inductor",), None) == ("inductor",)
    assert set(choose_compilers(several, None)) == {"inductor", "inductor-cpu", "tvm"}
    assert set(choose_compilers(several, "cpu")) == {"inductor-cpu", "tvm"}
    assert choose_compilers((*several, "inductor-cpu"), "sm_90") == several
    assert choose_compilers(("inductor-cpu", "tvm"), "sm_90") == ("inductor-cpu", "tvm")
