"""The ladder without a screen: order, links, folds, differences, the line of inputs."""

import itertools
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.reading import question
from tutor.ui.ladder.model import folding
from tutor.ui.ladder.model.comparison import StageComparison
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.stage_list import _stage_rows
from tutor.ui.ladder.stage_pane import _in_the_file
from tutor.ui.ladder.status_text import State, status_row
from tutor.xray.model.compiler import COMPILERS, INDUCTOR, Compiler
from tutor.xray.model.input_specs import split_inputs
from tutor.xray.model.stage_diff import diff
from tutor.xray.model.stage_lines import first_line
from tutor.xray.model.stages import Event, Failure, Link, Stage
from tutor.xray.model.subject import Subject, functions, last_function
from tutor.xray.triton_kernels.line_links import MOST_PAIRS, link_kernel
from tutor.xray.triton_kernels.source_positions import SourcePlace

PLACES = st.lists(
    st.none() | st.builds(SourcePlace, st.integers(1, 4), st.integers(1, 2)), max_size=60
)


def stage(name: str, kernel: str = "", text: str = "", language: str = "text") -> Stage:
    return Stage(name, name, language, text, kernel=kernel)


def test_the_order_is_the_contracts_whatever_came_first() -> None:
    ladder = Ladder(
        [
            stage("ptx", "b"),
            stage("ttir", "b"),
            stage("ttir", "a"),
            stage("wrapper"),
            stage("bytecode"),
            stage("bytecode", "rewritten1"),
            stage("source"),
        ]
    )
    keys = [each.key for each in ladder.order_stages()]
    assert keys == [
        "source",
        "bytecode",
        "bytecode:rewritten1",
        "wrapper",
        "ttir:b",
        "ptx:b",
        "ttir:a",
    ]
    assert ladder.below("source") == "bytecode"
    assert ladder.below("wrapper") == "ttir:b"
    assert ladder.below("ptx:b") == "ttir:b", "of the last stage, the one it came from"
    assert ladder.below("ttir:a") == ""
    assert ladder.step("ptx:b", 1) == "ttir:a"
    assert ladder.step("source", -1) == "source"


def test_a_name_stands_whole_beside_the_number_of_its_lit_lines() -> None:
    found = Ladder(
        [stage("source"), stage("bytecode"), stage("bytecode", "rewritten1"), stage("post_grad")]
    )
    lit = {"bytecode": frozenset({1, 2}), "post_grad": frozenset(range(1, 13))}
    lit["bytecode:rewritten1"] = frozenset(range(40))
    rows = [row.plain.rstrip() for _, row in _stage_rows(found, ("source",), lit, {})]
    assert rows[1:] == [
        "  bytecode     2 lines",
        "  bytecode rewritten 1",
        "  post_grad   12 lines",
    ]
    compared = _stage_rows(found, ("source",), {}, {"bytecode:rewritten1": "+3 −1"})
    assert compared[2][1].plain.split("\n") == ["  bytecode rewritten 1", f"{'+3 −1':>22}"]


def test_a_kernels_name_stands_whole_in_rows_of_the_list() -> None:
    name = "triton_poi_fused__to_copy_add_mul_relu_0"
    rows = _stage_rows(Ladder([stage("ttir", name)]), (), {}, {})
    assert rows[0][1].plain.split("\n") == [" triton_poi_fused__to_", " copy_add_mul_relu_0"]
    long = _stage_rows(Ladder([stage("ttir", "n" * 50)]), (), {}, {})[0][1].plain.split("\n")
    assert max(map(len, long)) == 22
    assert "".join(row.strip() for row in long) == "n" * 50


def test_a_text_of_inductors_begins_below_its_imports() -> None:
    wrapper = "import torch\n\nclass Runner:\n    def call(self, args):\n        pass\n"
    assert first_line("wrapper", wrapper) == 3
    assert first_line("triton", "import triton\n\n@triton.jit\ndef k(x):\n    pass") == 2
    assert first_line("triton", "@triton.jit\ndef k(x):\n    pass") == 0
    assert first_line("ptx", "def call(") == 0


