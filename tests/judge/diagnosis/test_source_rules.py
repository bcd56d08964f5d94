"""Rules that read the source: the precedence of `&`, the tensor that an address is made from, a
keyword argument that is dropped."""

import dataclasses
import re

import msgspec
import pytest

from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.evidence import CaseEvidence, CaseFacts
from tutor.judge.diagnosis.rules import diagnose
from tutor.judge.diagnosis.source_rules import (
    find_block_widths,
    find_given_lines,
    find_launch_settings,
    find_mask_line,
    find_origins,
    find_pointer_base,
    find_steps,
    has_fixed_grid,
    is_in_helper,
    is_placed_elsewhere,
)
from tutor.judge.processes.worker_messages.kernel_report import KernelReport
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.judge.reports.verdict_document import detail_title

PATTERN = Pattern(
    total=100,
    wrong=50,
    first=3,
    unwritten=0,
    tail_from=None,
    overflowed=False,
    only_special=False,
    near=False,
    half_like=False,
    permuted=False,
    affine=None,
    zeros=False,
)
WRONG = CaseFacts("wrong", False, numel=100, largest=1.0, launches=1, pattern=PATTERN)
RIGHT = CaseFacts("right", True, numel=100, largest=1.0, launches=1)


def messages(source: str, *cases: CaseFacts, kind: str = "kernel") -> str:
    found = diagnose(CaseEvidence(kind, "add", source, cases or (WRONG,)))
    return " ".join(d.message for d in found)


@pytest.mark.parametrize(
    ("mask", "taken"),
    [
        ("r < n & c < m", "`n & c`"),
        ("r[:, None] < n & c[None, :] < m", "`n & c[None, :]`"),
        ("(r < n) & c < m", "`r < n & c`"),
        ("r < n | c < m", "`n | c`"),
    ],
)
def test_and_is_taken_before_a_comparison(mask, taken):
    said = messages(f"x = 1\nmask = {mask}\n")
    assert "In line 2 Python takes" in said
    assert taken.strip("`").split(" ")[-1] in said
    assert "parentheses" in said


@pytest.mark.parametrize(
    "mask", ["(r < n) & (c < m)", "(a & 1) < n", "r < (n & 7)", "0 <= r < n", "r < n"]
)
def test_a_condition_in_parentheses_is_not_blamed(mask):
    assert "parentheses" not in messages(f"mask = {mask}\n")


def test_a_source_is_read_only_where_a_case_failed_and_only_of_a_kernel():
    unclear = "mask = r < n & c < m\n"
    assert not messages(unclear, RIGHT)
    assert "before it compares" in messages(unclear)
    assert "before it compares" not in messages(unclear, kind="function")


MODE = """\
class Mode:
    def __torch_dispatch__(self, func, types, args=(), {kwargs}):
        return func(*args{passed})

def count(program):
    return run(program)
"""


@pytest.mark.parametrize(
    ("kwargs", "passed", "line", "named"),
    [
        ("kwargs=None", "", 3, True),
        ("**given", "", 3, True),
        ("kwargs=None", ", **(kwargs or {})", 3, False),
        ("kwargs=None", "", 6, False),  # raised elsewhere
        ("kwargs=None", "", None, False),
    ],
)
def test_a_dispatch_that_drops_its_keyword_arguments_is_named(kwargs, passed, line, named):
    raised = LearnerError("expected Long, got Float", "RuntimeError", line)
    case = dataclasses.replace(WRONG, pattern=None, raised=raised)
    said = messages(MODE.format(kwargs=kwargs, passed=passed), case, kind="function")
    assert ("given by keyword" in said) is named
    if named:
        assert "line 3 (case “wrong”)" in said


POINTERS = """\
@triton.jit
def kernel(a_ptr, b_ptr, at_ptr, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    place = tl.load(at_ptr + offsets)
    a_tile = a_ptr + offsets
    for k in range(n):
        a = tl.load(a_tile, mask=offsets < n)
        b = tl.load(
            b_ptr + place)
        a_tile += n
        c = tl.load(tl.where(a > b, a_tile, b_ptr))
        d = helper(a_tile)
"""


