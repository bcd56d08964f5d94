"""From facts to a cause: one row of evidence for each rule, and what must not be said."""

import dataclasses
import itertools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.catalog.course import open_course
from tutor.judge.comparison.patterns import Pattern
from tutor.judge.diagnosis.evidence import CaseEvidence, CaseFacts, place_text
from tutor.judge.diagnosis.fitted_rules import FITTED, linear_relation
from tutor.judge.diagnosis.observed_rules import OBSERVED, find_reason, stopped_ranks
from tutor.judge.diagnosis.rules import MAX_FINDINGS, diagnose
from tutor.judge.diagnosis.source_rules import dropped_keywords, precedence
from tutor.judge.model.verdict import KernelTraffic
from tutor.judge.processes.worker_messages.answers import HandledError
from tutor.judge.processes.worker_messages.kernel_report import AtomicOperation, KernelReport
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.judge.processes.worker_messages.rewrite_report import RewriteFault
from tutor.judge.server.finding_order import JudgedCases, tells_repair

SOURCE = "\n".join(f"line_{i}" for i in range(1, 40))


def pattern(**changes) -> Pattern:
    plain = Pattern(
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
    return dataclasses.replace(plain, **changes)


def right(name: str = "right", **changes) -> CaseFacts:
    return dataclasses.replace(CaseFacts(name, True, numel=100, largest=1.0, launches=1), **changes)


def wrong(name: str = "wrong", **changes) -> CaseFacts:
    return dataclasses.replace(
        CaseFacts(name, False, numel=100, largest=1.0, launches=1), **changes
    )


def size(number: int) -> dict[str, int]:
    return {"x.shape[0]": number}


def found(*cases: CaseFacts, kind: str = "kernel") -> list[str]:
    return [d.code for d in diagnose(CaseEvidence(kind, "add", SOURCE, cases))]


def report(**findings: list[dict]) -> KernelReport:
    return msgspec.convert(findings, KernelReport)


def outside(kind: str, masked: bool, lanes: int = 3, of: int = 8, **more) -> KernelReport:
    seen = {
        "kind": kind,
        "masked": masked,
        "line": 9,
        "program": [1, 0, 0],
        "lanes": lanes,
        "of": of,
        "lane": [5],
        "tile": [8],
        "tensor": "x",
        "first": 5,
        "elements": 5,
    }
    return report(out_of_bounds=[{**seen, **more}])


def report_of(**counts: int) -> KernelReport:
    return msgspec.convert(counts, KernelReport)


STORED = KernelTraffic("wrong", 1, 4, 400, 400, 400, 400, least=800)
MET = {
    "tensor": "out",
    "element": 4,
    "line": 9,
    "program": [1, 0, 0],
    "verb": "stores",
    "other": [0, 2, 0],
    "other_verb": "stores",
    "other_line": 7,
}
RACE = report(races=[MET])
CLASH = report(clashes=[{**MET, "other_verb": "changes atomically"}])
LANES = report(
    lanes=[
        {
            "tensor": "out",
            "element": 4,
            "line": 9,
            "program": [2, 0, 0],
            "lane": [0, 3],
            "other": [1, 3],
        }
    ]
)
SAME = report(same_stores=[{"line": 9, "tensor": "out", "programs": 4, "first": 0, "last": 7}])
ERROR = LearnerError("odd", "OddError", line=9, detail="Traceback")
BLOCKS, COLUMN = "every 2nd block of 8 elements from 8", "every element of column 3"
UNWRITTEN = pattern(unwritten=50, wrong=50, first=50, tail_from=50)

TABLE = {
    "an exception": ([wrong(raised=ERROR)], "crash"),
    "an error that a try of the starter caught": (
        [wrong(pattern=pattern(), swallowed=HandledError("by_export", "outcome", ERROR))],
        "crash",
    ),
    "a graph that a pass has made": (
        [wrong(rewrite=RewriteFault("long", "wrong-graph", "5 nodes are left, 3 would do."))],
        "wrong-graph",
    ),
    "None": ([wrong(returned="NoneType")], "wrong-signature"),
    "a list": ([wrong(returned="list")], "wrong-signature"),
    "no launch": ([right(launches=0), right("other", launches=0)], "did-not-launch"),
    "another device": ([wrong(device=("cpu", "cuda:0"))], "wrong-device"),
    "another dtype": ([wrong(dtype=("float16", "float32"))], "wrong-dtype"),
    "another shape": ([wrong(shape=((1, 5), (5,)))], "wrong-shape"),
    "a load without mask": ([wrong(seen=outside("load", masked=False))], "missing-mask"),
    "a store without mask": ([wrong(seen=outside("store", masked=False))], "missing-mask"),
    "a mask one too wide, loading": ([wrong(seen=outside("load", True))], "out-of-bounds-load"),
    "a mask one too wide, storing": ([wrong(seen=outside("store", True))], "out-of-bounds-store"),
    "a whole tile outside": (
        [wrong(seen=outside("load", False, 8, first=16, elements=16))],
        "out-of-bounds-load",
    ),
    "a whole tile outside, where tensors end within a tile": (
        [wrong(seen=outside("load", False, 8, first=24, elements=20))],
        "missing-mask",
    ),
    "a place before the tensor": (
        [wrong(seen=outside("store", False, first=-4, elements=20))],
        "out-of-bounds-store",
    ),
    "one lane off": ([wrong(seen=outside("load", False, 1, 1))], "out-of-bounds-load"),
    "a broken guard": ([wrong(guard_broken="x")], "out-of-bounds-store"),
    "one place": ([wrong(seen=SAME, pattern=UNWRITTEN)], "wrong-program-id"),
    "a changed input": ([wrong(changed="x", alias="x")], "input-modified"),
    "padding that enters": (
        [wrong(neutral=0.0, pattern=pattern(), seen=report(undefined=[{"line": 9, "lanes": 3}]))],
        "missing-mask",
    ),
    "a race": ([wrong(seen=RACE, pattern=pattern())], "race"),
    "lanes that meet": ([wrong(seen=LANES, pattern=pattern())], "race"),
    "an order that counts": (
        [wrong(seen=CLASH, pattern=pattern(zeros=True), order_counts=True)],
        "race",
    ),
    "a plain access that meets an atomic one": (
        [right(), wrong(seen=CLASH, pattern=pattern())],
        "race",
    ),
    "NaN inputs only": ([right(), wrong(special=True, pattern=pattern())], "nan-handling"),
    "large inputs only": (
        [right(), wrong(largest=1e4, pattern=pattern(overflowed=True))],
        "unstable-numerics",
    ),
    "large inputs only, finite": (
        [right(), wrong(largest=1e4, pattern=pattern())],
        "unstable-numerics",
    ),
    "views only": (
        [right(), wrong(contiguous=False, copied_right=True, pattern=pattern())],
        "wrong-stride",
    ),
    "views only, and their copies": (
        [right(), wrong(contiguous=False, pattern=pattern())],
        "wrong-values",
    ),
    "a store by the strides of a view": (
        [
            right(),
            wrong(
                contiguous=False,
                copied_right=True,
                pattern=pattern(),
                seen=outside("store", True),
            ),
        ],
        "wrong-stride",
    ),
    "written up to one number": (
        [
            wrong("a", numel=100, pattern=UNWRITTEN),
            wrong(
                "b",
                numel=300,
                pattern=pattern(total=300, wrong=250, unwritten=250, first=50, tail_from=50),
            ),
        ],
        "hard-coded-size",
    ),
    "an unwritten tail": ([wrong(pattern=UNWRITTEN)], "output-not-written"),
    "half precision": ([wrong(pattern=pattern(half_like=True))], "low-precision"),
    "exchanged places": (
        [wrong(pattern=pattern(permuted=True, comparable=True))],
        "wrong-values",
    ),
    "one factor": ([wrong(pattern=pattern(affine=(2.0, 0.0), comparable=True))], "wrong-values"),
    "nothing but zeros": (
        [wrong(pattern=pattern(zeros=True, comparable=True))],
        "wrong-values",
    ),
    "one number everywhere": (
        [
            wrong("a", pattern=pattern(constant=1.5, comparable=True)),
            wrong("b", pattern=pattern(constant=1.5, comparable=True)),
        ],
        "wrong-values",
    ),
    "lost signs": (
        [right(), wrong(pattern=pattern(zero_signs=50, half_like=True))],
        "wrong-values",
    ),
    "right only when compiled": ([right(), wrong(only_compiled=True)], "wrong-values"),
    "a view for a new tensor": ([right(), wrong(scattered=True)], "wrong-stride"),
    "NaN that was computed": ([right(), wrong(pattern=pattern(nan=50))], "unstable-numerics"),
    "NaN in every case": ([wrong(pattern=pattern(nan=50))], "wrong-values"),
    "NaN with the bits of new memory": (
        [
            right(),
            wrong(
                pattern=pattern(nan=50, unwritten=50), seen=report_of(unstored=0), traffic=STORED
            ),
        ],
        "unstable-numerics",
    ),
    "nothing special": ([wrong(pattern=pattern())], "wrong-values"),
}


@pytest.mark.parametrize(("cases", "code"), TABLE.values(), ids=TABLE.keys())
def test_facts_lead_to_a_cause(cases, code):
    assert found(*cases)[0] == code


def test_a_finding_on_views_says_what_was_seen_and_asks_nothing():
    cases = (right(), wrong(contiguous=False, copied_right=True, pattern=pattern()))
    finding = diagnose(CaseEvidence("kernel", "add", SOURCE, cases))[0]
    assert (finding.code, "?" in finding.message) == ("wrong-stride", False)


def test_every_rule_is_used_by_the_table():
    used = {
        rule
        for cases, _ in TABLE.values()
        for rule in (*OBSERVED, *FITTED)
        if rule(CaseEvidence("kernel", "add", SOURCE, tuple(cases)))
    }
    used |= {precedence, dropped_keywords}  # these read a source: test_source_rules
    used |= {stopped_ranks}  # of ranks: tests/judge/ranks
    assert [rule.__name__ for rule in (*OBSERVED, *FITTED) if rule not in used] == []


SAYS = {
    "a load without mask": (
        "Line 9 loads element 5 of `x`, which has 5 elements",
        "(program 1, lane 5 of 8, the first of 3 lanes outside)",
        "The load has no `mask=`.",
    ),
    "a mask one too wide, loading": ("Its mask is true there.",),
    "a whole tile outside": (
        "8 lanes outside",
        "No lane of it is inside the tensor. The load has no",
    ),
    "exchanged places": ("The right numbers stand in other places.",),
    "one lane off": ("(program 1).",),
    "one place": ("All 4 programs", "`out`", "elements 0 to 7", "line 9"),
    "a race": ("Program (1, 0) stores `out[4]` (line 9), which program (0, 2) stores (line 7)",),
    "lanes that meet": (
        "Lanes [0, 3] and [1, 3] of program 2 store different numbers to `out[4]` (line 9, case",
    ),
    "an order that counts": (
        "Program (1, 0) stores `out[4]` (line 9), which program (0, 2) changes atomically (line 7)",
        "another order gives another result (case “wrong”)",
    ),
    "a plain access that meets an atomic one": ("changes atomically (line 7)", "unless"),
    "another shape": ("[1, 5]", "[5]"),
    "a changed input": ("`x` was changed and returned",),
    "None": ("`add` returned None", "return"),
    "padding that enters": ("line 9", "3 lanes", "with 0 in them"),
    "written up to one number": ("element 50",),
    "an unwritten tail": ("Elements 50 to 99",),
    "one factor": ("twice what belongs there", "element 3"),
    "nothing but zeros": ("zeros",),
    "one number everywhere": ("the same number everywhere, 1.5, in “a”, and in every other",),
    "lost signs": ("The sign of zero is lost in 50 of 100 elements", "element 3"),
}


@pytest.mark.parametrize("name", SAYS)
def test_the_sentence_names_what_was_seen(name):
    (first, *_) = diagnose(CaseEvidence("kernel", "add", SOURCE, tuple(TABLE[name][0])))
    for word in SAYS[name]:
        assert word in first.message


def test_where_right_answers_mask_nothing_a_mask_is_not_asked_for() -> None:
    cases = tuple(TABLE["a load without mask"][0])
    (first, *_) = diagnose(CaseEvidence("kernel", "add", SOURCE, cases, masks=False))
    assert first.code == "out-of-bounds-load"
    assert "mask" not in first.message


def test_a_missing_mask_says_what_it_led_to():
    assert found(wrong(seen=outside("load", masked=False))) == [
        "missing-mask",
        "out-of-bounds-load",
    ]
    finding = diagnose(
        CaseEvidence("kernel", "add", SOURCE, (wrong(seen=outside("store", masked=False)),))
    )[0]
    assert (finding.line, finding.program_id) == (9, (1, 0, 0))


def test_a_race_names_the_program_as_triton_counts_it():
    (finding,) = diagnose(CaseEvidence("kernel", "add", SOURCE, (wrong(seen=RACE),)))
    assert (finding.line, finding.program_id) == (9, (1, 0, 0))


def test_a_race_of_programs_that_use_an_atomic_says_what_the_judge_cannot_see():
    seen = msgspec.structs.replace(RACE, atomics=(AtomicOperation("k", "ticket", 8),))
    assert "does not see whether it makes one wait" in said(wrong(seen=seen, pattern=pattern()))
    assert "does not see" not in said(wrong(seen=RACE, pattern=pattern()))


def test_a_lane_of_a_tile_has_an_index_for_each_dimension():
    seen = outside("load", masked=True, lanes=1, of=8, lane=[1, 3], tile=[2, 4])
    (finding, *_) = diagnose(CaseEvidence("kernel", "add", SOURCE, (wrong(seen=seen),)))
    assert "(program 1, lane [1, 3] of [2, 4])" in finding.message


def test_a_repair_of_several_lines_is_not_told_where_words_explain_every_wrong_case():
    def told(*facts: CaseFacts, lines: tuple[int, ...] = (3, 4), miss: str = "") -> bool:
        judged = JudgedCases(open_course().exercise("row_sum"), None, SOURCE, facts=list(facts))
        judged.near_miss = miss
        return tells_repair(judged, lines)

    known = wrong("a", mistake="A multiply-add is counted once.", pattern=pattern())
    near = wrong("b", misses=("the files are one",), pattern=pattern())
    other = wrong("c", pattern=pattern())
    assert not told(right(), known)
    assert told(known, lines=(3,))
    assert told(known, other)
    assert not told(right(), near, miss="the files are one")
    assert told(other)


def test_half_precision_counts_the_elements_that_it_shows_in():
    cases = [wrong(pattern=pattern(half_like=True, wrong=count)) for count in (50, 100)]
    source = "x = x.to(tl.float16)"
    said = [diagnose(CaseEvidence("kernel", "add", source, (c,)))[0].message for c in cases]
    assert "50 of 100 elements are close but not close enough" in said[0]
    assert "Every element is close but none is close enough" in said[1]


def test_a_counter_that_keeps_programs_apart_is_not_blamed_before_what_the_numbers_say():
    assert found(wrong(seen=CLASH, pattern=pattern(half_like=True))) == ["low-precision", "race"]


def test_an_out_of_bounds_access_is_the_cause_of_the_error_that_stopped_it():
    """The watch stops the access with an exception; the exception is not the news."""
    case = wrong(raised=ERROR, seen=outside("load", masked=True))
    assert found(case)[0] == "out-of-bounds-load"


def test_what_the_interpreter_saw_stands_before_what_a_gpu_stopped():
    """A GPU does not say whether it was a load; the interpreter saw one, in another case."""
    stopped = wrong(raised=LearnerError("CUDA error: an illegal memory access", "AcceleratorError"))
    assert found(stopped) == ["out-of-bounds-store"]
    assert (
        found(stopped, wrong("seen", seen=outside("load", masked=True)))[0] == "out-of-bounds-load"
    )


PLAIN = """\
@triton.jit
def k(x, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    inside = at < n
    tl.store(x + {address}, 1.0, mask={mask})


def run(x):
    k[(4,)](x, 3, B=4)
"""


@pytest.mark.parametrize(
    ("address", "mask", "line"),
    [
        ("at", "inside", None),  # what both are made of stands in other lines
        ("at * 2", "inside", None),
        ("at", "at <= n", None),
        ("at * 2", "at <= n", 5),
        ("at * 2", "at <= \n        n", 5),
        ("at * 2", "(\n        at <= n)", 6),  # the mask's own line
    ],
)
@pytest.mark.parametrize("kind", ["outside", "race"])
def test_an_access_is_named_only_where_its_place_is_worked_out(address, mask, line, kind):
    seen = outside("store", masked=True, line=5)
    if kind == "race":
        seen = report(races=[{**MET, "line": 5}])
        line = line and 5
    source = PLAIN.format(address=address, mask=mask)
    evidence = CaseEvidence("kernel", "run", source, (wrong(seen=seen),))
    first = diagnose(evidence)[0]
    assert first.line == line
    assert "line 5" in first.message.lower()
    if line is None and kind == "outside":
        # What makes the place is named before the line of the access.
        begins, _, ends = first.message.rpartition(". ")
        assert begins.startswith("A store reaches element 5 of `x`")
        assert "its address, `at` (line 3), and " in begins
        assert (
            "its mask, `inside` (line 4)." if mask == "inside" else "the mask itself."
        ) in begins
        assert begins.endswith("the launch (line 9)")
        assert "line 5" not in begins
        assert ends == "The store is in line 5."


def test_two_stores_that_meet_in_one_line_lead_to_what_makes_their_address():
    seen = report(races=[{**MET, "line": 5, "other_line": 5}])
    source = PLAIN.format(address="at", mask="inside")
    case = wrong(seen=seen)
    (first,) = diagnose(CaseEvidence("kernel", "run", source, (case,)))
    assert first.line is None
    assert first.message.startswith("Programs (1, 0) and (0, 2) both store `out[4]`. ")
    assert "The address comes from `at` (line 3)." in first.message
    assert first.message.endswith("the launch (line 9). The store is in line 5.")
    assert find_reason(case)[1] == "programs (1, 0) and (0, 2) both store `out[4]`"
    elsewhere = PLAIN.format(address="at * 2", mask="at < n")
    (other,) = diagnose(CaseEvidence("kernel", "run", elsewhere, (case,)))
    assert other.line == 5


def test_a_tile_without_a_mask_is_placed_by_other_lines_where_none_is_asked_for():
    """Where right answers have no mask, the address is at fault, and other lines make it."""
    source = PLAIN.format(address="at", mask="None").replace(", mask=None", "")
    cases = (wrong(seen=outside("store", masked=False, line=5)),)
    first = diagnose(CaseEvidence("kernel", "run", source, cases, masks=False))[0]
    assert (first.code, first.line) == ("out-of-bounds-store", None)
    assert first.message.startswith("A store reaches element 5 of `x`")
    missing = diagnose(CaseEvidence("kernel", "run", source, cases))[0]
    assert (missing.code, missing.line) == ("missing-mask", 5)


def test_an_access_of_a_helper_is_not_named_alone():
    source = PLAIN.format(address="at", mask="at < n").replace("k[(4,)](x, 3, B=4)", "k(x, 3, 4)")
    seen = outside("store", masked=False, line=5)
    first = diagnose(CaseEvidence("kernel", "run", source, (wrong(seen=seen),)))[0]
    assert first.line is None
    assert "where it is called" in first.message


@pytest.mark.parametrize("kind", ["function", "compiled"])
@pytest.mark.parametrize(
    "seen",
    [
        {"where": COLUMN},
        {"tail_from": 90, "first": 90, "wrong": 10},
        {"unwritten": 50},
        {"repeats": True, "where": BLOCKS},
        {"constant": 2.0, "comparable": True},
    ],
)
def test_a_message_names_no_lanes_where_the_exercise_has_no_kernel(kind, seen):
    cases = (right(), wrong(pattern=pattern(**seen)))
    text = " ".join(d.message for d in diagnose(CaseEvidence(kind, "add", SOURCE, cases)))
    for word in ("program", "lane", "tl.", "mask", "last block", "the loads"):
        assert word not in text


def test_right_cases_give_no_cause():
    assert found(right(), right("other")) == []
    # What PyTorch computes in a compiled function launches no kernel of the learner's.
    assert found(right(launches=0), kind="compiled") == []


def test_no_cause_is_named_twice_and_no_more_than_a_few():
    cases = tuple(itertools.chain.from_iterable(cases for cases, _ in TABLE.values()))
    codes = found(*cases)
    assert len(codes) == len(set(codes)) <= MAX_FINDINGS


facts = st.builds(
    wrong,
    numel=st.integers(0, 10**6),
    sizes=st.builds(size, st.integers(1, 3)),
    contiguous=st.booleans(),
    largest=st.floats(0, 1e6),
    special=st.booleans(),
    raised=st.sampled_from([None, ERROR, LearnerError("")]),
    returned=st.sampled_from(["", "NoneType", "list"]),
    shape=st.sampled_from([None, ((1,), (2,))]),
    pattern=st.none()
    | st.builds(
        pattern,
        wrong=st.integers(1, 100),
        unwritten=st.integers(0, 100),
        tail_from=st.none() | st.integers(1, 99),
        overflowed=st.booleans(),
        near=st.booleans(),
        half_like=st.booleans(),
        permuted=st.booleans(),
        affine=st.none() | st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
        zeros=st.booleans(),
    ),
    seen=st.sampled_from(
        [
            report(),
            RACE,
            SAME,
            outside("load", True),
            outside("store", False),
            report(
                out_of_bounds=[
                    {
                        "kind": "load",
                        "masked": False,
                        "line": None,
                        "program": [0, 0, 0],
                        "lanes": 1,
                        "of": 1,
                        "lane": [0],
                        "tile": [],
                    }
                ]
            ),
            CLASH,
            report(padded=[{"line": None, "lanes": 1}]),
        ]
    ),
    guard_broken=st.sampled_from(["", "x"]),
    changed=st.sampled_from(["", "x"]),
    neutral=st.sampled_from([None, 0.0, float("inf")]),
    order_counts=st.booleans(),
)


@pytest.mark.slow
@given(cases=st.lists(facts, min_size=1, max_size=4), passing=st.integers(0, 2))
@settings(max_examples=200, deadline=None)
def test_a_failed_case_always_has_a_cause_in_whole_sentences(cases, passing):
    every = (*(right(str(i), sizes=size(2)) for i in range(passing)), *cases)
    findings = diagnose(CaseEvidence("kernel", "add", SOURCE, every))
    assert 1 <= len(findings) <= MAX_FINDINGS
    for finding in findings:
        assert finding.message.endswith((".", "?"))
        assert finding.message[0].isupper() or finding.message[0] in "`1234567890"
        assert "{" not in finding.message


def test_padding_that_enters_names_both_loads_where_either_may_be_to_blame():
    both = report(undefined=[{"line": 23, "lanes": 3}], padded=[{"line": 16, "lanes": 3}])
    cases = (wrong(neutral=float("-inf"), pattern=pattern(), seen=both),)
    (finding, *_) = diagnose(CaseEvidence("kernel", "add", SOURCE, cases))
    assert "the loads in line 16 and line 23 mask lanes off" in finding.message
    assert finding.line == 16


def test_a_load_that_already_fills_its_lanes_with_what_is_neutral_is_not_to_blame():
    """`other=0.0` in line 13 and `other=-inf` in line 20, where 0 makes the case right."""
    loads = [{"line": 13, "lanes": 3, "fill": 0.0}, {"line": 20, "lanes": 3, "fill": -9.0}]
    cases = (wrong(neutral=0.0, pattern=pattern(), seen=report(padded=loads)),)
    (finding, *_) = diagnose(CaseEvidence("kernel", "add", SOURCE, cases))
    assert (finding.line, "the load in line 20 masks 3 lanes off" in finding.message) == (20, True)


def test_tf32_is_named_only_where_a_dot_can_have_caused_it():
    rough = wrong(pattern=pattern(half_like=True))
    (first, *_) = diagnose(CaseEvidence("kernel", "add", "acc = tl.dot(x, y, acc)", (rough,)))
    assert (first.code, "TF32" in first.message) == ("low-precision", True)
    (first, *_) = diagnose(CaseEvidence("kernel", "add", "acc += x * y", (rough,)))
    assert (first.code, "TF32" in first.message) == ("low-precision", False)


def test_a_few_elements_are_near_by_chance_unless_the_program_rounds_them():
    """A sum that counts some numbers twice is a few per cent off, as bfloat16 would be."""
    near = wrong(pattern=pattern(total=1, wrong=1, half_like=True))

    def code(source: str) -> str:
        return diagnose(CaseEvidence("kernel", "add", source, (near,)))[0].code

    assert code("mine += tl.load(x + at)") == "wrong-values"
    assert code("mine += tl.load(x + at).to(tl.float16)") == "low-precision"
    assert code("mine = tl.dot(x, y, mine)") == "low-precision"


def said(*cases: CaseFacts) -> str:
    return diagnose(CaseEvidence("kernel", "add", SOURCE, cases))[0].message


def line(factor: float, summand: float, **more) -> Pattern:
    return pattern(affine=(factor, summand), comparable=True, **more)


@pytest.mark.parametrize(
    ("factor", "summand", "words"),
    [
        (2.0, 0.0, "is twice what belongs there,"),
        (0.5, -1.0, "is half what belongs there minus 1,"),
        (-1.0, 0.0, "is minus what belongs there,"),
        (1.00001, 0.0, "is 1.00001 times what belongs there,"),
        (1.0, 1.0, "is 1 more than what belongs there,"),
        (1.0, -0.25, "is 0.25 less than what belongs there,"),
    ],
)
def test_a_factor_and_a_summand_in_words(factor, summand, words):
    assert words in said(wrong(pattern=line(factor, summand)))


def test_one_element_hides_no_factor_and_one_case_without_it_does():
    one = wrong("one element", pattern=pattern(total=1, wrong=1, first=0))
    many = [wrong(str(i), pattern=line(2.0, 0.0)) for i in range(3)]
    assert "twice" in said(one, *many)
    large = wrong("large", largest=1e4, pattern=pattern(comparable=True))
    assert "twice" in said(one, *many, large)  # large numbers may suffer from more
    assert "twice" not in said(one, *many, wrong("other", pattern=pattern(comparable=True)))


def test_a_factor_that_varies_is_said_to():
    some = wrong("short", pattern=line(0.5, 0.0)), wrong("long", pattern=line(0.1, 0.0, total=300))
    assert "0.1 times" in said(*some)
    assert "In “short” it is half" in said(*some)


def test_another_number_in_another_case_is_said():
    cases = [wrong(str(n), pattern=pattern(constant=n, comparable=True)) for n in (1.0, 2.0)]
    assert "in “2.0” it is another one" in said(*cases)
    assert "no element differs" not in said(*cases, wrong(pattern=pattern(comparable=True)))


def test_what_is_written_further_on_has_no_last_element():
    """Every second block left out: cases of one block and a bit end at the same element."""
    tail = UNWRITTEN, dataclasses.replace(UNWRITTEN, total=70, wrong=20, unwritten=20)
    cases = [wrong(str(p.total), numel=p.total, pattern=p) for p in tail]
    assert found(*cases)[0] == "hard-coded-size"
    hole = pattern(total=300, wrong=50, unwritten=50, first=50, repeats=True, where=BLOCKS)
    assert found(*cases, wrong(numel=300, pattern=hole)) == ["output-not-written"]
    assert f"elements of the output, {BLOCKS}, were never" in said(*cases, wrong(pattern=hole))
    assert found(*cases, right("longer", numel=300))[0] == "output-not-written"


PLACE = {"index": (0, 3), "got": 4.0, "want": 2.0, "comparable": True}


def evidence(*cases: CaseFacts, **more) -> CaseEvidence:
    return CaseEvidence("kernel", "add", SOURCE, cases, **more)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (
            pattern(**PLACE),
            "50 of 100 elements are wrong (smallest wrong case “wrong”, first at element [0, 3]: "
            "got 4, want 2).",
        ),
        (pattern(where=COLUMN, **PLACE), f"50 of 100 elements are wrong: {COLUMN} (smallest"),
        (pattern(wrong=100, where="every element", **PLACE), "All elements are wrong (smallest"),
        (pattern(wrong=1, **PLACE), "1 of 100 elements is wrong (smallest"),
        (pattern(total=1, wrong=1, **PLACE), "The result is wrong (smallest"),
    ],
)
def test_where_no_rule_knows_the_cause_none_is_named(shape, words):
    (finding,) = diagnose(evidence(right("whole"), wrong(pattern=shape)))
    assert finding.message.startswith(words)
    assert finding.message.endswith(
        "Right in 1 of 2 cases, as in “whole”. What does the task ask for there?"
    )
    assert (finding.code, finding.proof) == ("wrong-values", "")


