"""The watch under Triton's interpreter: what it stops, what it sees, and the private names it needs.

Everything runs in processes in which Triton interprets, forked by the judge's own warm process.
"""

import itertools

import pytest
from judging import TRITON, cell, entry, judged

HEAD = """\
import torch
import triton
import triton.language as tl
"""
_sessions = itertools.count()
LARGEST = 3.4028234663852886e38  # float32


def inside(judge, code: str, *values: str) -> dict:
    """Run code in a fresh process of the interpreter; the values of expressions afterwards."""
    session = f"interpreter {next(_sessions)}"
    try:
        _, done = cell(judge, session, code, evaluate=values, seconds=60)
    finally:
        judge.end_session(session)
    assert done.ok, done.error
    return done.values


def watched(
    judge, kernel: str, run: str, *values: str, poison=None, padding="None", order=None
) -> dict:
    """The watch's report on `run`, and further values. `kernel` starts in line 5 of its file."""
    code = f"""\
{HEAD}
{kernel}
from tutor.judge.interpreter.hooks import InterpreterHooks

watch = InterpreterHooks(k.fn.__code__.co_filename)
watch.install()
watch.begin({poison!r}, {padding}, order={order})
stopped = ""
try:
    {run}
except Exception as error:
    stopped = repr(error)
report = dict(vars(watch.report))
"""
    found = inside(judge, code, "report", "stopped", *values)
    return {**found.pop("report"), **found}


def kernel(*lines: str, args: str = "x, n, B: tl.constexpr") -> str:
    return f"@triton.jit\ndef k({args}):\n" + "".join(f"    {line}\n" for line in lines)


OFFSETS = "i = tl.program_id(0) * B + tl.arange(0, B)"  # line 7
STORE_ALL = kernel(OFFSETS, "tl.store(x + i, 1.0)")


# --- private names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("InterpreterBuilder.create_load", ["self", "ptr"]),
        ("InterpreterBuilder.create_store", ["self", "ptr", "val"]),
        ("InterpreterBuilder.create_masked_load", ["self", "ptrs", "mask", "other"]),
        ("InterpreterBuilder.create_masked_store", ["self", "ptrs", "value", "mask"]),
        ("InterpreterBuilder.create_atomic_rmw", ["self", "rmwOp", "ptr", "val", "mask"]),
        ("InterpreterBuilder.create_atomic_cas", ["self", "ptr"]),
        ("GridExecutor.__call__", ["self", "args_dev", "kwargs"]),
        ("GridExecutor.__init__", ["self", "fn"]),
        ("InterpreterBuilder.set_grid_idx", ["self", "x", "y", "z"]),
    ],
)
def test_a_method_that_the_watch_replaces_is_there(judge, name, parameters):
    found = inside(
        judge,
        "import inspect\nimport triton.runtime.interpreter as private\n"
        f"names = list(inspect.signature(private.{name}).parameters)",
        "names",
    )
    assert found["names"][: len(parameters)] == parameters


@pytest.mark.parametrize("name", ["grid_idx", "grid_dim"])
def test_the_builder_says_which_program_runs(judge, name):
    code = f"""\
{HEAD}
import triton.runtime.interpreter as private
seen = []
store = private.InterpreterBuilder.create_masked_store
def spy(self, *args):
    seen.append(list(private.interpreter_builder.{name}))
    return store(self, *args)
private.InterpreterBuilder.create_masked_store = spy
{kernel("tl.store(x, 1.0)", args="x")}
k[(2, 1, 3)](torch.zeros(1))
"""
    seen = inside(judge, code, "seen")["seen"]
    if name == "grid_dim":
        assert seen == [[2, 1, 3]] * 6
    else:
        assert seen == [[x, 0, z] for x in range(2) for z in range(3)]


def test_a_pointer_block_holds_addresses_and_knows_its_element(judge):
    code = f"""\
{HEAD}
import triton.runtime.interpreter as private
seen = []
store = private.InterpreterBuilder.create_masked_store
def spy(self, ptrs, value, mask, *rest):
    seen.append([ptrs.data.reshape(-1).tolist(), str(ptrs.dtype.scalar.element_ty),
                 mask.data.reshape(-1).tolist()])
    return store(self, ptrs, value, mask, *rest)
private.InterpreterBuilder.create_masked_store = spy
{kernel("i = tl.arange(0, 4)", "tl.store(x + i, 1.0, mask=i < 2)", args="x")}
x = torch.zeros(4, dtype=torch.bfloat16)
k[(1,)](x)
first = x.data_ptr()
"""
    found = inside(judge, code, "seen", "first")
    ((addresses, element, mask),) = found["seen"]
    assert addresses == [found["first"] + 2 * i for i in range(4)]
    assert (element, mask) == ("bf16", [True, True, False, False])