@pytest.mark.parametrize(
    ("line", "base"),
    [(4, "at_ptr"), (7, "a_ptr"), (8, "b_ptr"), (9, "b_ptr"), (11, ""), (12, ""), (None, "")],
)
def test_an_address_is_followed_to_the_tensor_from_which_it_is_made(line, base):
    tensors = {"a_ptr", "b_ptr", "at_ptr"}
    assert find_pointer_base(POINTERS, line, tensors) == base


def test_an_address_is_told_with_the_lines_that_set_its_parts():
    source = (
        "def kernel(x_ptr, n):\n"
        "    place = tl.program_id(0) * n\n"
        "    place += 1\n"
        "    x = tl.load(x_ptr + place)\n"
    )
    assert find_origins(source, 4, "load").address == {"place": [2, 3]}
    assert find_origins(source, 3, "load") is None
    assert find_origins(source, 4, "store") is None
    both = source + "    y = tl.dot(tl.load(x_ptr + place), tl.load(x_ptr + n))\n"
    assert find_origins(both, 5, "load").accesses == 2


WALK = """\
@triton.jit
def which(p, wide):
    high = 8
    return p % high, p // high

@triton.jit
def k(x, y, n, B: tl.constexpr):
    row, rest = which(tl.program_id(0), n)
    lane = tl.arange(0, B)
    at = row * B + lane
    end = n - rest
    there = (at < n) & (lane < end)
    for _ in range(n):
        tl.store(y + at, tl.load(x, mask=there), mask=there)
        x += B

def run(x):
    k[(4,)](x, x, 3, B=4)
"""


def test_a_long_sentence_on_an_access_names_one_place_and_keeps_the_rest() -> None:
    """What can be read at once is the fact and where to look first; a key shows the whole."""
    seen = {"kind": "store", "masked": True, "line": 14, "program": [1, 0, 0], "lanes": 3, "of": 8}
    seen |= {"lane": [5], "tile": [8], "tensor": "y", "first": 5, "elements": 5}

    def told(source: str):
        wrong = dataclasses.replace(
            WRONG, seen=msgspec.convert({"out_of_bounds": [seen]}, KernelReport)
        )
        return diagnose(CaseEvidence("kernel", "run", source, (wrong,)))[0]

    short = told(WALK)
    assert "That comes from lines 3–4, 8–9 and 11 and the launch (line 18)." in short.message
    assert (len(short.message) <= 400, short.detail) == (True, "")
    long = told(
        re.sub(
            r"\b(at|there|row)\b",
            r"\1_of_this_one_tile_of_all_tiles_of_the_result_that_is_stored_by_this_program",
            WALK,
        )
    )
    assert len(long.message) <= 400 < len(long.detail)
    assert long.message.startswith("A store reaches element 5 of `y`")
    assert "Look first at what makes its address, `at_of_" in long.message
    assert "its mask, " not in long.message
    assert long.message.endswith("The store is in line 14.")
    assert detail_title(long) == "In full"


def test_what_makes_an_access_is_followed_through_names_calls_and_the_launch() -> None:
    stored = find_origins(WALK, 14, "store")
    assert stored.address == {"at": [10]}
    assert stored.mask == {"there": [12]}
    assert stored.further == [3, 4, 8, 9, 11]
    assert stored.launch == 18
    loaded = find_origins(WALK, 14, "load")
    assert (loaded.address, loaded.mask) == ({"x": [15]}, {"there": [12]})
    assert find_origins(WALK + "    k[(8,)](x, x, 3, B=4)\n", 14, "load").launch is None
    assert find_origins(WALK.replace("(y + at, tl", "(y, tl"), 14, "store").address == {}


