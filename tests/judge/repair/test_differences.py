"""The whole difference to a right program, in the learner's names, is that program; one part of it may
be enough."""

import ast
from typing import Any

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


ACTS_IN_ORDER = (  # each calls a function where the module is loaded
    "done = []\ndef note(x):\n    done.append(x + 1)\nnote(1)\n"
    "def answer(x):\n    return done[-1] + x\n",
    "def double(y):\n    return 2 * y\nkept = [double(3)]\n"
    "def answer(x):\n    return kept[-1] + x\n",
)
CAPTURES = (
    "def answer(x):\n    first = [x, 2]\n    total = first[0] * first[1]\n    return total\n",
    "def answer(x):\n    match [x, 2]:\n        case [found, last]:\n"
    "            found = last * found\n    return found\n",
)
READS_WHAT_I_BIND = (
    "def answer(x):\n    score = [x, 3]\n    return max(score) + 1\n",
    "def answer(x):\n    def score(each):\n        return each + 1\n"
    "    rows = [x, 3]\n    return max(rows) + score(x)\n",
)
CALLED_BY_NAME = (
    "def part(width, size):\n    return width - size\ndef answer(x):\n    return part(x, 1)\n",
    "def part(wide, off):\n    return wide - 2 * off\ndef answer(x):\n    return part(off=1, wide=x)\n",
)


@pytest.mark.parametrize("programs", [ACTS_IN_ORDER, CAPTURES, READS_WHAT_I_BIND, CALLED_BY_NAME])
def test_a_program_in_other_names_gives_what_it_gave(programs: tuple[str, str]) -> None:
    def run(text: str) -> object:
        names: dict[str, Any] = {}
        exec(text, names)
        return names["answer"](7)

    for mine, theirs in (programs, programs[::-1]):
        program = Program(read_program(mine))
        (answer,) = compare_answers(program.tree, [("theirs", theirs)], Likeness())
        assert run(program.after(all_edits(answer.hunks))) == run(theirs)


def test_what_pytorch_reads_of_a_function_keeps_its_types_and_names() -> None:
    head = "from torch.library import custom_op\n"
    mine = (
        "def keep(ctx, given, made):\n    ctx.kept = given\n"
        "def op(x):\n    return x\ncustom_op('t::op', mutates_args=())(op)\n"
    )
    theirs = (
        "@custom_op('t::op', mutates_args=())\ndef op(x: Tensor) -> Tensor:\n    return x + 1\n"
        "def keep(ctx, inputs, output):\n    ctx.kept = inputs\n"
        "op.register_autograd(keep, setup_context=keep)\n"
    )
    program = Program(read_program(head + mine))
    (answer,) = compare_answers(program.tree, [("theirs", head + theirs)], Likeness())
    text = program.after(all_edits(answer.hunks))
    assert "def op(x: Tensor) -> Tensor:" in text
    assert "def keep(ctx, inputs, output):" in text
    assert "(op)" not in text, "what is gone would define the operator twice"


def test_a_grid_and_strides_of_an_autotuned_launch_keep_their_sense() -> None:
    kernel = (
        "@triton.autotune([triton.Config({{'{0}': 64}})], key=['n'])\n@triton.jit\n"
        "def k(p, n, s, t, {0}: tl.constexpr):\n    tl.store(p + tl.arange(0, {0}) * s, n * t)\n"
        "def f(x):\n    def grid(meta):\n        return (triton.cdiv(x.numel(), meta['{0}']),)\n"
        "    k[grid](x, x.numel(), *x.stride())\n"
    )
    mine, theirs = read_program(kernel.format("BLOCK")), read_program(kernel.format("WIDE"))
    assert "k[grid](p=x, n=x.numel(), s=x.stride(0), t=x.stride(1))" in ast.unparse(mine)
    assert ast.unparse(adopt_names(mine, theirs)) == ast.unparse(mine)
