"""Plain words for what Inductor's scheduler says."""

import pytest
import torch
from capturing import f32, look

from tutor.xray.model.input_specs import TensorSpec
from tutor.xray.torch_compile.fusion import WhyNot


def test_a_tensor_that_both_read_in_another_order_is_not_called_nothing_in_common() -> None:
    for reason in ("no shared data", "no shared data due to indexing mismatch"):
        meaning = WhyNot("op0", "op4", reason).meaning()
        assert "order of elements" in meaning, reason


def test_one_result_is_not_called_results() -> None:
    meaning = WhyNot("op0", "op1", "numel/rnumel mismatch (reduce) (1, 64), (480, 21)").meaning()
    assert "makes 1 result of 480 elements, the second 64 of 21:" in meaning


def test_a_reason_without_other_words_is_called_inductors_own() -> None:
    assert (
        "the pointwise one has neither" in WhyNot("a", "b", "nodes numel incompatibility").meaning()
    )
    alone = "candidate consumer has no dep in any foreach producer"
    assert "a kernel of several loops" in WhyNot("a", "b", alone).meaning()
    assert WhyNot("a", "b", "no luck today").meaning() == "in Inductor's words, no luck today"


def test_a_concatenation_whose_parts_are_written_in_place_is_no_kernel_of_ones_own() -> None:
    seen = look(lambda x: torch.cat((x.softmax(-1), (-x).softmax(-1))), f32(16, 16))
    assert "NopKernelSchedulerNode(ConcatKernel)" in seen.text("ir_pre_fusion")
    assert "fused into one kernel" in seen.notes("ir_post_fusion")
    assert "you wrote" not in seen.notes("ir_post_fusion")


@pytest.mark.slow
def test_a_call_with_several_results_is_named_once() -> None:
    seen = look(lambda x: torch.topk(x, 2)[0].exp(), f32(16, 16))
    assert [note for note in seen.stages["ir_post_fusion"].notes if "not generated" in note] == [
        "op0 (topk): a call into a library or an ATen kernel, not generated."
    ]
    assert "Not fused: op0 with op3" in seen.notes("ir_post_fusion")
    assert "aten.topk.default." in seen.notes("wrapper")


@pytest.mark.slow
def test_what_an_operation_in_place_changes_was_made_before_it() -> None:
    def add_rows(x, index):
        return torch.zeros(4, 8, device=x.device).index_add_(0, index, x)

    seen = look(add_rows, f32(6, 8), TensorSpec("i64", (6,)), last_stage="wrapper")
    assert [note.partition(":")[0] for note in seen.stages["ir_post_fusion"].notes[:2]] == [
        "op0 (full_default)",
        "op1 (index_put)",
    ]


def test_a_view_that_aten_makes_is_no_call_that_runs() -> None:
    def turn(x, factors):
        turned = torch.view_as_complex(x.view(8, 4, 2)) * factors
        return torch.view_as_real(turned).flatten(1) + 1

    seen = look(turn, f32(8, 8), TensorSpec("c64", (8, 4)), last_stage="wrapper")
    notes = seen.stages["ir_post_fusion"].notes
    assert sum("a view that ATen makes; no kernel runs" in note for note in notes) == 2
    assert seen.count("ir_post_fusion", "library_calls") == 1
    assert seen.count("wrapper", "extern_calls") == 1
    assert "aten.mul.Tensor." in seen.notes("wrapper")


@pytest.mark.slow
def test_a_copy_of_a_weight_and_a_bias_are_no_work_of_other_kernels() -> None:
    def convolve(x, first, second, bias):
        once = torch.nn.functional.conv2d(x, first)
        return torch.nn.functional.conv2d(torch.tanh(once) * 2, second, bias)

    given = f32(2, 4, 16, 16), f32(8, 4, 1, 1), f32(8, 8, 3, 3), f32(8)
    seen = look(convolve, *given)
    notes = seen.stages["ir_post_fusion"].notes
    assert any("a kernel that copies an input for a call to read" in note for note in notes)
    of_bias = [n for n in notes if "(convolution_1): a kernel of its own" in n]
    assert len(of_bias) == 1
    assert sum("tanh" in note for note in notes if "Not fused" not in note) == 1