@pytest.mark.parametrize(
    ("grid", "fixed"),
    [
        ("(4,)", True),
        ("4, 2", True),
        ("grid", True),
        ("lambda meta: (meta['B'],)", False),
        ("lambda meta: (4,)", True),
        ("other", False),
    ],
)
def test_a_grid_that_is_a_tuple_is_the_same_for_all_configurations(grid, fixed) -> None:
    source = f"grid = (3,)\ndef other(meta):\n    return (meta['B'],)\nk[{grid}](x)\n"
    assert has_fixed_grid(source) is fixed


def test_an_access_is_placed_by_other_lines_whatever_else_its_line_accesses() -> None:
    """A load inside of a store does not keep a rule from being said of the store, nor does the mask that
    neither has."""
    bare = WALK.replace(", mask=there", "")
    assert is_placed_elsewhere(WALK, 14, "store")
    assert is_placed_elsewhere(bare, 14, "store")
    assert is_placed_elsewhere(bare, 14, "load")
    assert not is_placed_elsewhere(bare.replace("y + at", "y + at * 2"), 14, "store")
    assert is_placed_elsewhere(bare.replace("y + at", "y + at * 2"), 14, "load")


def test_an_error_raised_in_a_given_part_is_told_at_the_line_that_called_it():
    given = "def measure(n):\n    raise RuntimeError(n)\n"
    source = f"{given}\n\ndef tune():\n    measure(1)\n    return 2\n"
    error = LearnerError("1", "RuntimeError", 2, lines=(6, 2))
    case = dataclasses.replace(WRONG, pattern=None, raised=error)
    lines = find_given_lines(source, f"x = 1\n{given}def tune():\n    pass\n")
    assert lines == {1, 2}
    evidence = CaseEvidence("function", "tune", source, (case,), given=lines)
    (found, *_) = diagnose(evidence)
    assert found.line == 6
    assert "(line 6)" in found.message
    assert "Line 2, which raised it, is of the starter." in found.message
    (plain, *_) = diagnose(dataclasses.replace(evidence, given=frozenset()))
    assert plain.line == 2


CALLS = "def run(args):\n    return args\n\n\ndef backend(x):\n    return run(x, x)\n"


def test_a_call_with_too_many_arguments_is_told_with_both_lines():
    message = "backend.<locals>.run() takes 1 positional argument but 2 were given"
    case = dataclasses.replace(WRONG, pattern=None, raised=LearnerError(message, "TypeError", 6))
    (found, *_) = diagnose(CaseEvidence("function", "backend", CALLS, (case,)))
    assert found.message == (
        "`run` takes 1 positional argument and is given 2: it is defined in line 1 and called in "
        "line 6 (case “wrong”)."
    )
    assert found.line == 1
    twice = CALLS + "\n\ndef run(args):\n    return args\n"
    (found, *_) = diagnose(CaseEvidence("function", "backend", twice, (case,)))
    assert found.line == 6


def test_errors_of_half_precision_are_told_with_the_lines_that_name_such_a_type():
    rough = dataclasses.replace(WRONG, pattern=dataclasses.replace(PATTERN, half_like=True))
    source = "a = 1\nx = x.to(tl.float16)\ny = tl.dot(x, y.half())\n"
    assert "Lines 2, 3 name a type of 16 bits." in messages(source, rough)
    assert "Line 1 names" in messages("acc = tl.zeros([4], dtype=tl.bfloat16)\n", rough)
    assert "input_precision" in messages("acc = tl.dot(x, y)\n", rough)


@pytest.mark.parametrize(
    ("handed", "found"),
    [
        ("STEP=4, WIDE=next_power(n)", (["WIDE"], 9)),
        ("STEP=4, WIDE=wide", (["WIDE"], 8)),  # the name that is handed over
        ("4, next_power(n)", None),  # by place
    ],
)
def test_what_makes_a_block_wide_is_found_where_it_is_set(
    handed: str, found: tuple[list[str], int] | None
) -> None:
    source = (
        "@triton.jit\ndef k(x, n, STEP: tl.constexpr, WIDE: tl.constexpr):\n"
        "    lane = tl.arange(0, WIDE)\n    at = n + lane\n    return tl.load(x + at * STEP)\n\n"
        "def run(x, n):\n    wide = next_power(n)\n    k[(1,)](x, n, "
        f"{handed})\n"
    )
    assert find_block_widths(source, 5, "k") == found
    assert find_block_widths(source, 4, "k") is None