WRITTEN = "The Triton kernel that Inductor wrote"


def of_graph(graph: str, kernel: str) -> list[Event]:
    """The first and last stages of a graph, and its kernel's."""
    return [
        Stage("dynamo", "", "fx", "", kernel=graph),
        Stage("ir_post_fusion", "", "inductor", "", kernel=graph),
        Stage("triton", WRITTEN, "python", "", kernel=kernel),
        Link(f"ir_post_fusion:{graph}".removesuffix(":"), 1, f"triton:{kernel}", 1),
    ]


def test_kernels_stand_with_their_graph_and_a_closed_graph_is_one_row() -> None:
    found = [stage("source"), *of_graph("", "a"), *of_graph("graph2", "b"), stage("triton", "own")]
    ladder = Ladder(found)
    keys = [each.key for each in ladder.order_stages()]
    first, second = keys[1:4], keys[4:7]
    assert first == ["dynamo", "ir_post_fusion", "triton:a"]
    assert second == ["dynamo:graph2", "ir_post_fusion:graph2", "triton:b"]
    assert ladder.below("ir_post_fusion") == "triton:a"
    assert ladder.below("ir_post_fusion:graph2") == "triton:b"
    assert ladder.below("source") == "dynamo"
    rows = _stage_rows(ladder, ("dynamo:graph2",), {}, {})
    assert [(key, row.plain.strip()) for key, row in rows] == [
        ("source", "source"),
        ("dynamo", "▸graph 1 · 1 kernel"),
        (None, "graph 2 · 1 kernel"),
        ("dynamo:graph2", "▸ dynamo"),
        ("ir_post_fusion:graph2", "ir_post_fusion"),
        (None, "b"),
        ("triton:b", "triton"),
        ("triton:own", "▸your own · 1 kernel"),
    ]


def test_one_graph_with_a_gradient_has_its_kernels_forward_and_backward() -> None:
    ladder = Ladder([*of_graph("", "a"), *of_graph("backward", "b")])
    assert ladder.sections() == {
        "dynamo": "",
        "ir_post_fusion": "",
        "triton:a": "forward",
        "dynamo:backward": "",
        "ir_post_fusion:backward": "",
        "triton:b": "backward",
    }
    assert set(Ladder(of_graph("", "a")).sections().values()) == {""}


def test_a_failure_stands_where_its_stage_would() -> None:
    ladder = Ladder([stage("triton", "k"), Failure("ttir:k", "no such name"), stage("triton", "l")])
    assert [each.key for each in ladder.order_stages()] == ["triton:k", "ttir:k", "triton:l"]
    assert ladder.stages["ttir:k"].text == "There is no ttir of k.\nno such name"
    assert [each.key for each in ladder.made] == ["triton:k", "triton:l"]
    assert ladder.unplaced == []
    rows = [row.plain.strip() for _, row in _stage_rows(ladder, ("triton:k",), {}, {})]
    assert rows == ["k", "▸  triton", "✗ ttir", "l", "triton"]
    ladder.add(Failure("triton:k", "it is there all the same"))
    assert [each.sentence for each in ladder.unplaced] == ["it is there all the same"]
    ladder.add(stage("ttir", "k", "text"))
    assert (ladder.missing, ladder.stages["ttir:k"].text) == (set(), "text")


def test_breaks_are_found_by_their_line_of_the_source() -> None:
    said = "It ends at a graph break. Line 9: graph break, print."
    broken = Stage("dynamo", "", "fx", "", (said,), counts=(("breaks_at_line", 4),))
    assert Ladder([stage("source"), broken]).breaks() == {4: "graph break, print."}