def test_the_smallest_wrong_case_with_ordinary_numbers_is_shown():
    cases = [wrong(f"of {n}", pattern=pattern(total=n, wrong=n, **PLACE)) for n in (60, 4, 9)]
    huge = wrong("huge numbers", largest=1e4, pattern=pattern(total=2, wrong=2, **PLACE))
    assert "(smallest wrong case “of 4”" in said(*cases, huge)


def test_the_same_column_in_cases_of_several_sizes_is_an_observation():
    some = [wrong(str(n), pattern=pattern(total=n, where=COLUMN, **PLACE)) for n in (60, 70, 80)]
    (finding,) = diagnose(evidence(right(), *some))
    assert f"The same is wrong in all 3 cases, up to “80”: {COLUMN}." in finding.message
    assert (finding.code, finding.proof) == ("wrong-values", "observed")
    same = [wrong(str(n), pattern=pattern(where=COLUMN, **PLACE)) for n in (1, 2)]
    assert "The same is wrong" not in said(*same)


def test_what_was_seen_is_graded_as_observed():
    for name in ("a race", "half precision", "an unwritten tail", "a load without mask"):
        assert {d.proof for d in diagnose(evidence(*TABLE[name][0]))} == {"observed"}


def test_a_near_miss_that_explains_every_case_is_proven_and_stands_first():
    missed = {"pattern": pattern(), "misses": ("it is never causal",)}
    cases = [right(), wrong("a", seen=RACE, **missed), wrong("b", **missed)]
    first, *others = diagnose(evidence(*cases, near_miss="it is never causal"))
    assert (first.code, first.proof) == ("wrong-values", "proven")
    assert first.message.startswith("The output is what comes out if it is never causal (case “a”")
    assert [(d.code, d.proof) for d in others] == [("race", "observed")]


