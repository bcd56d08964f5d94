"""XLA's ladder: counts, results, lines, what it cannot take, and readers of what XLA writes.

The four functions written in JAX become 2, 4, 5 and 5 fusions (jaxlib 0.10.2), and 2, 4, 7 and 6 here:
PyTorch's decomposition of `layer_norm` takes the variance of a float64 copy, and attention's transposed
keys become a copy.
"""

import functools
import re

import pytest
import torch
from subjects import SUBJECTS, Emitted, captured, emitted, source_line

from tutor.xray.compilers.capture import capture
from tutor.xray.model.compiler import XLA
from tutor.xray.model.counts.hlo import count_hlo, list_fused, read_hlo
from tutor.xray.model.counts.xla import show_changes

pytest.importorskip("jaxlib")
pytest.importorskip("torch_mlir")

import jax

from tutor.xray.compilers.xla import lower

MODULE = """HloModule main, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

FileNames
1 "/lib/torch.py"
2 "/home/me/f.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=90 end_line=90 column=0 end_column=0}
2 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=0 end_column=0}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}


%fused (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %add.0 = f32[4]{0} add(%p, %p), metadata={op_name="gelu/add" stack_frame_id=2}
}

%body (q: (s32[], f32[4])) -> (s32[], f32[4]) {
  %q = (s32[], f32[4]{0}) parameter(0)
  %i = s32[] get-tuple-element(%q), index=0
  %v = f32[4]{0} get-tuple-element(%q), index=1
  %f = f32[4]{0} fusion(%v), kind=kCustom, calls=%fused, backend_config={"a":{"b":"}"}}
  ROOT %t = (s32[], f32[4]{0}) tuple(%i, %f)
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0), metadata={op_name="x"}
  %n = s32[] constant(3)
  %init = (s32[], f32[4]{0}) tuple(%n, %x)
  %loop = (s32[], f32[4]{0}) while(%init), condition=%never, body=%body
  %end = f32[4]{0} get-tuple-element(%loop), index=1
  ROOT %e = f32[4]{0} exponential(%end), metadata={op_name="exp/exponential" stack_frame_id=2}
}
"""

# Instructions that compute before fusion; fusions; library calls among them; bytes between.
UNITS = {
    "linear_gelu": (31, 2, 1, 0),
    "softmax": (5, 4, 2, 256),
    "layer_norm": (16, 7, 3, 131840),
    "attention": (9, 6, 3, 65536),
}


@functools.cache
def on_cpu(name: str) -> Emitted:
    return emitted(lower, captured(name))


@pytest.mark.parametrize("name", SUBJECTS)
def test_units_buffers_and_results(name: str) -> None:
    seen = on_cpu(name)
    assert not seen.failures
    stages = list(dict.fromkeys(stage.name for stage in seen.stages))
    assert stages == [kind.name for kind in XLA.stages]
    before, after = seen.counts(XLA.before), seen.counts(XLA.after)
    size = seen.counts("buffers")["bytes"]
    assert (before["units"], after["units"], after["library_calls"], size) == UNITS[name]
    assert seen.counts("result")["difference"] < 2e-5
    notes = [note.partition(": ")[0] for note in seen.stage(XLA.after).notes]
    compiled = [one.kernel for one in seen.stages if one.name == "llvm"]
    assert len(notes) == after["units"]
    assert set(compiled) < set(notes)
    assert len(compiled) == after["units"] - after["library_calls"]
    assert {one.kernel for one in seen.stages if one.name == "asm"} == set(compiled)


def test_what_was_fused_is_told_by_the_operations_of_the_graph() -> None:
    notes = on_cpu("linear_gelu").stage("optimized").notes
    assert notes == ("ynn_fusion: mm", "multiply_multiply_fusion: add, gelu")

    def halves(x):
        first, second = x.chunk(2)
        return (first * second).to(torch.float16)

    (note,) = emitted(lower, capture(halves, (torch.ones(8),))).stage("optimized").notes
    operations = note.partition(": ")[2].split(", ")
    assert {"mul", "convert_element_type"} <= set(operations)
    assert "halves" not in operations, "the function is no operation"


