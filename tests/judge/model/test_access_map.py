"""The access map: real kernels in real workers, what a worker may say, and the command."""

import copy
import json

import msgspec
import pytest
from course_answers import wrong_program
from judging import KERNEL, RIGHT, tutor

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.judge.model.access_map import AccessMap, AccessStep, Launch, Program, trace_of
from tutor.judge.model.tensor_grid import elements
from tutor.judge.reports.access_map_text import (
    draw_tensor,
    elements_words,
    format_access_map,
    program_words,
    say_others,
    step_words,
)

ROOT = paths.course_root() / "kernels"


def text(slug: str, name: str = "solution") -> str:
    return (ROOT / slug / f"{name}.py").read_text()


def mapped(judge, slug: str, source: str, case: str = "") -> AccessMap:
    return judge.access(slug, source, f"{slug}.py", case)


def touched(launch: Launch, step: AccessStep) -> tuple[str, list[int]]:
    return launch.tensors[step.tensor].name, list(elements(step.blocks))


def program(launch: Launch, *at: int) -> Program:
    return next(each for each in launch.programs if each.id == at)


@pytest.mark.slow
def test_an_addition_with_a_masked_tail(judge):
    found = mapped(judge, "vector_add", RIGHT)
    assert (found.case, found.stopped) == ("one past the block", "")
    (launch,) = found.launches
    assert (launch.kernel, launch.grid, launch.size) == ("add_kernel", (2, 1, 1), 2)
    assert [each.name for each in launch.tensors] == ["x_ptr", "y_ptr", "out_ptr"]
    first, last = launch.programs
    assert [touched(launch, step) for step in first.steps] == [
        (name, list(range(1024))) for name in ("x_ptr", "y_ptr", "out_ptr")
    ]
    assert [touched(launch, step) for step in last.steps] == [
        (name, [1024]) for name in ("x_ptr", "y_ptr", "out_ptr")
    ]
    assert [(s.kind, s.line, s.on, s.lanes) for s in last.steps] == [
        ("load", 12, 1, 1024),
        ("load", 13, 1, 1024),
        ("store", 14, 1, 1024),
    ]
    assert launch.loaded + launch.stored == found.least == 3 * 4 * 1025
    assert launch.bytes_of(last) == 12
    assert step_words(launch, last.steps[0]) == (
        "line 12 loads x_ptr: element 1024 (1 of 1024 lanes)"
    )


def test_a_transposed_tile_stores_where_its_mirror_image_is(judge):
    (launch,) = mapped(judge, "transpose", text("transpose")).launches
    assert launch.grid == (2, 2, 1)
    load, store = program(launch, 0, 1, 0).steps
    n = 33
    assert touched(launch, load) == ("x_ptr", [row * n + 32 for row in range(32)])
    assert touched(launch, store) == ("out_ptr", [32 * n + row for row in range(32)])
    assert "rows 0 to 31, column 32" in step_words(launch, load)
    assert "row 32, columns 0 to 31" in step_words(launch, store)


def test_a_view_is_numbered_by_its_own_rows_and_columns(judge):
    (launch,) = mapped(judge, "transpose", text("transpose"), "already transposed").launches
    x = launch.tensors[0]
    assert (x.name, x.shape) == ("x_ptr", (70, 45))
    load = program(launch, 2, 1, 0).steps[0]
    assert touched(launch, load) == (
        "x_ptr",
        [row * 45 + column for row in range(64, 70) for column in range(32, 45)],
    )
    assert load.beside == 0


def test_a_matrix_product_walks_along_k_and_shares_its_operands(judge):
    found = mapped(judge, "tiled_matmul", text("tiled_matmul"))
    (launch,) = found.launches
    assert (found.case, launch.grid) == ("one past 64", (2, 2, 1))
    names = [launch.tensors[step.tensor].name for step in program(launch, 0, 0, 0).steps]
    assert names == ["a_ptr", "b_ptr"] * 3 + ["c_ptr"]
    a, b, c = launch.tensors
    assert elements_words(a.loaded_twice, a.shape) == "every element"
    assert elements_words(b.loaded_twice, b.shape) == "every element"
    assert c.stored_twice == ()
    assert launch.loaded == 2 * 2 * 4 * 65 * 65


