"""A verdict as lines of text, and as JSON and back."""

import dataclasses
import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tutor.judge.model.verdict import (
    Break,
    CaseResult,
    Chart,
    Diagnosis,
    GraphSummary,
    Latency,
    Mismatch,
    Roofline,
    Sample,
    Timing,
    Verdict,
    to_json,
    verdict_from_json,
)
from tutor.judge.reports.kept_attempt import kept_attempt
from tutor.judge.reports.verdict_document import write_case
from tutor.judge.reports.verdict_text import (
    format_headline,
    format_verdict,
    gcc_lines,
    summarize_verdict,
)

SOURCE = "import torch\n\ndef f(x):\n    print(x)\n    return x\n"
SAMPLE = Sample(0.19, (0.189, 0.191), 412)
RIGHT = CaseResult("one block", "f32[1024], f32[1024]", True, 1e-7, 2e-6, 1e-7)
WRONG = CaseResult(
    "tail of 1",
    "f32[1025], f32[1025]",
    False,
    3.1,
    2e-6,
    1e-7,
    Mismatch((1024,), math.nan, -0.53, 1, 1025),
    "note",
)
FULL = Verdict(
    exercise="vector_add",
    passed=False,
    device="cuda: NVIDIA H200",
    cases=(RIGHT, WRONG),
    diagnosis=(
        Diagnosis("missing-mask", "Line [9] has no mask.", 9, (1, 0, 0), "Traceback\n[/red] last"),
        Diagnosis("out-of-bounds-load", "It was stopped."),
    ),
    timing=Timing(
        SAMPLE,
        SAMPLE,
        SAMPLE,
        Roofline(805306368, 67108864, 0.168, 0.88, "memory", "4.8 TB/s"),
        "note",
    ),
    resources={"target": "sm_90", "registers": 24, "spills": 0, "shared_bytes": 0},
    graph=GraphSummary(2, (Break("a print", 4),), 1, 3, 4, (), 3_000_000, 1_000_000, 2_000_000),
    latency_ms=Latency(41.0, None, 90.0, 5.0),
    seed=7,
    output="printed [bold]\n",
    versions={"torch": "2.13"},
)


def test_json_and_back():
    plain = json.loads(json.dumps(to_json(FULL), allow_nan=False))
    again = verdict_from_json(plain)
    # NaN travels as a word; everything else comes back as it was.
    assert again.cases[1].mismatch is not None
    assert again.cases[1].mismatch.got == "nan"
    mended = dataclasses.replace(again.cases[1].mismatch, got=math.nan)
    assert to_json(again) == to_json(
        dataclasses.replace(FULL, cases=(RIGHT, dataclasses.replace(WRONG, mismatch=mended)))
    )
    assert again.diagnosis == FULL.diagnosis
    assert again.timing == FULL.timing
    assert again.graph == FULL.graph
    assert again.latency_ms == FULL.latency_ms


def test_the_smallest_verdict_and_back():
    small = Verdict("vector_add", False, "cpu")
    assert verdict_from_json(json.loads(json.dumps(to_json(small)))) == small


def test_lines_have_causes_in_order_timing_and_what_was_printed():
    text = "\n".join(format_verdict(FULL, SOURCE, verbose=True))
    at = [
        text.index(word)
        for word in (
            "✗ Lanes outside a tensor take part. 1 of 2",
            "  Line [9] has no mask.",
            "It reads outside a tensor: It was stopped.",
            "✓ right  one block",
            "0.190 ms, 95 % between 0.189 and 0.191, 412 samples",
            "88%",
            "2 graphs, 1 break, 4 compilations (1 needless), 3 kernels generated",
            "One call moves 4.0 MB: 3.0 MB read, 1.0 MB written; at least 2.0 MB are "
            "needed (2.00×).",
            "24 registers",
            "It printed:",
            "printed [bold]",
            "Original text (missing-mask):",
            "[/red] last",
        )
    ]
    assert at == sorted(at)


@pytest.mark.parametrize(
    ("first", "said"), [(41.0, "first case 41 ms, all 90 ms"), (None, "cpu · all 90 ms")]
)
def test_the_time_of_a_first_case_is_told_where_one_ran(first, said):
    verdict = Verdict("a", False, "cpu", latency_ms=Latency(first, None, 90.0))
    text = "\n".join(format_verdict(verdict, SOURCE, verbose=True))
    assert said in text
    assert "– ms" not in text