# --- out of bounds ------------------------------------------------------------------------------------


def test_a_store_past_the_end_is_stopped_before_memory_is_touched(judge):
    """The elements after the tensor's last belong to the same allocation, so a store would show."""
    report = watched(
        judge,
        STORE_ALL + "\nroom = torch.zeros(16)\n",
        "k[(2,)](room[:5], 5, B=4)",
        "room.tolist()",
    )
    assert report["room.tolist()"] == [1.0] * 4 + [0.0] * 12
    (seen,) = report["out_of_bounds"]
    assert seen == {
        "kind": "store",
        "masked": False,
        "line": 8,
        "program": [1, 0, 0],
        "lanes": 3,
        "of": 4,
        "tensor": "x",
        "first": 5,
        "elements": 5,
        "lane": [1],
        "tile": [4],
    }
    assert "OutOfBounds" in report["stopped"]


def test_the_first_lane_outside_is_counted_in_its_tile_with_those_that_are_masked_off(judge):
    source = kernel(
        "r, c = tl.arange(0, 2), tl.arange(0, B)",
        "tl.load(x + r[:, None] * n + c[None, :], mask=(c < n)[None, :])",
    )
    (seen,) = watched(judge, source, "k[(1,)](torch.zeros(7), 5, B=8)")["out_of_bounds"]
    assert (seen["lane"], seen["tile"], seen["first"]) == ([1, 2], [2, 8], 7)
    assert (seen["lanes"], seen["of"]) == (3, 10)


@pytest.mark.parametrize(
    ("line", "masked", "kind"),
    [
        ("tl.load(x + i)", False, "load"),
        ("tl.load(x + i, mask=i <= n)", True, "load"),
        ("tl.store(x + i, 1.0, mask=i <= n)", True, "store"),
        ("tl.store(x - 1, 1.0)", False, "store"),
        ("tl.atomic_add(x + i, 1.0, mask=i <= n)", True, "store"),
        ("tl.atomic_add(x + n, 1.0)", True, "store"),
        ("tl.atomic_cas(xi + n, 0, 1)", False, "store"),
        ("tl.load(x + 1_000_000_000_000)", False, "load"),
    ],
)
def test_every_way_to_memory_is_watched(judge, line, masked, kind):
    args = "x, xi, n, B: tl.constexpr"
    report = watched(
        judge,
        kernel(OFFSETS, line, args=args),
        "k[(1,)](torch.zeros(9)[2:7], torch.zeros(9, dtype=torch.int32)[2:7], 5, B=8)",
    )
    assert [r["kind"] for r in report["out_of_bounds"]] == [kind]
    assert report["out_of_bounds"][0]["masked"] == masked


def test_a_mask_may_join_a_tile_with_a_single_truth(judge):
    """Triton 3.9's interpreter has whole numbers there, and refuses them as a mask."""
    mask = "mask=(i < n) & (0 < n)"
    source = kernel(OFFSETS, f"tl.store(x + i, tl.load(x + i, {mask}) + 1.0, {mask})")
    source += "\nroom = torch.zeros(8)\n"
    report = watched(judge, source, "k[(1,)](room, 5, B=8)", "room.tolist()")
    assert report["stopped"] == ""
    assert report["room.tolist()"] == [1.0] * 5 + [0.0] * 3


@pytest.mark.skipif(TRITON >= (3, 9), reason="this Triton has no block pointers")
def test_block_pointers_are_watched(judge):
    block = kernel(
        "p = tl.make_block_ptr(x, (n,), (1,), (0,), (B,), (0,))",
        "tl.store(p, tl.full((B,), 1.0, tl.float32), boundary_check=())",
    )
    report = watched(judge, block, "k[(1,)](torch.zeros(12)[:5], 5, B=8)")
    assert [(r["kind"], r["masked"]) for r in report["out_of_bounds"]] == [("store", False)]
    checked = block.replace("boundary_check=()", "boundary_check=(0,)")
    report = watched(
        judge, checked + "\nroom = torch.zeros(8)\n", "k[(1,)](room[:5], 5, B=8)", "room.tolist()"
    )
    assert report["out_of_bounds"] == []
    assert report["room.tolist()"] == [1.0] * 5 + [0.0] * 3


