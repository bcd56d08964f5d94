"""What this course's exercises hold beyond the rules of `tutor content check`."""

import ast
import contextlib
import importlib.util
import re
from types import ModuleType

import pytest
import torch

from tutor.authoring.exercise_check import exercise_warnings
from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.cases.reference import load_reference, to_double
from tutor.judge.repair.edits import Program
from tutor.judge.repair.known_edits import find_known_edit
from tutor.judge.repair.search import Repair
from tutor.judge.repair.trees import read_program

ALL = open_course().exercises()
# Those whose answers are programs; the others' answers are lists of cases.
EXERCISES = {slug: exercise for slug, exercise in ALL.items() if exercise.kind != "cases"}
SIZES_TOO = ("strided_copy",)  # its answers, 12 and 32, are also the bytes of a step and a sector
READ_BY_STRIDES = ("int8_kv_attention",)  # PyTorch may copy nothing, so all strides are read
FEWEST_RIGHT = 3  # right answers of other styles
WIDTH = 74  # columns of code beside the editor's numbers, where a screen has 80
LONGER = 125  # starters with a longer line, all of before Week 8; there may be fewer


def reference(slug: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"reference_{slug}", EXERCISES[slug].reference)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_exercise_is_warned_of():
    assert EXERCISES
    warned = [str(fault) for e in ALL.values() for fault in exercise_warnings(e)]
    assert warned == []


def test_no_more_starters_are_cut_in_a_small_lab():
    longest = {
        slug: max(map(len, exercise.starter.read_text("utf-8").splitlines()))
        for slug, exercise in ALL.items()
    }
    longer = [slug for slug, columns in longest.items() if columns > WIDTH]
    assert len(longer) <= LONGER, longer
    assert [slug for slug in longer if 50 <= ALL[slug].day <= 56] == []


def test_what_an_exercise_says_of_wrong_numbers_asks_nothing():
    asked = []
    for slug, exercise in EXERCISES.items():
        for node in ast.parse(exercise.reference.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == "explain_wrong":
                texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
                asked += [(slug, text) for text in texts if isinstance(text, str) and "?" in text]
    assert asked == []


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["add_and_square", "dependence_vectors", "tail"])
def test_a_mistake_with_a_sentence_is_known_by_it(slug):
    solution = EXERCISES[slug].solution.read_text("utf-8")
    answers = read_wrong_answers(EXERCISES[slug].folder)
    told = [answer for answer in answers if answer.says]
    assert len(told) >= 5
    for answer in told:
        repair = Repair(Program(read_program(answer.code)), (), solution)
        known = find_known_edit(repair, solution, answers)
        assert known is not None
        assert known.says == answer.says


def test_every_exercise_has_right_answers_of_other_styles():
    assert [e.slug for e in EXERCISES.values() if len(e.right) < FEWEST_RIGHT] == []


def test_where_inputs_are_tensors_some_case_has_a_view_unless_the_task_excludes_it():
    without = []
    for slug, exercise in EXERCISES.items():
        if exercise.kind in ("pass", "graph") or slug == "tune_matmul":  # these see no tensor
            continue
        cases = reference(slug).CASES
        args = [a for case in cases for a in case.make(torch.Generator().manual_seed(3))]
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        if tensors and all(t.is_contiguous() for t in tensors):
            without += [slug] if "contiguous" not in exercise.task else []
    assert without == []


def test_a_tensor_that_may_be_a_view_is_the_only_view_in_some_case():
    """Else a program that asks one tensor alone whether it is contiguous is right in every case."""
    never = {}
    for slug, exercise in EXERCISES.items():
        if exercise.kind != "kernel" or slug in READ_BY_STRIDES:
            continue
        views = [
            [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and not a.is_contiguous()]
            for case in reference(slug).CASES
            for args in [case.make(torch.Generator().manual_seed(3))]
        ]
        alone = {each[0] for each in views if len(each) == 1}
        if missing := {i for each in views for i in each} - alone:
            never[slug] = missing
    assert never == {}


def test_mistakes_of_all_exercises_together_are_of_many_kinds():
    answers = [answer for e in EXERCISES.values() for answer in read_wrong_answers(e.folder)]
    assert len({answer.expect for answer in answers}) >= 14