def test_an_untouched_starter_is_no_attempt_and_others_keep_their_headline():
    starter = "def f(x):\n    pass  # write it\n"
    assert kept_attempt(starter + "\n", starter, FULL) is None
    kept = kept_attempt(SOURCE, starter, FULL)
    assert kept is not None
    assert kept.verdict["headline"] == "Lanes outside a tensor take part"
    assert kept_attempt(starter, starter, dataclasses.replace(FULL, passed=True)) is not None


def test_a_long_detail_and_a_long_output_are_cut():
    verdict = dataclasses.replace(
        FULL,
        output="x" * 100_000,
        diagnosis=(Diagnosis("crash", "It crashed.", detail="line\n" * 10_000),),
    )
    assert sum(len(line) for line in format_verdict(verdict, SOURCE, verbose=True)) < 10_000
    assert len(format_verdict(verdict, SOURCE, verbose=True)) < 60


@pytest.mark.parametrize(
    ("verdict", "start"),
    [
        (FULL, "✗ Lanes outside a tensor take part. 1 of 2 cases"),
        (dataclasses.replace(FULL, passed=True, cases=(RIGHT,)), "✓ Right on 1 case (cuda"),
        (Verdict("a", True, "cpu-interpreter", (RIGHT,)), "✓ Right on 1 case (cpu-interpreter)."),
    ],
)
def test_the_headline_says_right_or_wrong_and_where(verdict, start):
    assert format_headline(verdict).startswith(start)


def case_lines(case: CaseResult) -> list[str]:
    """The lines of one case, where every case is asked for."""
    text = format_verdict(Verdict("a", False, "cpu", (case,)), verbose=True)
    return text[2 : text.index("", 2)]


def test_a_case_in_one_line_and_its_first_wrong_element_in_the_next():
    assert case_lines(RIGHT) == [
        "  ✓ right  one block  f32[1024], f32[1024]  error 1e-07, eager's 1e-07, allowed 2e-06"
    ]
    first, second = case_lines(WRONG)
    assert first.startswith("  ✗ wrong  tail of 1")
    assert "[1024]" in second
    assert "1 of 1025" in second
    (line,) = case_lines(CaseResult("c", "f32[1]", False, note="raised an error"))
    assert line.endswith("(raised an error)")


def test_values_have_four_digits_or_as_many_as_tell_them_apart():
    def second(got, want):
        mismatch = Mismatch((0,), got, want, 1, 1)
        return case_lines(dataclasses.replace(WRONG, mismatch=mismatch))[1]

    assert "got 0.1235, want 99.4;" in second(0.12345678, 99.40385848283768)
    assert "got 1.0000001, want 1;" in second(1.0000001, 1.0)
    assert "got 1.0000001, want 1.0000002;" in second(1.00000012, 1.00000024)
    assert "got -0, want 0;" in second(-0.0, 0.0)
    assert "got 7, want true;" in second(7, "true")


@given(st.floats(1e-12, 1e12), st.floats(1.0, 1.5, exclude_min=True))
def test_an_error_over_what_is_allowed_never_reads_as_equal_to_it(bound, times):
    case = dataclasses.replace(WRONG, max_abs_err=bound * times, bound=bound, eager_err=bound / 4)
    assume(bound * times > bound)
    error, _, allowed = write_case(case).numbers
    assert float(error.text) > float(allowed.text)
    assert f"error {error.text}, " in case_lines(case)[0]
    assert f"allowed {allowed.text}" in case_lines(case)[0]


def test_cases_that_are_wrong_in_one_way_are_one_line():
    shape = [CaseResult(f"n {n}", f"f32[{n}]", False, note=f"shape [{n}]") for n in (3, 4)]
    verdict = dataclasses.replace(FULL, cases=(RIGHT, WRONG, *shape))
    text = [line for line in format_verdict(verdict, SOURCE) if line.startswith("  ✗")]
    assert text == ["  ✗ “tail of 1”: note", "  ✗ 2 cases, such as “n 3”: shape [3]"]