def test_a_descriptor_made_on_the_host_is_an_argument_like_any_other(judge):
    source = kernel("v = x.load([0, 0])", "x.store([0, 0], v + 1.0)", args="x")
    report = watched(
        judge,
        source + "\nfrom triton.tools.tensor_descriptor import TensorDescriptor\n"
        "t = torch.zeros(8, 8)\n",
        "k[(1,)](TensorDescriptor.from_tensor(t, [4, 8]))",
        "t.sum().item()",
    )
    assert report["stopped"] == ""
    assert report["out_of_bounds"] == []
    assert report["t.sum().item()"] == 32.0


def test_truths_are_arguments_like_numbers(judge):
    lines = ("if flip:", "    tl.store(x, n)", "else:", "    tl.store(x, -n)")
    seen = watched(
        judge,
        kernel(*lines, args="x, n, flip"),
        "x = torch.zeros(2); k[(1,)](x, 3, True); k[(1,)](x[1:], 4, False)",
        "x.tolist()",
    )
    assert (seen["stopped"], seen["x.tolist()"]) == ("", [3.0, -4.0])


@pytest.mark.parametrize(
    "arguments",
    [
        "base, base[2:4]",
        "base[2:4], base",
        "base, base[:2]",
        "base[:2], base",
        "base[::2], base[1::2]",
        "base, base",
    ],
)
def test_arguments_that_overlap_are_no_reason_to_stop(judge, arguments):
    """A kernel may get a tensor and a view of it; each element of either is in bounds."""
    source = kernel(
        "for i in range(n):",
        "    tl.load(x + i)",
        "for i in range(m):",
        "    tl.load(y + i)",
        args="x, y, n, m",
    )
    report = watched(
        judge,
        source + f"\nbase = torch.zeros(10)\nx, y = {arguments}\n"
        "reach = lambda t: 1 + (t.numel() - 1) * t.stride(0)\n",
        "k[(1,)](x, y, reach(x), reach(y))",
    )
    assert report["stopped"] == ""
    assert report["out_of_bounds"] == []
    past = watched(
        judge,
        source + f"\nroom = torch.zeros(20)\nbase = room[:10]\nx, y = {arguments}\n",
        "k[(1,)](base, base[2:4], 10, 9)",
    )
    assert [(r["kind"], r["line"]) for r in past["out_of_bounds"]] == [("load", 10)]


def test_an_empty_tensor_has_no_element_to_load(judge):
    report = watched(judge, STORE_ALL, "k[(1,)](torch.zeros(0), 0, B=4)")
    assert report["out_of_bounds"][0]["lanes"] == 4
    assert "OutOfBounds" in report["stopped"]


def test_strided_tensors_reach_as_far_as_their_last_element(judge):
    each = kernel(OFFSETS, "tl.store(x + i * 3, 1.0, mask=i < n)")
    assert watched(judge, each, "k[(1,)](torch.zeros(30)[::3], 10, B=16)")["out_of_bounds"] == []
    report = watched(judge, each, "k[(1,)](torch.zeros(30)[::3], 11, B=16)")
    assert report["out_of_bounds"][0]["first"] == 30


# --- races ------------------------------------------------------------------------------------------


def test_two_programs_that_store_to_one_element(judge):
    report = watched(
        judge, kernel("tl.store(x + n, tl.program_id(0) + 0.0)"), "k[(3,)](torch.zeros(9), 4, B=1)"
    )
    seen = report["races"][0]
    assert seen == {
        "tensor": "x",
        "element": 4,
        "program": [1, 0, 0],
        "verb": "stores",
        "line": 7,
        "other": [0, 0, 0],
        "other_verb": "stores",
        "other_line": 7,
    }


def test_a_load_of_what_another_program_stores(judge):
    source = kernel("p = tl.program_id(0)", "tl.store(x + p, 1.0)", "tl.load(x + (p + n - 1) % n)")
    report = watched(judge, source, "k[(4,)](torch.zeros(4), 4, B=1)")
    assert {(r["verb"], r["other_verb"]) for r in report["races"]} == {
        ("loads", "stores"),
        ("stores", "loads"),
    }


@pytest.mark.parametrize(
    "lines",
    [
        ("tl.atomic_add(x, 1.0)",),
        ("p = tl.program_id(0)", "tl.store(x + p, 1.0)", "tl.load(x + p)", "tl.store(x + p, 2.0)"),
        ("tl.load(x)",),
    ],
    ids=["atomics", "own elements", "loads only"],
)
def test_what_is_no_race(judge, lines):
    report = watched(judge, kernel(*lines), "k[(4,)](torch.zeros(4), 4, B=1)")
    assert report["races"] == report["clashes"] == []
    assert report["programs"] == 4