@pytest.mark.parametrize(
    ("handed", "found"),
    [
        ("STEP=dim, WIDE=wide", (["WIDE"], 9)),  # a size that a tensor has is not the one
        ("STEP=64, WIDE=wide", (["WIDE"], 9)),
        ("STEP=x.shape[1], WIDE=next_power(n)", (["WIDE"], 10)),
        ("STEP=next_power(n), WIDE=wide", (["STEP", "WIDE"], None)),  # two lines compete
        ("STEP=64, WIDE=1024", (["STEP", "WIDE"], 10)),
    ],
)
def test_of_two_widths_the_one_that_is_chosen_is_told(
    handed: str, found: tuple[list[str], int | None]
) -> None:
    source = (
        "@triton.jit\ndef k(x, n, STEP: tl.constexpr, WIDE: tl.constexpr):\n"
        "    at = tl.arange(0, WIDE)[:, None] + tl.arange(0, STEP)[None, :]\n"
        "    return tl.load(x + at)\n\n"
        "def run(x, n):\n    rows, dim = x.shape\n    n = rows * dim\n"
        f"    wide = next_power(n)\n    k[(1,)](x, n, {handed})\n"
    )
    assert find_block_widths(source, 4, "k") == found
    # A lane of the kernel's may have the name of a size.
    lanes = source.replace("    at = ", "    dim = wide = n; at = ")
    assert find_block_widths(lanes, 4, "k") == found


def test_the_line_of_a_mask_that_stands_below_its_access() -> None:
    source = "x = tl.load(\n    a + at,\n    mask=at < n,\n)\ny = tl.load(a + at, mask=at < n)\n"
    assert find_mask_line(source, 1) == 3
    assert find_mask_line(source, 5) is None
    assert find_mask_line(source, 2) is None


@pytest.mark.parametrize(
    ("handed", "line"),
    [
        ("BLOCK=BLOCK, num_warps=WARPS", None),
        ("BLOCK=BLOCK, num_warps=64", 4),
        ("BLOCK=BLOCK, num_stages=16", 4),
        ("BLOCK=4096", 4),
        ("BLOCK=BLOCK", None),
    ],
)
def test_a_launch_is_named_for_its_resources_where_it_sets_them(
    handed: str, line: int | None
) -> None:
    source = f"BLOCK = 64\nWARPS = 64\ndef run(x):\n    k[(1,)](x, {handed})\n"
    assert find_launch_settings(source, 4) == line


HELPER = """\
@triton.jit
def piece(p, start, n, BLOCK: tl.constexpr):
    at = start + tl.arange(0, BLOCK)
    inside = at < n
    return tl.load(p + at, mask=inside)

@triton.jit
def k(p, out, n, BLOCK: tl.constexpr):
    tl.store(out + 2 * n, piece(p, 0, n, BLOCK))

def run(x):
    k[(1,)](x, x, 3, BLOCK=4)
"""


def test_an_access_that_other_lines_place_and_one_in_a_helper() -> None:
    assert is_in_helper(HELPER, 5)
    assert not is_in_helper(HELPER, 9)
    assert not is_in_helper(HELPER, 12)
    assert is_placed_elsewhere(HELPER, 5)
    assert not is_placed_elsewhere(HELPER, 9)
    assert is_placed_elsewhere(HELPER.replace("mask=inside", "mask=at < n"), 5)
    assert is_placed_elsewhere(HELPER.replace("p + at,", "p + at * 2,"), 5)
    here = HELPER.replace("p + at, mask=inside", "p + at * 2, mask=at < n")
    assert not is_placed_elsewhere(here, 5)