def test_gcc_lines_have_file_line_and_column_of_each_cause():
    at_line = dataclasses.replace(FULL.diagnosis[0], line=4)
    verdict = dataclasses.replace(FULL, diagnosis=(at_line, FULL.diagnosis[1]))
    assert gcc_lines(verdict, SOURCE, "a b.py") == [
        "a b.py:4:5: error: Line [9] has no mask. [missing-mask]",
        "a b.py:1:1: error: It was stopped. [out-of-bounds-load]",
        format_headline(verdict),
    ]
    untouched = gcc_lines(verdict, SOURCE, "f.py", SOURCE)
    assert untouched[0] == "f.py:4:5: error: This is still the starter."
    passed = dataclasses.replace(FULL, passed=True)
    assert gcc_lines(passed, SOURCE, "f.py") == [format_headline(passed)]


def test_eagers_error_stands_beside_the_learners_where_it_is_known():
    assert "eager's inf" in case_lines(dataclasses.replace(WRONG, eager_err="inf"))[0]
    (unknown,) = case_lines(dataclasses.replace(RIGHT, eager_err=None))
    assert unknown.endswith("error 1e-07, allowed 2e-06")


def test_each_break_with_its_line_its_reason_and_what_stands_there():
    text = format_verdict(FULL, SOURCE)
    at = text.index("    break, line 4: a print")
    assert text[at + 1] == "      4 | print(x)"
    named = (dataclasses.replace(FULL.diagnosis[0], line=4),)
    once = format_verdict(dataclasses.replace(FULL, diagnosis=named), SOURCE)
    assert [line.strip() for line in once].count("4 | print(x)") == 1  # with the cause
    elsewhere = dataclasses.replace(FULL, graph=GraphSummary(2, (Break("one"), Break("two", 99))))
    text = format_verdict(
        elsewhere, SOURCE
    )  # not in the learner's file; a line that it does not have
    at = text.index("    break: one")
    assert text[at + 1] == "    break, line 99: two"
    assert not any("|" in line for line in text[at:])


def test_kernels_that_were_not_counted_are_said_to_be():
    never = dataclasses.replace(FULL, graph=GraphSummary(1), timing=None)
    assert any("kernels not counted" in line for line in format_verdict(never, SOURCE))


def test_the_seed_is_told_as_what_judges_with_it_again():
    line = "  Same inputs again: tutor check vector_add [FILE] --seed 7"
    for verdict in (FULL, dataclasses.replace(FULL, passed=True, diagnosis=(), cases=(RIGHT,))):
        text = format_verdict(verdict, SOURCE)
        assert text[-1] == line  # below all that was printed
    unloaded = dataclasses.replace(FULL, cases=())  # no inputs were made
    assert not any("--seed" in line for line in format_verdict(unloaded, SOURCE))


def test_a_summary_ends_a_long_message_between_two_words():
    long = "The first line loads what nobody stored. " * 20
    found = summarize_verdict(
        dataclasses.replace(FULL, diagnosis=(Diagnosis("race", long),)), SOURCE
    )
    message = found.splitlines()[0]
    assert message.endswith(" …")
    assert len(message) <= 361
    assert long.startswith(message[:-1])


CHARTED = dataclasses.replace(
    FULL,
    chart=Chart(
        "“ten at once”, by your policy",
        "steps",
        (("r0", 0.0, 1.0, "prefill 8"), ("r0", 1.0, 4.0, "decode"), ("r1", 0.0, 4.0, "waits")),
    ),
)


def test_a_chart_is_drawn_and_in_plain_mode_told_in_words():
    drawn = format_verdict(CHARTED)
    at = drawn.index("“ten at once”, by your policy:")
    assert drawn[at + 1].startswith("  r0  prefill 8")
    assert drawn[at + 4] == "  ██ prefill   ░░ decode   ▓▓ waits"
    assert all(len(line) <= 80 for line in drawn[at:] if "█" in line)
    told = format_verdict(CHARTED, plain=True)
    assert "    r0: prefill 8 from 0 to 1; decode from 1 to 4." in told
    assert not any("█" in line for line in told)


def test_a_chart_that_cannot_be_drawn_is_a_sentence():
    crossed = (("r0", 0.0, 2.0, "decode"), ("r0", 1.0, 3.0, "waits"))
    chart = dataclasses.replace(CHARTED.chart, spans=crossed)
    lines = format_verdict(dataclasses.replace(CHARTED, chart=chart))
    assert "  There is no chart: r0 does decode to 2 and waits from 1." in lines


def test_a_chart_comes_back_from_json():
    assert verdict_from_json(json.loads(json.dumps(to_json(CHARTED)))).chart == CHARTED.chart