@pytest.mark.parametrize(
    ("lines", "verb", "line", "other_verb", "other_line"),
    [
        (
            ("if p == 1:", "    tl.store(x, 0.0)", "tl.atomic_add(x, 1.0)"),
            "stores",
            9,
            "changes atomically",
            10,
        ),
        (
            ("if p == 0:", "    tl.store(x, 0.0)", "tl.atomic_add(x, 1.0)"),
            "changes atomically",
            10,
            "stores",
            9,
        ),
        (
            ("tl.atomic_add(x, 1.0)", "tl.store(x + 1 + p, tl.load(x))"),
            "loads",
            9,
            "changes atomically",
            8,
        ),
        (
            ("tl.load(x + 1)", "tl.atomic_cas(x.to(tl.pointer_type(tl.int32)) + p, 0, 1)"),
            "changes atomically",
            9,
            "loads",
            8,
        ),
    ],
    ids=["clears late", "clears early", "reads a sum", "reads before"],
)
def test_a_plain_access_that_meets_another_programs_atomic_one(
    judge, lines, verb, line, other_verb, other_line
):
    """Even where the program itself did so too in between."""
    source = kernel("p = tl.program_id(1)", *lines, args="x")
    report = watched(judge, source, "k[(1, 2)](torch.zeros(4))")
    assert report["races"] == []
    assert report["clashes"][-1] == {
        "tensor": "x",
        "element": report["clashes"][-1]["element"],
        "program": [0, 1, 0],
        "verb": verb,
        "line": line,
        "other": [0, 0, 0],
        "other_verb": other_verb,
        "other_line": other_line,
    }


def test_a_store_into_what_a_program_before_the_last_reader_has_read(judge):
    lines = ("p = tl.program_id(0)", "v = tl.load(x + 1)", "if p == 1:", "    tl.store(x + 1, v)")
    report = watched(judge, kernel(*lines, args="x"), "k[(2,)](torch.zeros(2))")
    assert [(r["verb"], r["other"], r["other_verb"]) for r in report["races"]] == [
        ("stores", [0, 0, 0], "loads")
    ]


# --- the order of programs ----------------------------------------------------------------------------

TURNS = kernel(
    "p = (tl.program_id(0) * 2 + tl.program_id(1)) * 5 + tl.program_id(2)",
    "tl.store(x + p, tl.atomic_add(turn, 1))",
    args="x, turn",
)
LAUNCH = "k[(3, 2, 5)](x, torch.zeros(1, dtype=torch.int32))"
GRID = "\nx = torch.full((30,), -1, dtype=torch.int32)\n"


def turns(judge, order: int | None) -> list[int]:
    """When each program of a grid of 3 x 2 x 5 had its turn."""
    report = watched(judge, TURNS + GRID, LAUNCH, "x.tolist()", order=order)
    assert report["stopped"] == ""
    return report["x.tolist()"]


def test_programs_run_in_the_order_that_is_asked_for(judge):
    assert turns(judge, None) == list(range(30))
    assert turns(judge, 0) == list(range(30))[::-1]
    drawn = turns(judge, 5)
    assert sorted(drawn) == list(range(30))
    assert drawn == turns(judge, 5)
    assert len({tuple(drawn), tuple(turns(judge, 6)), tuple(range(30))}) == 3


def test_a_drawn_order_exchanges_two_programs_and_never_begins_with_the_first(judge):
    code = """
from tutor.judge.interpreter.program_order import shuffle
two = [shuffle(2, seed).tolist() for seed in range(1, 20)]
first = [int(shuffle(5, seed)[0]) for seed in range(1, 200)]
one = shuffle(1, 1).tolist()
"""
    found = inside(judge, code, "two", "first", "one")
    assert found["two"] == [[1, 0]] * 19
    assert set(found["first"]) == {1, 2, 3, 4}
    assert found["one"] == [0]


def test_a_grid_too_large_to_draw_from_goes_backwards(judge):
    code = """
from tutor.judge.interpreter import program_order
program_order.grid = lambda: [2**20, 2, 1]
programs = program_order.ProgramOrder()
programs.order = 7
first = programs.next(0, 0, 0)
"""
    assert inside(judge, code, "first")["first"] == [2**20 - 1, 1, 0]