def test_lines_are_followed_up_and_down_but_never_back() -> None:
    ladder = Ladder(
        [
            Link("source", 1, "ttir", 5),
            Link("source", 1, "ttir", 6),
            Link("ttir", 5, "ptx", 9),
            Link("ttir", 6, "ptx", 10),
        ]
    )
    assert ladder.lit("source", 1) == {"ttir": {5, 6}, "ptx": {9, 10}}
    assert ladder.lit("ttir", 5) == {"source": {1}, "ptx": {9}}
    assert ladder.lit("ptx", 9) == {"ttir": {5}, "source": {1}}, "not line 10 of its own stage"
    assert ladder.lit("ptx", 77) == {}


def test_links_in_a_circle_end() -> None:
    ladder = Ladder([Link("a", 1, "b", 1), Link("b", 1, "a", 1)])
    assert ladder.lit("a", 1) == {"b": {1}}


@given(PLACES, PLACES)
def test_a_cursor_lights_the_lines_of_its_own_position(
    above: list[SourcePlace | None], below: list[SourcePlace | None]
) -> None:
    ladder = Ladder(link_kernel("k", "ttir:k", above, "ttgir:k", below))
    for mine, theirs, here, there in (
        (above, below, "ttir:k", "ttgir:k"),
        (below, above, "ttgir:k", "ttir:k"),
    ):
        for line, place in enumerate(mine, 1):
            same = {n for n, p in enumerate(theirs, 1) if p is not None and p == place}
            assert ladder.lit(here, line) == ({there: same} if same else {})


def test_every_line_of_an_unrolled_dot_lights_all_lines_of_its_position() -> None:
    above, between, below = (
        [SourcePlace(1, 1)] * 30,
        [SourcePlace(1, 1)] * 90,
        [SourcePlace(1, 1)] * 2000,
    )
    links = [
        *link_kernel("k", "ttgir:k", above, "llir:k", between),
        *link_kernel("k", "llir:k", between, "ptx:k", below),
    ]
    assert MOST_PAIRS < len(links) < 2 * (90 + 2000)
    ladder = Ladder(links)
    first, second, third = (set(range(1, count + 1)) for count in (30, 90, 2000))
    for line in (1, 17, 30):
        assert ladder.lit("ttgir:k", line) == {"llir:k": second, "ptx:k": third}
    for line in (1, 77, 90):
        assert ladder.lit("llir:k", line) == {"ttgir:k": first, "ptx:k": third}
    for line in (1, 1234, 2000):
        assert ladder.lit("ptx:k", line) == {"ttgir:k": first, "llir:k": second}


def test_a_line_with_many_partners_adds_nothing_to_its_neighbours() -> None:
    ladder = Ladder(
        [
            Link("source", 7, "dynamo", 1),
            *(Link("source", 1, "dynamo", n) for n in range(1, 400)),
        ]
    )
    assert ladder.lit("dynamo", 200) == {"source": {1}}
    assert ladder.lit("dynamo", 1) == {"source": {1, 7}}


def test_the_whole_way_of_a_line() -> None:
    links = [
        Link("source", 2, "dynamo", 5),
        Link("dynamo", 5, "forward", 9),
        Link("source", 3, "dynamo", 6),
    ]
    ladder = Ladder(links)
    assert ladder.lit("forward", 9) == {"dynamo": {5}, "source": {2}}
    assert ladder.lit("wrapper", 1) == {}
    assert ladder.lit("nowhere", 1) == {}