def test_elements_that_two_programs_store_are_marked(judge):
    found = mapped(judge, "row_sum", wrong_program("row_sum", "programs_share_a_row"))
    (launch,) = found.launches
    out = next(each for each in launch.tensors if each.name == "out_ptr")
    assert list(elements(out.stored_twice)) == list(range(out.numel))
    steps = [s for s in launch.programs[0].steps if launch.tensors[s.tensor] is out]
    drawn = draw_tensor(out, tuple(steps), 16, 64)
    assert "!" in drawn.marks
    assert "! race: several store every element" in drawn.notes


def test_programs_that_meet_in_an_atomic_operation_do_not_race(judge):
    source = """\
import torch
import triton
import triton.language as tl

@triton.jit
def k(x_ptr, out_ptr, columns, row_stride, column_stride, B: tl.constexpr):
    column = tl.program_id(1) * B + tl.arange(0, B)
    at = x_ptr + tl.program_id(0) * row_stride + column * column_stride
    tl.atomic_add(out_ptr + tl.program_id(0), tl.sum(tl.load(at, mask=column < columns, other=0.0), 0))

def row_sum(x):
    out = torch.zeros(x.shape[0])
    k[(x.shape[0], triton.cdiv(x.shape[1], 1024))](x, out, x.shape[1], *x.stride(), B=1024)
    return out
"""
    (launch,) = mapped(judge, "row_sum", source, "rows one past the block").launches
    out = launch.tensors[1]
    assert {step.kind for each in launch.programs for step in each.steps} == {"load", "atomic"}
    assert (out.stored_twice, out.crossed) == ((), ())
    assert list(elements(out.stored)) == [0, 1, 2]


def test_what_one_program_stores_and_another_loads_is_a_race(judge):
    source = """\
import torch
import triton
import triton.language as tl

@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)
    before = (at >= 1) & (at < n)
    tl.store(x_ptr + at, tl.load(out_ptr + at - 1, mask=before, other=0.0), mask=before)

def add(x, y):
    x, out = x.contiguous() + y, torch.empty_like(x)
    k[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), B=64)
    return out
"""
    (launch,) = mapped(judge, "vector_add", source, "one past the block").launches
    x, out = launch.tensors
    # A program loads what it stored itself, and the last element of the block before.
    assert list(elements(out.crossed)) == list(range(63, out.numel - 1, 64))
    assert (x.crossed, out.stored_twice) == ((), ())
    own = next(p for p in launch.programs if p.id == (1, 0, 0))
    drawn = draw_tensor(out, tuple(s for s in own.steps if launch.tensors[s.tensor] is out), 20, 64)
    assert "!" in drawn.marks
    assert any("! race: one stores, another loads" in note for note in drawn.notes)


def test_lanes_out_of_bounds_are_said_and_end_the_run(judge):
    found = mapped(judge, "vector_add", wrong_program("vector_add", "no_mask"))
    assert found.stopped == "line 14: stopped before a load outside x_ptr"
    (launch,) = found.launches
    (step,) = program(launch, 1, 0, 0).steps
    assert (step.on, step.outside, step.first_outside) == (1, 1023, 1025)
    assert list(elements(step.blocks)) == [1024]
    assert "1023 lanes OUTSIDE, the first at 1025" in step_words(launch, step)


def test_two_launches_and_lanes_that_are_all_masked_off(judge):
    source = KERNEL + (
        "def add(x, y):\n    first = launched(x, y)\n"
        "    add_kernel[(1,)](x.contiguous(), first, first, 0, BLOCK=64)\n    return first\n"
    )
    first, second = mapped(judge, "vector_add", source, "one past the block").launches
    assert (first.size, second.size) == (2, 1)
    words = [step_words(second, step) for step in second.programs[0].steps]
    assert words[0] == "line 12 loads nothing of x_ptr: all 64 lanes are masked off"