def test_the_access_map_steps_through_programs_in_their_order(judge):
    run = "watch.trace(True); " + LAUNCH
    report = watched(judge, TURNS + GRID, run, "x.tolist()", order=0)
    assert report["x.tolist()"] == list(range(30))


def test_races_do_not_reach_from_one_launch_into_the_next(judge):
    report = watched(
        judge,
        kernel("tl.store(x + n, 1.0)"),
        "x = torch.zeros(4); k[(1,)](x, 1, B=1); k[(1,)](x, 1, B=1)",
    )
    assert report["races"] == []
    assert report["launches"] == 2


def test_programs_that_all_store_to_the_same_place(judge):
    report = watched(
        judge,
        kernel("i = tl.arange(0, B)", "tl.store(x + i, 1.0)"),
        "k[(5,)](torch.zeros(20), 0, B=4)",
    )
    assert report["same_stores"] == [
        {"line": 8, "tensor": "x", "programs": 5, "first": 0, "last": 3}
    ]


# --- masked lanes -----------------------------------------------------------------------------------

COPY = kernel(
    OFFSETS, "v = tl.load(x + i, mask=i < n)", "tl.store(o + i, v)", args="x, o, n, B: tl.constexpr"
)
NUMBERS = "\nout = torch.zeros(4, dtype={0})\n"


@pytest.mark.parametrize(
    ("poison", "dtype", "want"),
    [
        ("nan", "torch.float32", "nan"),
        ("huge", "torch.float32", str(LARGEST)),
        ("-huge", "torch.float32", str(-LARGEST)),
        ("huge", "torch.float16", "inf"),
        ("nan", "torch.bfloat16", "nan"),
        ("huge", "torch.int32", "2147483647.0"),
        ("-huge", "torch.int8", "-128.0"),
        ("nan", "torch.int64", str(float(2**63 - 1))),
    ],
)
def test_lanes_without_other_hold_the_poison(judge, poison, dtype, want):
    report = watched(
        judge,
        COPY + NUMBERS.format(dtype),
        f"k[(1,)](torch.ones(4, dtype={dtype}), out, 3, B=4)",
        "[str(v) for v in out.double().tolist()]",
        poison=poison,
    )
    assert report["[str(v) for v in out.double().tolist()]"] == ["1.0"] * 3 + [want]
    (seen,) = report["undefined"]
    assert (seen["line"], seen["lanes"], seen["program"]) == (8, 1, [0, 0, 0])
    assert report["padded"] == []


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_what_is_calculated_with_the_poisoned_nan_is_not_taken_for_untouched_memory(judge, dtype):
    halved = kernel(
        OFFSETS,
        "v = tl.load(x + i, mask=i < n)",
        "tl.store(o + i, v * 0.5 + 1.0)",
        args="x, o, n, B: tl.constexpr",
    )
    patterns = "__import__('tutor.judge.comparison.patterns').judge.comparison.patterns"
    untouched = f"{patterns}.find_untouched(out).tolist()"
    report = watched(
        judge,
        halved + f"\nout = torch.full((4,), float('nan'), dtype=torch.{dtype})\n",
        f"k[(1,)](torch.ones(4, dtype=torch.{dtype}), out, 3, B=4)",
        "str(float(out[3]))",
        untouched,
        poison="nan",
    )
    assert report["str(float(out[3]))"] == "nan"
    assert report[untouched] == [False] * 4


def test_lanes_with_other_keep_it_unless_a_probe_fills_them(judge):
    source = COPY.replace("mask=i < n", "mask=i < n, other=7.0") + NUMBERS.format("torch.float32")
    run = "k[(1,)](torch.ones(4), out, 3, B=4)"
    report = watched(judge, source, run, "out.tolist()", poison="huge")
    assert report["out.tolist()"] == [1.0, 1.0, 1.0, 7.0]
    assert report["undefined"] == []
    assert report["padded"][0]["lanes"] == 1
    probe = watched(judge, source, run, "out.tolist()", poison="huge", padding="0.0")
    assert probe["out.tolist()"] == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("source", "run"),
    [
        (
            COPY.replace("mask=i < n", "mask=i < n, other=0.0"),
            "k[(4,)](torch.ones(4), out, 3, B=1)",
        ),
        (
            kernel(
                "v = tl.load(x + 3, mask=n > 3, other=0.0)",
                "tl.store(o + 3, v)",
                args="x, o, n, B: tl.constexpr",
            ),
            "k[(1,)](torch.ones(4), out, 3, B=1)",
        ),
    ],
    ids=["blocks of one lane", "one number"],
)
def test_a_zero_as_other_counts_for_a_single_lane(judge, source, run):
    report = watched(
        judge, source + NUMBERS.format("torch.float32"), run, "float(out[3])", poison="huge"
    )
    assert report["float(out[3])"] == 0.0
    assert report["undefined"] == []
    (seen,) = report["padded"]
    assert (seen["lanes"], seen["fill"]) == (1, 0.0)