@pytest.mark.slow
@pytest.mark.budget
def test_a_cursor_waits_less_than_30_ms_in_a_large_xray() -> None:
    places = [SourcePlace(line // 40 + 1, line % 5 + 1) for line in range(20_000)]
    stages = ["triton:k", "ttir:k", "ttgir:k", "llir:k", "ptx:k", "sass:k"]
    ladder = Ladder(
        link
        for above, below in itertools.pairwise(stages)
        for link in link_kernel("k", above, places, below, places)
    )
    worst = 0.0
    for line in range(1, 20_000, 997):
        started = time.perf_counter()
        assert len(ladder.lit("llir:k", line)) == 5
        worst = max(worst, time.perf_counter() - started)
    assert worst < 0.030


PTX = [
    "add(",
    ")",
    "{",
    "\t.reg .b32 %r<3>;",
    "$L__BB0_1:",
    "\tadd.s32 %r1;",
    "\tbra $L__BB0_1;",
    "$L__BB0_2:",
    "\tret;",
    "}",
]
FX = ["class G:", "    def forward(self):", "        a = 1", "", "        b = 2", "    x = 3"]


@pytest.mark.parametrize(
    ("lines", "language", "at", "block"),
    [
        (PTX, "ptx", 4, (5, 7)),
        (PTX, "ptx", 6, (5, 7)),
        (PTX, "ptx", 8, (8, 9)),
        (PTX, "ptx", 1, None),
        (FX, "fx", 1, (2, 5)),
        (FX, "fx", 4, (2, 5)),
        (FX, "fx", 5, (1, 6)),
        (["a", "b"], "text", 1, None),
        ([], "text", 0, None),
    ],
)
def test_blocks_fold_under_their_heading(
    lines: list[str], language: str, at: int, block: tuple[int, int] | None
) -> None:
    assert folding.block(lines, at, language) == block


def test_debug_lines_are_known_by_language() -> None:
    text = ["\t.loc\t1 24 0", "\tadd.s32 %r1;", "// begin inline asm"]
    assert folding.debug_lines(text, "ptx") == {0, 2}
    assert folding.debug_lines(["#loc1 = loc(unknown)", "%0 = tt.load"], "ttir") == {0}
    assert folding.debug_lines(text, "python") == set()


texts = st.lists(st.sampled_from(["a", "b", "c", "  d", ""]), max_size=30).map("\n".join)


@given(texts, texts)
def test_a_difference_shows_every_change_and_true_lines(old: str, new: str) -> None:
    found = diff(old, new, "text")
    before, after = old.split("\n"), new.split("\n")
    assert found.same == (
        [x.strip() for x in before if x.strip()] == [x.strip() for x in after if x.strip()]
    )
    numbers = [number for number in found.numbers if number is not None]
    assert numbers == sorted(set(numbers)), "no line twice"
    for line, number, i in zip(found.lines, found.numbers, range(len(found.lines)), strict=True):
        if number is not None:
            assert after[number - 1] == line
        elif found.marks.get(i) == "removed":
            assert line in before
    kept = [line.strip() for line in before if line.strip()]
    assert found.added - found.removed == sum(map(bool, map(str.strip, after))) - len(kept)


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("ptx", "\t.loc\t1 3 0\n\tret;  // a.py:3", "\t.loc\t1 9 0\n\tret;  // a.py:9"),
        ("sass", "        /*0010*/   EXIT ;", "        /*0020*/   EXIT ;"),
        ("ttir", "tt.return loc(#loc14)", "tt.return loc(#loc2)"),
        ("llvm", "  ret void, !dbg !7", "  ret void, !dbg !12"),
        ("ptx", "\tadd.s32 %r1, %r2, 4;", "\tadd.s32 %r9, %r10, 4;"),
        ("sass", "   FADD R1, R2, R3 ;", "   FADD R11, R2, R4 ;"),
        ("ttgir", "%x_3 = tt.load %p", "%x_9 = tt.load %q"),
        ("llvm", "%3 = fadd float %1, %2", "%13 = fadd float %11, %2"),
    ],
)
def test_positions_addresses_and_numbering_are_no_change(language: str, old: str, new: str) -> None:
    assert diff(old, new, language).same


def test_another_instruction_is_a_change() -> None:
    found = diff("\tadd.s32 %r1, %r2, 4;\n\tret;", "\tadd.s32 %r1, %r2, 8;\n\tret;", "ptx")
    assert (found.added, found.removed) == (1, 1)
    assert found.lines[:2] == ("\tadd.s32 %r1, %r2, 4;", "\tadd.s32 %r1, %r2, 8;")