@pytest.mark.slow
def test_a_thousand_programs_are_kept_in_part(judge):
    source = RIGHT.replace("BLOCK = 1024", "BLOCK = 16")
    found = mapped(judge, "vector_add", source, "many blocks and a tail")
    (launch,) = found.launches
    assert (launch.size, len(launch.programs)) == (2501, 256)
    assert launch.loaded == 8 * 40_009  # those that are not kept are counted
    assert "is not kept" in program_words(found, launch, (600, 0, 0))
    assert "is not in the grid" in program_words(found, launch, (2501, 0, 0))
    assert "touches no memory" not in program_words(found, launch, (255, 0, 0))


@pytest.mark.parametrize(
    ("slug", "source", "case", "why"),
    [
        ("vector_add", "def add(x, y):\n    return x + y\n", "", "no kernel of yours was launched"),
        ("vector_add", "def add(x, y:\n", "", "line 1"),
        ("vector_add", RIGHT, "no such case", "there are: one element"),
        ("dynamic_shapes", "def fn(x):\n    return x\n", "", "no kernel of yours"),
        ("no_such_exercise", RIGHT, "", "no_such_exercise"),
    ],
)
def test_why_there_is_no_map_is_one_sentence(judge, slug, source, case, why):
    with pytest.raises(UsageError) as error:
        mapped(judge, slug, source, case)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_what_was_touched_before_an_error_is_shown(judge):
    found = mapped(judge, "vector_add", RIGHT.replace("x + y", "x + z"), "one element")
    assert "line 14" in found.stopped
    assert [step.kind for step in found.launches[0].programs[0].steps] == ["load", "load"]


def test_lanes_that_reach_into_the_next_tensor_are_not_taken_for_the_first_ones(judge):
    """Arguments lie some thousand bytes apart: a long block passes through all of them."""
    source = wrong_program("vector_add", "no_mask").replace("BLOCK = 1024", "BLOCK = 16384")
    assert "16384" in source
    (launch,) = mapped(judge, "vector_add", source, "one past the block").launches
    (step,) = launch.programs[0].steps
    assert touched(launch, step) == ("x_ptr", list(range(1025)))
    assert step.outside > 0
    assert step.first_outside == 1025


# --- what a worker may say ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace(judge):
    """A trace as a worker sends it."""
    found = msgspec.to_builtins(mapped(judge, "vector_add", RIGHT))
    record = json.loads(json.dumps({key: found[key] for key in ("launches", "left_out")}))
    assert trace_of(json.dumps(record)).launches
    return record


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("launches",), {}),
        (("launches", 0, "grid"), [1, 1]),
        (("launches", 0, "grid"), [-1, 1, 1]),
        (("launches", 0, "kernel"), "\x1b[31m"),
        (("launches", 0, "tensors", 0, "shape"), [1 << 40, 1 << 40]),
        (("launches", 0, "tensors", 0, "loaded"), [[0, 1026, 1, 1]]),
        (("launches", 0, "tensors", 0, "loaded"), [[0, 1, 1025, 0]]),
        (("launches", 0, "tensors", 0, "loaded"), [[0, 1, 1, 1]] * 1000),
        (("launches", 0, "tensors", 0, "crossed"), [[1025, 1, 1, 0]]),
        (("launches", 0, "tensors", 0, "more"), 1),
        (("launches", 0, "programs"), [{}] * 300),
        (("launches", 0, "programs", 0, "steps", 0, "tensor"), 99),
        (("launches", 0, "programs", 0, "steps", 0, "kind"), "burn"),
        (("launches", 0, "programs", 0, "steps", 0, "line"), "one"),
        (("launches", 0, "programs", 0, "steps", 0, "on"), True),
        (("launches", 0, "programs", 0, "steps", 0, "code"), "\x1b[31m"),
        (("launches", 0, "programs", 0, "steps", 0, "more"), 1),
        (("left_out",), None),
    ],
)
def test_what_could_not_be_drawn_is_not_believed(trace, path, value):
    forged = copy.deepcopy(trace)
    at = forged
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(msgspec.ValidationError):
        trace_of(json.dumps(forged))


