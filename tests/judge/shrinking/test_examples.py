"""The smallest wrong example of a refused program, as a caller of the judge gets it."""

import pytest
import torch
from judging import RIGHT, judged

from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import wrong_answer
from tutor.judge.client import Submission
from tutor.judge.model.access_map import EXAMPLE
from tutor.judge.model.verdict import Diagnosis, Verdict, WrongExample, to_json, verdict_from_json
from tutor.judge.reports.example_text import write_value
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_document import write_document
from tutor.judge.reports.verdict_text import draw_lines
from tutor.judge.shrinking.shown_values import restore_inputs, show_value


def example_of(judge, exercise: str, wrong: str) -> WrongExample:
    code = wrong_answer(open_course().exercise(exercise).solution.parent, wrong).code
    example = judged(judge, code, exercise, explain=True, seed=7).example
    assert example is not None
    return example


def numbers(example: WrongExample) -> list[object]:
    return [shown.values for shown in example.inputs]


@pytest.mark.slow
def test_two_elements_show_a_wrong_formula(judge) -> None:
    example = example_of(judge, "row_sum", "mean")
    assert [shown.spec for shown in example.inputs] == ["f32[1,2]"]
    assert numbers(example) == [(1.0, 1.0)]
    assert (example.got.values, example.want.values) == ((1.0,), (2.0,))
    assert not example.block
    assert not example.fault


@pytest.mark.slow
def test_a_smaller_block_shows_what_only_many_elements_would(judge) -> None:
    example = example_of(judge, "row_sum", "set_to_zero_in_the_loop")
    assert example.block == "BLOCK = 4 for 1024"
    assert numbers(example) == [(1.0,) * 5]
    assert (example.mismatch.got, example.mismatch.want) == (1.0, 5.0)


@pytest.mark.slow
def test_the_example_keeps_what_the_task_promises(judge) -> None:
    example = example_of(judge, "chunked_prefill", "chunks_leave_zeros_out")
    (prompt, decodes, budget) = (shown for shown in example.inputs)
    room = sum(int(budget.spec) - busy for busy in decodes.values)
    assert 1 <= int(prompt.spec) <= room, "the steps of `decodes` suffice"


@pytest.mark.slow
def test_an_access_outside_is_shown_with_its_element(judge) -> None:
    example = example_of(judge, "vector_add", "no_mask")
    assert [shown.spec for shown in example.inputs] == ["f32[1]", "f32[1]"]
    assert example.fault == "a load reaches element 1 of `x_ptr`, which has 1"
    assert example.mismatch is None


@pytest.mark.slow
def test_the_example_is_wrong_by_the_access_that_the_verdict_names(judge) -> None:
    code = wrong_answer(
        open_course().exercise("tiled_matmul").solution.parent, "strides_of_b_exchanged"
    ).code
    verdict = judged(judge, code, "tiled_matmul", explain=True, seed=7)
    said = next(d.message for d in verdict.diagnosis if d.proof == "observed")
    assert said.startswith("A load reaches element 29 of `b_ptr`")
    assert said.endswith("The load is in line 25.")
    assert verdict.example.fault.startswith("a load reaches element ")
    assert " of `b_ptr`, which has " in verdict.example.fault


def test_a_right_answer_has_none_and_an_old_record_opens(judge) -> None:
    verdict = judged(judge, RIGHT)
    assert verdict.passed
    assert verdict.example is None
    record = to_json(verdict)
    del record["example"]
    assert verdict_from_json(record).example is None


@pytest.mark.slow
def test_it_stands_before_the_causes(judge) -> None:
    code = wrong_answer(open_course().exercise("row_sum").solution.parent, "mean").code
    verdict = judged(judge, code, "row_sum", explain=True, seed=7)
    report = Report(source=code).after(verdict)
    lines = draw_lines(write_document(report), plain=True, verbose=False)
    first = lines.index("  x = [[1, 1]]")
    assert "Small enough to trace by hand" in lines[first - 1]
    assert lines[first + 1] == "  first wrong element [0]: got 1, want 2"
    assert first < min(
        n for n, line in enumerate(lines) if verdict.diagnosis[0].message[:20] in line
    )
    assert verdict_from_json(to_json(verdict)) == verdict


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_seed_gives_the_same_example(judge, seed: int) -> None:
    code = wrong_answer(open_course().exercise("flash_1d").solution.parent, "not_divided").code
    first, again = (
        judged(judge, code, "flash_1d", explain=True, seed=seed).example for _ in range(2)
    )
    assert first == again


