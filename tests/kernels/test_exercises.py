"""What the course reader does not check of `kernels/`: that the files of an exercise agree."""

import ast
import importlib.util
import itertools
import re
import types
from pathlib import Path

import pytest
import torch

from tutor.base.paths import course_root
from tutor.course.model import Exercise
from tutor.course.reading.exercise import read_exercise
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge.comparison.compare import compare_output, default_scale
from tutor.judge.spec import Case

pytestmark = pytest.mark.slow

FOLDERS = sorted(path.parent for path in course_root().glob("kernels/*/exercise.toml"))
WRONG = [(folder, answer) for folder in FOLDERS for answer in read_wrong_answers(folder)]

# The codes that a diagnosis can carry.
CODES = frozenset(
    (
        "compile-error",
        "import-error",
        "wrong-signature",
        "wrong-shape",
        "wrong-dtype",
        "wrong-device",
        "wrong-values",
        "missing-mask",
        "out-of-bounds-load",
        "out-of-bounds-store",
        "race",
        "output-not-written",
        "wrong-program-id",
        "wrong-stride",
        "hard-coded-size",
        "unstable-numerics",
        "low-precision",
        "nan-handling",
        "input-modified",
        "did-not-launch",
        "stale-output",
        "wrong-stream",
        "tampering",
        "too-many-resources",
        "graph-break",
        "recompiles",
        "wrong-graph",
        "too-much-traffic",
        "too-few-programs",
        "no-tensor-cores",
        "too-many-syncs",
        "timeout",
        "crash",
        "out-of-memory",
        "too-much-output",
        "too-many-processes",
        "not-interpretable",
    )
)

each_exercise = pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
each_wrong = pytest.mark.parametrize(
    ("folder", "answer"), WRONG, ids=[f"{f.name}-{answer.name}" for f, answer in WRONG]
)


def program(code: str) -> str:
    """A program without comments and layout: two that differ only there are equal."""
    return ast.dump(ast.parse(code))


def function(code: str, name: str) -> ast.FunctionDef:
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise AssertionError(f"no function {name} is defined")


def parameters(node: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in node.args.args]


