"""The whole difference to a right program, in the learner's names, is that program; one part of it may
be enough."""

import ast

import pytest

from tutor.course.catalog.course import open_course
from tutor.judge.repair.differences import Differ, all_edits, closure, find_hunks
from tutor.judge.repair.edits import Program
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.names import adopt_names
from tutor.judge.repair.right_answers import MOST_ANSWERS, compare_answers, read_answers
from tutor.judge.repair.trees import expression, read_program

SLUGS = ("row_sum", "bias_gelu", "flash_1d", "dead_code", "fused_chain", "two_stage_sum")

MINE = """
@triton.jit
def my_kernel(src, dst, count, SIZE: tl.constexpr):
    lane = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(src + lane)
    tl.store(dst + lane, value, mask=lane < count)

def copy(t):
    result = torch.empty_like(t)
    my_kernel[(triton.cdiv(t.numel(), 64),)](t, result, t.numel(), SIZE=64)
    return result
"""
THEIRS = """
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x, mask=inside)

def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    copy_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
"""


def test_names_are_paired_by_what_they_do() -> None:
    text = ast.unparse(adopt_names(read_program(MINE), read_program(THEIRS)))
    assert "def my_kernel(src, dst, count, SIZE: tl.constexpr):" in text
    assert "value = tl.load(src + lane, mask=inside)" in text
    assert "my_kernel[triton.cdiv(n, 64),](src=t, dst=result, count=n, SIZE=64)" in text


def test_parameters_that_nobody_reads_are_paired_by_their_places() -> None:
    mine = read_program("def count(values, limits):\n    return len(values)\n")
    theirs = read_program("def count(values, machine):\n    return min(len(values), machine)\n")
    assert ast.unparse(adopt_names(mine, theirs)).startswith("def count(values, limits):")


def test_parameters_keep_their_places_where_a_launch_hands_over_by_place() -> None:
    head = "@triton.jit\ndef k({}, B: tl.constexpr):\n    {}\n\ndef f(x):\n    k[(1,)]({}, B=1)\n"
    mine = read_program(head.format("a", "tl.store(a, B)", "x"))
    theirs = read_program(head.format("z, w", "z.store(w.load() + B)", "*[x, x]"))
    assert ast.unparse(adopt_names(mine, theirs)).splitlines()[1].endswith("B: tl.constexpr):")


def test_texts_that_name_parameters_are_renamed_and_methods_are_not() -> None:
    kernel = (
        "@triton.autotune([triton.Config({{'{1}': 64}})], key=['{0}'])\n@triton.jit\n"
        "def k(p, {0}, {1}: tl.constexpr):\n    tl.store(p + tl.arange(0, {1}), {0})\n\n"
        "def f(x):\n    k[lambda meta: (x.numel() // meta['{1}'],)](x, x.numel())\n"
    )
    mine = read_program(kernel.format("n", "BLOCK") + "def part(h):\n    return h + 1\n")
    theirs = kernel.format("size", "B") + "class A:\n    def forward(h):\n        return h + 1\n"
    text = ast.unparse(adopt_names(mine, read_program(theirs)))
    assert "Config({'BLOCK': 64})], key=['n']" in text
    assert "meta['BLOCK']" in text
    assert "def forward(h)" in text


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_all_hunks_together_make_the_other_program(slug: str) -> None:
    exercise = open_course().exercise(slug)
    answers = read_answers((exercise.solution, *exercise.right))
    for _, text in answers:
        mine = read_program(text)
        for other in compare_answers(mine, answers, Likeness()):
            made = Program(mine).after(all_edits(other.hunks))
            left = find_hunks(read_program(made), other.tree, Likeness())
            assert not left, f"{slug}: {[h.weight for h in left]} left of {other.name}"


def test_a_hunk_brings_along_what_it_reads() -> None:
    mine = read_program(MINE)
    theirs = adopt_names(mine, read_program(THEIRS))
    hunks = find_hunks(mine, theirs, Likeness())
    masked = next(h for h in hunks if "inside" in h.needs)
    text = Program(mine).after(all_edits(closure([masked], hunks)))
    assert "inside = lane < count" in text
    assert "mask=inside" in text


@pytest.mark.parametrize(
    ("mine", "theirs", "changed"),
    [
        ("a + b * c", "b * d + a", [("c", "d")]),  # terms in another order are no difference
        ("f(a, axis=1)", "f(a, axis=0)", [("1", "0")]),
        ("a < b", "a <= b", [("a < b", "a <= b")]),
        ("a - b", "b - a", [("a", "b"), ("b", "a")]),
        ("f(a)", "f(a, mask=m)", [("f(a)", "f(a, mask=m)")]),
        ("(a < n) & (b < m)", "(b < m) & (a < n)", []),
    ],
)
def test_differences_are_as_small_as_they_can_be(
    mine: str, theirs: str, changed: list[tuple[str, str]]
) -> None:
    edits = Differ(Likeness()).edits(expression(mine), expression(theirs))
    assert [(ast.unparse(e.target), ast.unparse(e.new)) for e in edits] == changed


def test_an_assignment_lacks_its_sign_and_keeps_its_value() -> None:
    mine, theirs = (ast.parse(text).body[0] for text in ("a = f(b)", "a += g(b)"))
    edits = Differ(Likeness()).edits(mine, theirs)
    assert [ast.unparse(edit.new) for edit in edits] == ["a += f(b)", "g"]


def test_only_the_likest_answers_are_compared() -> None:
    far = [(f"far{i}", f"def copy(x):\n    return other{i}(x) + {i}\n") for i in range(9)]
    compared = compare_answers(read_program(MINE), [*far, ("near", THEIRS)], Likeness())
    assert len(compared) == MOST_ANSWERS
    assert "near" in [answer.name for answer in compared]