def test_a_renamed_kernel_is_compared_with_the_one_in_its_place() -> None:
    old = Ladder([stage("ptx", "poi_add_0", "add"), stage("ptx", "red_sum_1", "same")])
    now = Ladder([stage("ptx", "poi_mul_0", "mul"), stage("ptx", "red_sum_1", "same")])
    comparison = StageComparison("before", old, now)
    comparison.work()
    assert comparison.marks() == {"ptx:poi_mul_0": "+1 −1", "ptx:red_sum_1": "same"}


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("f32[8, 8]  128 x=True", ("f32[8,8]", "128", "x=True")),
        ("f32[8,8], i64[2]", ("f32[8,8]", "i64[2]")),
        ('"a b" (1, 2)', ('"a b"', "(1,2)")),
        ("  ", ()),
        ("f32[", ("f32[",)),
    ],
)
def test_inputs_are_split_outside_brackets_and_quotes(text: str, inputs: tuple[str, ...]) -> None:
    assert split_inputs(text) == inputs


def test_functions_of_a_text() -> None:
    source = "import triton\n@triton.jit\ndef k(a, B):\n    pass\ndef f(x):\n    return x\n"
    kernel, function = functions(source)
    assert (kernel.name, kernel.parameters, kernel.jit) == ("k", ("a", "B"), True)
    assert (function.name, function.jit) == ("f", False)
    assert last_function(source) == function
    assert functions("def f(:") == () == functions("(" * 10_000) == functions("\0")


def test_a_cell_may_show_what_the_ladder_has() -> None:
    assert INDUCTOR.names == question.STAGES


def test_logs_stand_last_and_nothing_becomes_one() -> None:
    ladder = Ladder(
        [
            Stage("source", "", "python", "def f(x):"),
            Stage("wrapper", "", "python", "call()"),
            Stage("log", "", "text", "fused", kernel="fusion"),
            Stage("triton", "", "python", "@triton.jit", kernel="k"),
        ]
    )
    assert [stage.key for stage in ladder.order_stages()] == [
        "source",
        "wrapper",
        "triton:k",
        "log:fusion",
    ]
    assert ladder.below("wrapper") == "triton:k"
    assert ladder.below("log:fusion") == ""


@pytest.mark.parametrize(
    ("compilers", "others_for", "said", "of_those_here"),
    [
        (("inductor",), "cpu", "sm_90", ""),
        (("tvm",), "cpu", "tvm for cpu", ""),
        (tuple(COMPILERS), "cpu", "6 compilers for cpu, 1 for sm_90", "1 of "),
        (("inductor", "tvm", "iree"), "sm_90", "3 compilers for sm_90", "1 of "),
        (("inductor", "inductor-cpu"), "cpu", "inductor-cpu for cpu, 1 for sm_90", ""),
    ],
)
def test_the_bar_counts_the_rows_of_the_table(
    compilers: tuple[str, ...],
    others_for: str,
    said: str,
    of_those_here: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subject = Subject("a.py", "", "f", compilers=compilers, others_for=others_for)
    state = State(running=True, against="", so_far=0.0, took=0.0, device="")
    monkeypatch.setattr(Compiler, "is_here", lambda _: True)
    what, _ = status_row(subject, Ladder(), state, {})
    assert what.plain == f"f · {said}"
    monkeypatch.setattr(Compiler, "is_here", lambda self: "inductor" in self.name)
    what, _ = status_row(subject, Ladder(), state, {})
    assert what.plain == f"f · {of_those_here}{said}"


def test_the_first_stage_has_the_numbers_of_the_file() -> None:
    text = "import torch\n\n\n@torch.no_grad()\ndef f(x):\n    return x + 1\n"
    first = Subject("a.py", text, "f").first_stage()
    assert first is not None
    assert first.numbers == (4, 5, 6)
    assert _in_the_file(first) == [4, 5, 6, None]
    assert _in_the_file(stage("dynamo", text="x\ny")) is None
    short = Stage("source", "", "python", "x\ny", numbers=(4,))
    assert _in_the_file(short) is None, "as one that is forged"
    assert _in_the_file(replace(short, numbers=(4, 0))) == [4, None, None]