def test_a_near_miss_that_some_cases_agree_with_is_not_named():
    """Only `probes.near_miss_proof` names one; that outputs agree with it is not enough."""
    cases = [wrong("a", pattern=pattern(), misses=("`y` is left out",)), right()]
    (finding,) = diagnose(evidence(*cases))
    assert "left out" not in finding.message


def test_what_a_given_entry_returned_is_not_blamed_on_it():
    listed = wrong(returned="list")
    (given, *_) = diagnose(CaseEvidence("function", "run", SOURCE, (listed,), entry_given=True))
    assert given.message.startswith("`run`, which is the starter's, returned list")
    (own, *_) = diagnose(CaseEvidence("function", "run", SOURCE, (listed,)))
    assert own.message == "`run` returned list; it must be a tensor."


KNOWN = "A new maximum leaves the sum as it was."


def knowing(*sentences: str) -> list[CaseFacts]:
    return [wrong(str(i), mistake=s, pattern=pattern()) for i, s in enumerate(sentences)]


@pytest.mark.parametrize(
    ("sentences", "begins"),
    [
        ([KNOWN, ""], KNOWN),
        ([KNOWN, "", "", ""], KNOWN),  # the only one
        ([KNOWN, "", "", "", ""], "50 of 100"),
        (["Other.", KNOWN, KNOWN, ""], KNOWN),
        (["Other.", KNOWN, "", ""], "50 of 100"),
        (['"a" is 3.', '"b" is 4.', "", ""], '"a" is 3.'),  # one kind of sentence
        (["First.", "Second.", "Third."], "First."),  # each case has its own
    ],
)
def test_what_the_exercise_knows_is_said_where_it_fits_enough_cases(sentences, begins):
    assert said(*knowing(*sentences)).startswith(begins)


def test_numbers_that_differ_are_told_apart_in_a_sentence():
    near = pattern(index=(3,), got=1.0000001192092896, want=1.0000002384185791)
    assert place_text(wrong("sums"), near) == (
        "case “sums”, first at element 3: got 1.0000001, want 1.0000002"
    )
    scaled = wrong(pattern=pattern(comparable=True, affine=(1.0000001, 0.0)))
    said = linear_relation(CaseEvidence("kernel", "add", SOURCE, (scaled,)))
    assert said
    assert "is 1.0000001 times what belongs there" in said.message