def test_no_line_is_named_for_what_other_lines_have_made() -> None:
    """An error in a line of the starter, and in one that checks or runs what was built before."""
    case = dataclasses.replace(WRONG, pattern=None)
    source = "def build(x):\n    graph.lint()\n\ndef run(x):\n    return build(x)(x)\n"

    def told(line: int, kind: str = "RuntimeError", given: tuple[int, ...] = ()):
        error = LearnerError("odd", kind, line)
        wrong = dataclasses.replace(case, raised=error)
        evidence = CaseEvidence("function", "run", source, (wrong,), given=frozenset(given))
        return diagnose(evidence)[0]

    assert told(5).line == 5
    assert told(5, given=(4, 5)).line is None
    assert "(in line 5, which is the starter's)" in told(5, given=(4, 5)).message
    assert told(2).line is None
    assert "(seen in line 2)" in told(2).message
    assert told(5, "CheckpointError").line is None
    assert told(5, "RecursionError").line is None


HELD = """\
class Held(list):
    def __init__(self, x):
        self.x = x

def given(h):
    return h.x

def run(x):
    h = Held(x)[:]
    if isinstance(h, Held):
        h = [*map(len, x)]
    return given(h)
"""


def test_an_attribute_that_is_missing_leads_to_what_makes_the_object() -> None:
    """The line that asks for it is where it is seen: what lacks it was made before."""

    def told(text: str, source: str = HELD, given: tuple[int, ...] = ()):
        error = LearnerError(text, "AttributeError", 6, lines=(12, 6))
        wrong = dataclasses.replace(WRONG, pattern=None, raised=error)
        return diagnose(CaseEvidence("function", "run", source, (wrong,), given=frozenset(given)))[
            0
        ]

    first = told("'Held' object has no attribute 'x'")
    assert first.line is None
    assert "(seen in line 6)" in first.message
    assert first.message.endswith(" Look at what makes one: line 9.")
    handed = HELD.replace("Held(x)[:]", "[*map(len, x, Held)]")
    assert told("'Held' object has no attribute 'x'", handed).message.endswith(": line 9.")
    unmade = told("'Held' object has no attribute 'x'", HELD.replace("Held(x)[:]", "x[:]"))
    assert unmade.line is None
    assert "Look at" not in unmade.message
    foreign = told("'list' object has no attribute 'x'")
    assert (foreign.line, "Look at" in foreign.message) == (6, False)
    starters = told("'Held' object has no attribute 'x'", given=(5, 6))
    assert starters.line is None
    assert "(seen in line 12)" in starters.message
    assert starters.message.endswith("is of the starter. Look at what makes one: line 9.")


@pytest.mark.parametrize(
    ("loop", "steps"),
    [
        ("while i < n:\n    i += 0\n    j = 1", {"i": [2], "n": []}),
        ("while i < n:\n    j = i", {"i": [], "n": []}),
        ("while a < b:\n    if a:\n        a = 1\n    else:\n        b = 2", {"a": [3], "b": [5]}),
        ("while True:\n    i = 1", None),
        ("while rest():\n    i = 1", None),
        ("for i in range(3):\n    i = 1", None),
    ],
)  # fmt: skip
def test_what_moves_a_loop_towards_its_end(loop: str, steps: dict[str, list[int]] | None) -> None:
    assert find_steps(f"{loop}\n", 1) == steps


@pytest.mark.parametrize("levels", [100, 300, 900])
def test_a_long_chain_of_conditions_is_no_fault_of_the_judge(levels: int) -> None:
    """Python's own walks by recursion end in an error there: then no line is named."""
    given = "def given(x):\n    return x\n"
    chain = "".join(f"    elif x == {n}:\n        pass\n" for n in range(levels))
    source = f"{given}\n\ndef add(x):\n    if x is None:\n        pass\n{chain}"
    assert find_given_lines(source, given) == (frozenset({1, 2}) if levels == 100 else frozenset())