@pytest.mark.parametrize(
    ("name", "line", "stage", "operation"),
    [
        ("linear_gelu", "h = x @ w", "stablehlo", r"stablehlo\.dot_general"),
        ("linear_gelu", "h = h + b", "stablehlo", r"stablehlo\.broadcast_in_dim"),
        ("linear_gelu", "F.gelu", "stablehlo", r"stablehlo\.clamp"),
        ("linear_gelu", "h = x @ w", "hlo", r" dot\("),
        ("linear_gelu", "F.gelu", "hlo", r" clamp\("),
        ("linear_gelu", "h = x @ w", "optimized", r" dot\("),
        ("linear_gelu", "h = h + b", "optimized", r" add\("),
        ("linear_gelu", "F.gelu", "optimized", r"%multiply_multiply_fusion = "),
        ("attention", "p = torch.softmax", "optimized", r" exponential\("),
        ("attention", "return p @ v", "optimized", r"%ynn_fusion = "),
    ],
)
def test_a_line_of_the_source_leads_to_its_operation(
    name: str, line: str, stage: str, operation: str
) -> None:
    seen = on_cpu(name)
    wanted = source_line(captured(name), line)
    lines = seen.stage(stage).text.split("\n")
    led_to = [
        lines[link.target_line - 1]
        for link in seen.links
        if link.source_line == wanted and link.target == f"xla/{stage}"
    ]
    assert any(re.search(operation, text) for text in led_to)


def test_a_fusion_is_tied_to_its_machine_code_by_its_name() -> None:
    seen = on_cpu("linear_gelu")
    texts = {stage.key: stage.text.split("\n") for stage in seen.stages}
    name = "multiply_multiply_fusion"
    for above, below in (("optimized", f"llvm:{name}"), (f"llvm:{name}", f"asm:{name}")):
        ties = [
            (texts[link.source][link.source_line - 1], texts[link.target][link.target_line - 1])
            for link in seen.links
            if (link.source, link.target) == (f"xla/{above}", f"xla/{below}")
        ]
        assert ties
        assert all(name in line for tie in ties for line in tie)


def test_no_stage_after_the_last_wanted() -> None:
    seen = emitted(lower, captured("softmax"), last="passes")
    assert [stage.name for stage in seen.stages] == ["stablehlo", "hlo", "passes"]
    assert seen.counts("passes")["changing"] == seen.stage("passes").text.count("== ")


def test_a_gpu_and_an_operation_that_it_does_not_take() -> None:
    (failure,) = emitted(lower, captured("softmax"), "sm_90").failures
    assert "sm_90" in failure.sentence

    def values(x):
        return torch.linalg.svd(x)[1]

    seen = emitted(lower, capture(values, (torch.ones(4, 4),)))
    (failure,) = seen.failures
    assert not seen.stages
    assert failure.stage == "xla/stablehlo"
    assert "svd" in failure.sentence

    def shifted(x):
        y = x + 1
        return y << 1

    seen = emitted(lower, capture(shifted, (torch.ones(4, dtype=torch.int32),)))
    (failure,) = seen.failures
    line = shifted.__code__.co_firstlineno + 2
    assert failure.sentence.endswith(
        f"'torch.aten.__lshift__.Scalar' (from line {line} of the file)"
    ), "and not the constant that it leaves"


def test_a_module_with_weights_that_counts_its_calls() -> None:
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(64, 32)
            self.norm = torch.nn.BatchNorm1d(32)
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls.add_(1)
            return self.norm(torch.relu(self.linear(x))).bfloat16(), x.double(), x > 0

    seen = emitted(lower, capture(Counting().eval(), (torch.randn(8, 64),)))
    assert not seen.failures
    assert seen.counts("result")["difference"] < 2e-2  # of bfloat16
    assert max(len(stage.text) for stage in seen.stages) < 100_000  # no weights are printed


def test_a_sort_calls_a_function_that_compares() -> None:
    def ordered(x):
        return torch.sort(x)[0], 3

    seen = emitted(lower, capture(lambda x: ordered(x)[0], (torch.randn(4, 8),)))
    assert not seen.failures
    assert "region" in seen.stage("asm").kernel
    (failure,) = emitted(lower, capture(ordered, (torch.randn(4, 8),))).failures
    assert failure.stage == "xla/hlo"
    assert "number" in failure.sentence


def test_hlo_is_read_with_its_loops_and_places() -> None:
    module = read_hlo(MODULE)
    assert count_hlo(module) == {"units": 2, "library_calls": 1, "operations": 13}
    assert [unit.name for unit in module.units()] == ["f", "e"]
    assert [list_fused(module, unit) for unit in module.units()] == [("gelu",), ("exp",)]
    assert module.units()[1].frames == (("/home/me/f.py", 7),)
    assert "metadata" not in module.text
    assert "StackFrames" not in module.text


def test_only_passes_that_changed_something_are_shown() -> None:
    text, changing = show_changes("a\nb", [("p: one", "a\nb"), ("p: two", "a\nc")])
    assert (text, changing) == ("== p: two\n-b\n+c\n", 1)


def test_float64_is_kept_and_jax_is_left_as_it_was() -> None:
    inputs = (torch.randn(8, dtype=torch.float64, generator=torch.Generator().manual_seed(0)),)
    seen = emitted(lower, capture(lambda x: x.exp() + 1, inputs))
    assert not seen.failures
    assert seen.counts("result")["difference"] < 1e-12
    assert jax.numpy.ones(2, dtype=float).dtype == "float32"