def test_a_full_mask_leaves_nothing_to_report(judge):
    report = watched(
        judge,
        COPY + NUMBERS.format("torch.float32"),
        "k[(1,)](torch.ones(4), out, 4, B=4)",
        "out.tolist()",
        poison="huge",
    )
    assert report["out.tolist()"] == [1.0] * 4
    assert report["undefined"] == report["padded"] == []


def test_reports_are_bounded(judge):
    report = watched(judge, kernel("tl.store(x, 1.0)"), "k[(500,)](torch.zeros(1), 0, B=1)")
    assert len(report["races"]) == 8
    assert report["programs"] == 500


def test_the_language_stays_as_the_interpreter_needs_it_between_launches(judge):
    """Private names of Triton: `_patch_lang`, `_LangPatchScope`; `patch_language_once` uses them."""
    body = "assert tl.load.__name__ == 'interpreted', 'put back'\nreturn launched(x, y)"
    verdict = judged(judge, entry(body), device="cpu")
    assert verdict.passed, verdict.diagnosis


@pytest.mark.parametrize(
    ("store", "lanes"),
    [
        ("tl.store(x + i // 2, i)", ([0], [1])),
        ("tl.store(x + i // 2, i, mask=i % 2 == 1)", None),
        ("tl.store(x + i // 2, i, mask=i > 1)", ([2], [3])),
        ("tl.store(x + i // 2, i // 2)", None),  # the same number: it does not matter which
        ("tl.store(x + (B - 1 - i), i)", None),
        ("tl.store(x + i[:, None] + i[None, :], i[:, None] + 0 * i[None, :])", ([0, 1], [1, 0])),
    ],
)
def test_lanes_of_one_store_that_write_different_numbers_to_one_place_are_seen(judge, store, lanes):
    code = kernel(OFFSETS, store)
    seen = watched(judge, code, "k[(1,)](torch.zeros(16), 16, B=4)")["lanes"]
    assert [(each["lane"], each["other"]) for each in seen] == ([lanes] if lanes else [])


# --- what an exercise may limit -----------------------------------------------------------------------

TWICE = kernel(
    OFFSETS,
    "v = tl.load(x + i, mask=i < n)",
    "v += tl.load(x + i, mask=i < n)",
    "tl.atomic_add(y, tl.sum(v, 0))",
    args="x, y, n, B: tl.constexpr",
)


@pytest.mark.parametrize(
    ("given", "again"),
    [("x", True), ("x[2:]", True), ("x.clone()", True), ("torch.ones(5)", False), ("z", False)],
)
def test_what_a_program_loads_again_is_found_in_views_and_copies(judge, given, again):
    found = watched(
        judge,
        TWICE,
        "x, z = torch.ones(6), torch.ones(6); watch.once, watch.given = (x,), (x, z); "
        f"k[(2,)]({given}, torch.zeros(1), 4, B=2)",
    )
    assert found["stopped"] == ""
    programs = [(row["element"], row["first_line"], row["line"]) for row in found["repeated"]]
    assert programs == ([(0, 8, 9), (2, 8, 9)] if again else [])
    assert (found["loaded"], found["masked"]) == (2 * 4 * 4, 2 * 4 * 4)
    assert found["widest"] == [{"lanes": 2, "kernel": "k", "tensor": "x", "line": 8}]
    assert found["atomics"] == [{"kernel": "k", "tensor": "y", "line": 10}]


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (4, 16), (8, 32), (100, 32)])
def test_the_sectors_of_a_load_are_those_that_its_lanes_lie_in(judge, stride, sectors):
    code = kernel(f"tl.load(x + tl.arange(0, 32) * {stride})", args="x")
    aligned = "x = torch.ones(3300); x = x[-(x.data_ptr() // 4) % 8 :]"
    found = watched(judge, code, f"watch.sectors = True; {aligned}; k[(1,)](x)")
    assert (found["stopped"], found["sectors"]) == ("", sectors * 32)