@pytest.mark.slow
def test_the_access_map_of_the_example(judge) -> None:
    code = wrong_answer(
        open_course().exercise("row_sum").solution.parent, "set_to_zero_in_the_loop"
    ).code
    example = judged(judge, code, "row_sum", explain=True, seed=7).example
    access = judge.access("row_sum", code, "row_sum.py", example=example)
    assert access.case == access.cases[0] == EXAMPLE
    (launch,) = access.launches
    assert [step.on for step in launch.programs[0].steps] == [4, 1, 1]  # BLOCK = 4 for 1024
    assert EXAMPLE not in judge.access("row_sum", code, "row_sum.py").cases
    other = judge.access("row_sum", code, "row_sum.py", "one row", example)
    assert other.case == "one row"


@pytest.mark.parametrize(
    ("dtype", "number", "text"),
    [
        (torch.float32, 0.1, "0.1"),
        (torch.float32, 5.4999995, "5.4999995"),
        (torch.float16, 0.33325195, "0.3333"),
        (torch.bfloat16, 0.71484375, "0.7148"),
        (torch.float64, 0.1 + 0.2, "0.30000000000000004"),
        (torch.float32, 3.4028234663852886e38, "3.4028235e+38"),
        (torch.int32, 123456, "123456"),
        (torch.float32, float("inf"), "inf"),
    ],
)
def test_a_number_of_an_input_has_the_digits_that_it_takes(dtype, number, text: str) -> None:
    """Who computes with `5.5` in the place of 5.4999995 rounds it the other way."""
    tensor = torch.tensor([number], dtype=dtype)
    (line,) = write_value(show_value("x", tensor), 1)
    assert line == f"x = [{text}]"
    assert torch.tensor([float(text)], dtype=torch.float64).to(dtype).equal(tensor)


def test_numbers_whose_digits_have_no_room_are_said_to_be_rounded() -> None:
    shown = show_value("x", torch.arange(6.0).reshape(1, 6) / 7)
    (line,) = write_value(shown, 1)
    assert line == "x = [[     0, 0.1429, 0.2857, 0.4286, 0.5714, 0.7143]]   rounded"


def test_a_view_is_shown_and_made_again_with_its_strides() -> None:
    view = torch.arange(12.0).reshape(3, 4)[:, ::2]
    shown = show_value("x", view)
    example = WrongExample("a view", (shown, show_value("eps", 1e-05), show_value("flag", True)))
    x, eps, flag = restore_inputs(example)
    assert (x.tolist(), x.stride(), eps, flag) == (view.tolist(), view.stride(), 1e-05, True)
    assert write_value(shown, 1) == [
        "x = [[ 0,  2],",
        "     [ 4,  6],",
        "     [ 8, 10]]   strides 4, 2",
    ]
    many = show_value("x", torch.zeros(65))
    assert restore_inputs(WrongExample("many", (many,))) is None
    assert write_value(many, 1) == ["x = f32[65]"]


def test_a_search_that_is_stopped_leaves_the_verdict(judge) -> None:
    code = wrong_answer(
        open_course().exercise("flash_attention").solution.parent, "not_divided_by_the_sum"
    )
    submission = Submission(
        "flash_attention", code.code, "f.py", timing=False, seed=7, explain=True
    )
    verdict = None
    for event in judge.submit(submission):
        if isinstance(event, Diagnosis):
            judge.cancel()  # while the search begins
        verdict = event
    assert isinstance(verdict, Verdict)
    assert not verdict.passed
    assert verdict.cases
    assert verdict.diagnosis[0].code != "cancelled"
    assert verdict.example is None
