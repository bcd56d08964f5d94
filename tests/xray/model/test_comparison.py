"""Compilers side by side: the table's rows, recorded ladders, and lines of one origin."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from tutor.base.errors import UsageError
from tutor.base.extras import Extra
from tutor.ui.ladder.model.stages import Ladder
from tutor.xray.model.comparison import compare_compilers
from tutor.xray.model.comparison_table import fit_table, format_comparison
from tutor.xray.model.compiler import COMPILERS, INDUCTOR, Compiler, StageKind, find_compilers
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.recorded_ladders import MOST_TEXT, RecordedLadder, find_recorded, shorten
from tutor.xray.model.stages import Event, Failure, Link, Request, Stage, Xray
from tutor.xray.torch_compile.fusion import Group, fusion_notes

NAMES = ("before", "after", "result")
ABSENT = Compiler(
    name="absent",
    unit="nest",
    stages=tuple(StageKind(name, name, "mlir") for name in NAMES),
    before="before",
    after="after",
    memory=("after", "before"),
    targets=("cpu",),
    gpus=("sm_80",),
    extra=Extra(
        "absent", "A compiler that is nowhere", ("no_such_module",), ("no-such-package==1.0",)
    ),
)
SOURCE = "def f(x):\n    y = x * 2\n    return y + 1\n"


@pytest.fixture(autouse=True)
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMPILERS, "absent", ABSENT)


def stage(name: str, **more: object) -> Stage:
    values: dict[str, object] = {"text": "one\ntwo", "compiler": "absent", "ms": 250.0, **more}
    return Stage(name, name, "mlir", **values)  # type: ignore[arg-type]


ADDS = ("add", "mul")
EVENTS: list[Event] = [
    Stage("source", "Source", "python", SOURCE),
    Stage("exported", "Exported", "fx", "mul\nadd", counts=(("operations", 2),)),
    Link("source", 2, "exported", 1),
    Link("source", 3, "exported", 2),
    stage("before", counts=(("units", 2), ("buffers", 2), ("bytes", 1024))),
    stage("after", counts=(("units", 1), ("buffers", 1), ("bytes", 2048)), notes=("f: mul, add",)),
    stage("result", counts=(("difference", 1.2e-7),)),
    Link("exported", 1, "absent/before", 1),
    Link("exported", 2, "absent/before", 2),
    Link("absent/before", 1, "absent/after", 1),
    Stage("ir_pre_fusion", "Before", "inductor", "op0", counts=(("units", 3),)),
    Stage(
        *("ir_post_fusion", "After", "inductor", "op0"),
        notes=fusion_notes(
            [Group(("op0",), ("mm",), "call"), Group(("op1", "op2"), ADDS, "kernel")], []
        ),
        counts=(("units", 2), ("library_calls", 1)),
    ),
    Stage("wrapper", "Wrapper", "python", "", counts=(("buffers", 0), ("allocations", 1))),
    Link("source", 2, "ir_pre_fusion", 1),
]


def test_a_row_counts_what_its_compiler_made() -> None:
    compared = compare_compilers((INDUCTOR, ABSENT), EVENTS, ("sm_90", "cpu"))
    assert (compared.operations, compared.lines) == (2, 2)
    inductor, other = compared.rows
    assert (inductor.target, inductor.before, inductor.after) == ("sm_90", 3, 2)
    assert (inductor.library_calls, inductor.buffers) == (1, 0)
    assert inductor.fusions == (("op0 (a call)", "mm"), ("op1 + op2", "add, mul"))
    assert (other.before, other.after, other.buffers, other.bytes) == (2, 1, 3, 3072)
    assert (other.lines_kept, other.kept_until) == (1, "after"), "line 3 ends before fusion"
    assert other.fusions == (("f", "mul, add"),)
    assert other.difference == 1.2e-7
    lines = list(format_comparison(compared, "f"))
    assert lines[0] == "f: 2 operations of ATen, from 2 lines of source"
    assert "2 → 1 " in lines[3]
    assert "3, 3 KiB" in lines[3]
    assert "3 → 1 + 1 call " in lines[2]
    assert "1/2 after" in lines[3]
    assert max(map(len, lines)) <= 80
    assert all(any(f"{head}: " in line for line in lines) for head in ("units", "error", "s"))
    narrow = fit_table(compared, 50)
    assert "1/2    1e-07" in narrow[2], "the stage goes where there is no room"
    assert compared.to_json()["rows"][1]["after"] == 1


@pytest.mark.parametrize(
    ("failure", "target", "said"),
    [
        (Failure("absent/", ABSENT.say_missing()), "cpu", "not installed"),
        (Failure("absent/", ABSENT.refuse_target("sm_90")), "sm_90", "not for sm_90"),
        (Failure("absent/", "stopped: SIGSEGV"), "cpu", "stopped"),
        (Failure("absent/before", "it knows no such operation"), "cpu", "stopped: before"),
        (Failure("exported", "torch.export does not take it"), "cpu", "no export"),
    ],
)
def test_a_row_without_units_says_why(failure: Failure, target: str, said: str) -> None:
    events: list[Event] = [EVENTS[0], failure]
    compared = compare_compilers((INDUCTOR, ABSENT), events, (target, target))
    assert compared.rows[1].failures == (failure.sentence,)
    assert compared.rows[0].failures == ()
    shown = list(format_comparison(compared, "f"))
    (line,) = [line for line in shown if line.startswith("absent")]
    explained = any(line.startswith("no export: torch.export") for line in shown)
    assert explained == (said == "no export"), "a word of the table is explained below it"
    assert re.split("  +", line)[1:] == [said, "-", "-", "-", "-"], "one target has no column"


def test_a_compiler_without_a_stage_is_not_here() -> None:
    events: list[Event] = [*EVENTS[:4], Failure("absent/", ABSENT.say_missing())]
    (row,) = compare_compilers((ABSENT,), events, ("sm_90", "cpu")).rows
    assert row.failures == (
        "A compiler that is nowhere is not installed here: "
        "python -m pip install 'no-such-package==1.0'",
    )
    assert not ABSENT.is_here()
    assert "sm_80" in ABSENT.refuse_target("sm_90")
    assert ABSENT.refuse_target("sm_80") == ""


def test_names_of_compilers_are_checked() -> None:
    assert find_compilers(("absent", "inductor")) == (INDUCTOR, ABSENT)
    with pytest.raises(UsageError, match="no compiler 'gcc'"):
        find_compilers(("gcc",))


def test_a_line_lights_the_other_compilers_lines_of_its_origin() -> None:
    ladder = Ladder(EVENTS)
    assert ladder.lit("ir_pre_fusion", 1)["absent/after"] == {1}
    assert "absent/after" not in ladder.lit("absent/before", 2)
    order = [each.key for each in ladder.order_stages()]
    assert (
        order.index("ir_post_fusion") < order.index("absent/before") < order.index("absent/after")
    )
    assert ladder.sections()["absent/after"] == "absent"
    assert Ladder(EVENTS[:10]).sections()["absent/after"] == "", "one compiler needs no heading"
    ladder.add(Failure("absent/result", "it crashed"))
    assert "absent/result" not in ladder.missing, "the stage is there"
    fresh = Ladder([Failure("absent/after", "it crashed")])
    assert "it crashed" in fresh.stages["absent/after"].text


def test_a_recorded_ladder_is_shown_for_its_function_only(tmp_path: Path) -> None:
    stages = tuple(event for event in EVENTS if isinstance(event, Stage))[:5]
    xray = Xray("cpu", "pretend", stages)
    made = RecordedLadder(
        "f", SOURCE, ("f32[8]",), "1 May 2026", {"torch": "2.13"}, {"absent": xray}
    )
    (tmp_path / "f.json").write_text(json.dumps(made.to_json()), "utf-8")
    (tmp_path / "damaged.json").write_text("{", "utf-8")
    inputs = parse_inputs(("f32[8]",))
    laid_out = "def f(x):\n\n    y = (x * 2)\n    return y + 1  # the same\n"
    request = Request("f.py", "f", inputs, "sm_90", None, False, laid_out)
    found = find_recorded(tmp_path, request, "absent")
    assert found == made
    assert found.events("absent")[0].notes == (  # type: ignore[union-attr]
        "Recorded on 1 May 2026 with torch 2.13; not made here.",
    )
    (row,) = compare_compilers((ABSENT,), found.events("absent"), ("sm_90", "cpu")).rows
    assert row.recorded == "Recorded on 1 May 2026 with torch 2.13; not made here."
    assert made.compare().rows[0].recorded == "", "where it is told by itself"
    others = (
        dataclasses.replace(request, source=SOURCE.replace("2", "3")),
        dataclasses.replace(request, inputs=parse_inputs(("f32[9]",))),
        dataclasses.replace(request, others_for="sm_80"),
    )
    assert [find_recorded(tmp_path, other, "absent") for other in others] == [None] * 3
    assert find_recorded(tmp_path, request, "inductor") is None


def test_a_long_text_is_recorded_in_part() -> None:
    long = stage("after", text="line\n" * MOST_TEXT)
    short = shorten(long)
    assert len(short.text) <= MOST_TEXT
    assert short.text.endswith("line\n")
    assert "lines were recorded" in short.notes[0]
    assert shorten(short) == short