@pytest.mark.parametrize(
    ("constants", "right"),
    [
        ({"PREDICTED_SPEEDUP": 3.0}, True),
        ({"PREDICTED_SPEEDUP": 3}, True),
        ({"PREDICTED_SPEEDUP": 1.0}, False),
        ({"PREDICTED_SPEEDUP": 9}, False),
        ({"PREDICTED_SPEEDUP": float("nan")}, False),
        ({"PREDICTED_SPEEDUP": True}, False),
        ({"PREDICTED_SPEEDUP": "3.0"}, False),
        ({}, False),
    ],
)
def test_the_prediction_of_fused_chain_is_checked_against_the_bytes(constants, right):
    said = reference("fused_chain").check_module(constants)
    assert (said is None) == right
    assert said is None or (said.endswith(".") and "PREDICTED_SPEEDUP" in said)


def test_what_is_said_of_a_wrong_number_does_not_tell_the_right_one():
    told, checked = [], 0
    for slug, exercise in EXERCISES.items():
        check = getattr(reference(slug), "check_module", None)
        right = _numbers(exercise.solution.read_text("utf-8")) if check else {}
        for name, number in right.items():
            for wrong in (number + 1, 2 * number + 1):
                said = check({**right, name: wrong}) or ""
                checked += said.startswith(name)
                if slug in SIZES_TOO:
                    continue
                if re.search(rf"(?<![\d.,]){number:g}(?![\d.,]*\d)", said):
                    told.append((slug, said))
    assert told == []
    assert checked > 20


def _numbers(solution: str) -> dict[str, float]:
    """The numbers at the top level of a program that need nothing else of it."""
    values: dict[str, object] = {}
    for node in ast.parse(solution).body:
        if isinstance(node, ast.Assign):
            with contextlib.suppress(NameError):
                exec(compile(ast.Module([node], []), "solution", "exec"), values)
    return {k: v for k, v in values.items() if isinstance(v, int | float)}


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        (lambda blocks: [blocks[0::3].sum(), blocks[1::3].sum(), blocks[2::3].sum()], ""),
        (lambda blocks: [blocks[p:].sum() for p in range(3)], "from its first one to the end"),
        (lambda blocks: blocks[:3], "its first block alone"),
        (lambda blocks: [blocks[6], blocks[7], blocks[5]], "its last block alone"),
        (lambda blocks: [blocks[p::6].sum() for p in range(3)], "every second of its blocks"),
        (lambda blocks: [blocks[0], blocks[1], blocks[7]], ""),
    ],
)
def test_sums_by_a_wrong_step_are_known(sums, words):
    x = 1 + torch.arange(8 * 256).float() ** 0.5
    got = torch.stack(list(sums(x.view(8, 256).sum(1))))
    known = load_reference(EXERCISES["grid_stride_sum"].reference)
    args = to_double((x, 3))
    found = known.misses(got, known.truth(*args), args)
    assert len(found) == bool(words)
    assert words in " ".join(found)


@pytest.mark.parametrize(
    ("places", "words"), [(1, "the first of"), (16, "the first 16 of"), (32, "")]
)
def test_a_sum_of_some_partial_sums_is_known(places, words):
    x = 1 + torch.arange(40 * 256).float() ** 0.5
    partial = torch.nn.functional.pad(x, (0, 24 * 256)).view(2, 32, 256).sum((0, 2))
    module = reference("two_stage_sum")
    said = module.explain_wrong(partial[:places].sum(), x)
    assert (words in said) if words else said is None


@pytest.mark.parametrize(("columns", "lanes"), [(1500, 2048), (1300, 1536), (1, 64), (1500, 1500)])
def test_moments_over_lanes_past_the_end_are_known(columns, lanes):
    x = 5 + torch.arange(3 * columns).view(3, columns) / columns
    padded = torch.nn.functional.pad(x, (0, lanes - columns))
    got = torch.stack([padded.mean(-1), padded.var(-1, correction=0)], dim=1)
    known = load_reference(EXERCISES["reduction_kernels"].reference)
    args = to_double((x,))
    found = known.misses(got, known.truth(*args), args)
    assert found == (() if lanes == columns else ("lanes past the end of a row count as zeros",))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_cause_is_named_of_an_output_that_is_nothing_but_nan_or_infinite(number):
    """Many mistakes give it. Where it is the result of one, that is a near miss, which is proven."""
    guessed = []
    for slug, exercise in EXERCISES.items():
        module = reference(slug)
        explain = getattr(module, "explain_wrong", None)
        if explain is None or exercise.kind != "kernel":
            continue
        for case in module.CASES[:4]:
            args = case.make(torch.Generator().manual_seed(3))
            got = torch.full_like(module.eager(*args).float(), number)
            guessed += [(slug, said)] if (said := explain(got, *args)) else []
    assert not [(slug, said) for slug, said in guessed if slug != "seeded_dropout"]
    assert all("should be dropped" in said or "right elements" in said for _, said in guessed)
