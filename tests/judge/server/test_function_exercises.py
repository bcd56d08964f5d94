"""Exercises of kind "function": plain Python on the CPU, texts for arguments, counts for answers."""

import re

import pytest
import torch
from course_answers import wrong_program
from judging import first_code, judged

from tutor.base import paths
from tutor.judge.cases.case_result import _is_constant
from tutor.judge.reports.verdict_text import format_verdict

SOLUTION = paths.course_root() / "kernels" / "fx_count_and_find" / "solution.py"
RETURN = "    return torch.tensor([nodes, folded, nodes - len(graph.nodes), common])\n"


def answered(judge, line: str):
    source = SOLUTION.read_text("utf-8")
    assert RETURN in source
    return judged(judge, source.replace(RETURN, line), "fx_count_and_find")


@pytest.mark.slow
def test_texts_are_arguments_and_nothing_is_captured_or_timed(judge):
    found = answered(judge, RETURN)
    assert found.passed
    assert found.device == "cpu"
    assert found.graph is None
    assert found.timing is None


def test_the_right_counts_in_the_wrong_places_are_wrong_values_not_strides(judge):
    found = answered(judge, RETURN.replace("[nodes, folded,", "[folded, nodes,"))
    assert not found.passed
    assert [d.code for d in found.diagnosis] == ["wrong-values"]


def test_counts_that_are_close_are_wrong_values_not_low_precision(judge):
    found = answered(judge, RETURN.replace("[nodes,", "[nodes + (nodes > 20),"))
    assert not found.passed
    assert first_code(found) == "wrong-values"


@pytest.mark.slow
def test_a_mistake_that_the_exercise_knows_is_named_with_its_case(judge):
    source = wrong_program("occupancy", "forgets_the_reserved_kib")
    found = judged(judge, source, "occupancy")
    assert [d.code for d in found.diagnosis] == ["wrong-values"]
    assert "1 KiB of shared memory that CUDA keeps" in found.diagnosis[0].message
    assert found.diagnosis[0].proof == "proven"


@pytest.mark.slow
def test_a_wrong_count_is_not_called_nearly_right(judge):
    found = answered(judge, RETURN.replace("[nodes,", "[nodes + (nodes > 20),"))
    assert "eps" not in found.diagnosis[0].message


@pytest.mark.slow
def test_one_element_of_a_strided_view_is_an_output_like_another(judge):
    source = wrong_program("strided_copy", "a_view_and_no_kernel")
    found = judged(
        judge, source, "strided_copy"
    )  # one element, stride 5: PyTorch calls it contiguous
    assert first_code(found) == "did-not-launch"
    assert len(found.cases) > 1


LOOP_END = "    return torch.cat([torch.stack(losses), w])\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "torch.stack(losses).tolist()",
        "losses[-1].numpy()",
        'w = w.to("cpu")',
        "known.nonzero()",
        "torch.unique(known)",
        "torch.equal(w, w)",
        "error[known] = error[known] * 1",
        "assert losses[-1] < 1e9",
    ],
)
def test_each_way_of_asking_for_a_number_is_counted_with_its_line(judge, line):
    solution = paths.course_root() / "kernels" / "remove_syncs" / "solution.py"
    source = solution.read_text("utf-8")
    assert LOOP_END in source
    above = source.index("    # The losses have been tensors")
    inside = f"        {line}\n"
    found = judged(judge, source[:above] + inside + source[above:], "remove_syncs")
    assert [case.name for case in found.cases if not case.passed] == []
    assert first_code(found) == "too-many-syncs"
    number = source[:above].count("\n") + 1
    assert f"line {number} " in found.diagnosis[0].message
    assert found.diagnosis[0].line == number


def test_a_wrong_constant_has_its_line(judge):
    source = (paths.course_root() / "kernels" / "bank_conflicts" / "solution.py").read_text("utf-8")
    line = next(i for i, row in enumerate(source.splitlines(), 1) if row.startswith("PITCH"))
    found = judged(judge, re.sub(r"(?m)^PITCH = \d+", "PITCH = 34", source), "bank_conflicts")
    assert (first_code(found), found.diagnosis[0].line) == ("wrong-values", line)


@pytest.mark.slow
def test_writing_one_number_where_a_mask_is_true_asks_for_nothing(judge):
    solution = paths.course_root() / "kernels" / "remove_syncs" / "solution.py"
    source = solution.read_text("utf-8")
    above = source.index("    # The losses have been tensors")
    inside = "        error[~known] = 0.0\n"
    assert judged(judge, source[:above] + inside + source[above:], "remove_syncs").passed


def test_an_output_without_elements_is_compared_as_another_one_is():
    for shape in ((0,), (0, 2), (3, 0)):
        assert _is_constant(torch.empty(shape))
    assert not _is_constant(torch.tensor([[1, 1], [1, 2]]))


@pytest.mark.slow
def test_a_right_answer_has_the_figures_that_its_exercise_counts(judge):
    folder = paths.course_root() / "kernels" / "fold_pass"
    found = judged(judge, (folder / "solution.py").read_text("utf-8"), "fold_pass")
    assert found.figures["batch norms of a bottleneck"] == "3 before, 0 after"
    assert "  batch norms of a bottleneck: 3 before, 0 after" in format_verdict(found)
    wrong = wrong_program("fold_pass", "keeps_unused_modules")
    assert judged(judge, wrong, "fold_pass").figures == {}


@pytest.mark.slow
def test_a_policy_has_a_chart_right_or_wrong_but_not_where_it_is_refused(judge):
    folder = paths.course_root() / "kernels" / "continuous_batching"
    found = judged(judge, (folder / "solution.py").read_text("utf-8"), "continuous_batching")
    assert found.figures["steps"] == "1291 (plain policy: 1291)"
    assert found.chart.label == "steps"
    assert {row for row, *_ in found.chart.spans} == {f"r{n}" for n in range(10)}
    slow = judged(
        judge, wrong_program("continuous_batching", "one_at_a_time"), "continuous_batching"
    )
    assert slow.chart.title == found.chart.title
    assert max(end for _, _, end, _ in slow.chart.spans) > 60
    assert "“ten at once” (10 requests): it takes" in slow.diagnosis[0].message
    broken = judged(
        judge, wrong_program("continuous_batching", "forgets_the_blocks"), "continuous_batching"
    )
    assert broken.chart is None
    assert "blocks, and" in broken.diagnosis[0].message