# --- text and command ---------------------------------------------------------------------------------


def test_the_map_as_text_names_every_tensor(judge):
    found = mapped(judge, "transpose", text("transpose"))
    said = format_access_map(found, (1, 0, 0))
    assert "Program (1, 0, 0) moves 256 B in 2 loads and stores:" in said
    titles = [line for line in said if line.endswith("_ptr f32[33,33]")]
    assert titles == ["x_ptr f32[33,33]", "out_ptr f32[33,33]"]
    drawn = [line.split()[1] for line in said if line.startswith("     32 ")]
    assert drawn == ["L" * 32 + "░", "░" * 33]
    assert said[-1] == "L loaded by this program   S stored   ░ used by other programs"


def test_of_one_program_no_other_is_named():
    alone, several = (Launch("k", (n, 1, 1), (), (), 0, 0) for n in (1, 4))
    assert say_others(alone, all_shown=True) == "used by its other accesses"
    assert say_others(alone, all_shown=False) == "used by its other accesses"
    assert say_others(alone, several, all_shown=True) == "used by other programs"
    assert say_others(several, all_shown=False) == "used by other accesses or programs"


@pytest.mark.parametrize(
    ("blocks", "shape", "said"),
    [
        ((), (9,), "nothing"),
        (((3, 1, 1, 1),), (9,), "element 3"),
        (((0, 1, 5, 3),), (20,), "every 3rd element from 0 to 12"),
        (((0, 2, 5, 4),), (20,), "5 runs of 2 elements, 4 apart, from 0"),
        (((0, 20, 1, 20),), (20,), "every element"),
        (((20, 20, 1, 20),), (4, 10), "rows 2 to 3"),
        (((12, 3, 1, 3),), (4, 10), "row 1, columns 2 to 4"),
        (((2, 3, 2, 20),), (4, 10), "every 2nd row from 0 to 2, columns 2 to 4"),
        (((18, 4, 1, 4),), (4, 10), "4 elements from [1, 8] on"),
        (((0, 1, 4, 11),), (4, 10), "4 elements, 11 apart, from [0, 0]"),
        (((16, 16, 1, 16),), (2, 3, 16), "row [0, 1]"),
    ],
)
def test_elements_in_words(blocks, shape, said):
    assert elements_words(blocks, shape) == said


@pytest.mark.slow
def test_the_command_prints_text_or_one_json_value():
    solution = str(ROOT / "vector_add" / "solution.py")
    said = tutor("access", "vector_add", solution, "--program", "1")
    assert said.returncode == 0, said.stderr
    assert "Program (1, 0, 0) moves 12 B" in said.stdout.decode()
    told = tutor("access", "vector_add", solution, "--json", "--case", "exactly one block")
    record = json.loads(told.stdout)
    assert record["case"] == "exactly one block"
    assert record["launches"][0]["programs"][0]["steps"][0]["blocks"] == [[0, 1024, 1, 1024]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("--program", "x"), ("--case", "none"), ("--program", "1,2,3,4")]
)
def test_a_wrong_call_is_one_line_and_status_2(words):
    said = tutor("access", "vector_add", str(ROOT / "vector_add" / "solution.py"), *words)
    assert said.returncode == 2
    assert said.stderr.decode().count("\n") == 1


def test_a_map_comes_back_from_its_json(judge):
    found = mapped(judge, "vector_add", RIGHT)
    assert msgspec.json.decode(msgspec.json.encode(found), type=AccessMap) == found