def reference(folder: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(
        f"reference_{folder.name}", folder / "reference.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(case: Case, seed: int) -> tuple[torch.Tensor, ...]:
    """The case's tensors; plain arguments are left out."""
    args = case.make(torch.Generator().manual_seed(seed))
    return tuple(a for a in args if isinstance(a, torch.Tensor))


def test_there_are_exercises():
    assert FOLDERS
    assert WRONG


@each_exercise
def test_the_starter_is_not_the_solution(folder):
    starter, solution = (
        (folder / name).read_text("utf-8") for name in ("starter.py", "solution.py")
    )
    assert program(starter) != program(solution)


@each_exercise
def test_the_comments_of_a_starter_fit_half_of_a_screen_of_120_columns(folder):
    lines = (folder / "starter.py").read_text("utf-8").splitlines()
    assert not [line for line in lines if line.lstrip().startswith("#") and len(line) > 55]


@each_exercise
def test_starter_and_solution_have_the_signature_that_the_task_names(folder):
    exercise: Exercise = read_exercise(folder)
    signature = ast.parse(f"def {exercise.entry}: pass").body[0]
    assert isinstance(signature, ast.FunctionDef)
    for path in (exercise.starter, exercise.solution):
        assert parameters(function(path.read_text("utf-8"), exercise.entry_name)) == parameters(
            signature
        )


@each_exercise
def test_the_solution_explains_itself(folder):
    lines = (folder / "solution.py").read_text("utf-8").splitlines()
    assert any(line.lstrip().startswith("# ") for line in lines)


@each_wrong
def test_a_wrong_answer_parses_and_names_a_known_code(folder, answer):
    exercise = read_exercise(folder)
    assert answer.expect in CODES
    entry = function(answer.code, exercise.entry_name)
    if answer.expect != "wrong-signature":
        solution = function(exercise.solution.read_text("utf-8"), exercise.entry_name)
        assert parameters(entry) == parameters(solution)


@each_exercise
def test_wrong_answers_are_five_or_more_and_all_different(folder):
    answers = {answer.name: answer.code for answer in read_wrong_answers(folder)}
    assert len(answers) >= 5
    answers["the solution"] = (folder / "solution.py").read_text("utf-8")
    for one, other in itertools.combinations(answers, 2):
        assert program(answers[one]) != program(answers[other]), f"{one} is {other}"


@each_exercise
def test_a_wrong_answer_does_not_say_what_is_wrong_with_it(folder):
    """A learner's own file would not."""
    for answer in read_wrong_answers(folder):
        assert answer.expect not in answer.code, answer.name


@each_exercise
def test_cases_have_names_of_their_own_and_come_again_from_their_seed(folder):
    cases = reference(folder).CASES
    assert len(cases) >= 6
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        for first, again in zip(made(case, 7), made(case, 7), strict=True):
            assert first.stride() == again.stride()
            assert torch.equal(first.nan_to_num(1e30), again.nan_to_num(1e30)), case.name


# The exercises before views are explained, and one of two axes: their tasks promise contiguous inputs.
CONTIGUOUS = (
    "add_and_square",
    "add_ten",
    "add_ten_blocks",
    "autotuned",
    "batched_dot",
    "epilogue",
    "flash_1d",
    "flash_backward",
    "flash_fp16",
    "fp16_accumulate",
    "fuse_by_hand",
    "gemm_grouped",
    "grid_stride_sum",
    "grouped_order",
    "index_2d",
    "masked_tail",
    "matmul_tiled",
    "online_max",
    "outer_sum",
    "running_total",
    "seeded_dropout",
    "split_k",
    "strided_copy",
    "tail",
    "two_stage_sum",
    "vector_add",
)


@each_exercise
def test_where_inputs_are_tensors_some_case_has_a_view_unless_the_task_excludes_it(folder):
    tensors = [t for case in reference(folder).CASES for t in made(case, 3)]
    views = any(not t.is_contiguous() for t in tensors)
    assert not tensors or views == (folder.name not in CONTIGUOUS)
    assert views or not tensors or "contiguous" in read_exercise(folder).task


@each_exercise
def test_pytorch_itself_is_within_the_bound_and_zeros_are_not(folder):
    """The yardstick measures: eager passes without help from its own error, zeros do not pass."""
    module = reference(folder)
    passed_by_zeros = 0
    for seed, case in enumerate(module.CASES):
        args = case.make(torch.Generator().manual_seed(seed))
        exact = tuple(
            a.double() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args
        )
        want, eager = module.reference(*exact), module.eager(*args)
        scale = module.scale(*exact) if hasattr(module, "scale") else default_scale(want)
        assert eager.shape == want.shape
        # torch 2.13's GELU gives NaN for +inf where it uses AVX-512 (and inf where it does not).
        eager = torch.where(torch.isnan(eager) & torch.isinf(want), want.to(eager.dtype), eager)
        assert compare_output(eager, want, scale, None).passed, case.name
        passed_by_zeros += compare_output(torch.zeros_like(eager), want, scale, eager).passed
    assert passed_by_zeros < len(module.CASES) / 4


READ_IN_PART = ("strided_copy",)  # its work is what is used, and not every element is


@each_exercise
def test_work_counts_at_least_every_input_byte(folder):
    module = reference(folder)
    for case in module.CASES:
        args = case.make(torch.Generator().manual_seed(1))
        work = module.work(*args)
        read = sum(a.numel() * a.element_size() for a in args if isinstance(a, torch.Tensor))
        assert work.bytes > read or folder.name in READ_IN_PART
        assert work.flops >= 0


def test_mistakes_of_all_exercises_together_are_of_many_kinds():
    assert len({answer.expect for _, answer in WRONG}) >= 14


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
    said = reference(course_root() / "kernels" / "fused_chain").check_module(constants)
    assert (said is None) == right
    assert said is None or (said.endswith(".") and "PREDICTED_SPEEDUP" in said)


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
    said = reference(course_root() / "kernels" / "grid_stride_sum").explain_wrong(got, x, 3)
    assert (words in said) if words else said is None


@pytest.mark.parametrize(
    ("places", "words"), [(1, "the first of"), (16, "the first 16 of"), (32, "")]
)
def test_a_sum_of_some_partial_sums_is_known(places, words):
    x = 1 + torch.arange(40 * 256).float() ** 0.5
    partial = torch.nn.functional.pad(x, (0, 24 * 256)).view(2, 32, 256).sum((0, 2))
    module = reference(course_root() / "kernels" / "two_stage_sum")
    said = module.explain_wrong(partial[:places].sum(), x)
    assert (words in said) if words else said is None


@pytest.mark.parametrize(("columns", "lanes"), [(1500, 2048), (1300, 1536), (1, 64), (1500, 1500)])
def test_a_mean_over_lanes_past_the_end_is_known(columns, lanes):
    x = 5 + torch.arange(3 * columns).view(3, columns) / columns
    got = torch.stack([x.sum(-1) / lanes, x.var(-1, correction=0)], dim=1)
    said = reference(course_root() / "kernels" / "reduction_kernels").explain_wrong(got, x)
    assert said is None if lanes == columns else f"that of {lanes} numbers" in said


@each_exercise
def test_sentences_of_a_verdict_have_no_asterisks_around_a_word(folder):
    """A verdict shows code between backticks; other Markdown it prints as it is written."""
    texts = (
        node.value
        for node in ast.walk(ast.parse((folder / "reference.py").read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    assert not [text for text in texts if re.search(r"\*[a-z][a-z ]*\*", text)]
