"""The lab's verdict as text: what stands in it at once, and what under its detail."""

from dataclasses import replace
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region

from tutor.judge.model.verdict import (
    Break,
    CaseResult,
    Chart,
    Diagnosis,
    GraphSummary,
    Verdict,
)
from tutor.judge.reports.document import Cases
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_document import write_case
from tutor.ui.verdict.verdict_view import VerdictView, case_lines, verdict_lines

SOURCE = "def f(x):\n    print(x)\n    if x.sum() > 0:\n        x = -x\n    return x\n"
CASE = CaseResult("a vector", "f32[1025], i32[1025]", True, 1.25e-7, 2e-6, 3.5e-8)
BROKEN = Verdict(
    "fix_graph_breaks",
    False,
    "cpu",
    (CASE,),
    diagnosis=(Diagnosis("graph-break", "Graph breaks: 2.", 2, detail="a print\n\na branch"),),
    graph=GraphSummary(3, (Break("a print", 2), Break("a `branch`", 3), Break("elsewhere"))),
    seed=11,
    output="printed\n",
)


def text(verdict: Verdict, width: int = 80, *, detail: bool = False) -> str:
    return verdict_lines(Report(SOURCE).after(verdict), width, detail=detail).plain


def test_eagers_error_stands_between_the_learners_and_the_bound_in_the_detail() -> None:
    assert "eager" not in text(BROKEN)
    rows = text(BROKEN, detail=True).splitlines()
    head = next(row for row in rows if "allowed" in row)
    row = next(row for row in rows if "✓ right" in row)
    assert head.split() == ["case", "inputs", "error", "eager's", "allowed"]
    assert row.split()[-3:] == ["1.2e-07", "3.5e-08", "2e-06"]
    assert len(head) == len(row)


def test_an_error_of_eager_that_is_not_known_is_a_dash() -> None:
    unknown = replace(BROKEN, cases=(replace(CASE, eager_err=None),))
    row = next(row for row in text(unknown, detail=True).splitlines() if "✓ right" in row)
    assert row.split()[-3:] == ["1.2e-07", "–", "2e-06"]


def test_cases_without_numbers_have_no_columns_of_them() -> None:
    bare = replace(CASE, max_abs_err=None, eager_err=None, bound=None)
    shown = text(replace(BROKEN, cases=(bare, bare)), detail=True)
    assert "case" in shown
    assert "allowed" not in shown
    assert "–" not in shown


@pytest.mark.parametrize("width", [40, 48, 80, 120])
def test_no_row_of_the_cases_is_wider_than_the_page(width: int) -> None:
    named = replace(BROKEN, cases=(replace(CASE, name="a name of some length " * 3),))
    rows = text(named, width, detail=True).splitlines()
    assert all(len(row) <= width for row in rows if "right" in row or "allowed" in row)


def test_each_break_has_its_line_and_no_line_stands_there_twice() -> None:
    shown = text(BROKEN)
    assert "break, line 2: a print\nbreak, line 3: a branch\n▸   3  if x.sum() > 0:" in shown
    assert "break: elsewhere" in shown
    assert shown.count("print(x)") == 1  # with the cause


def test_the_seed_stands_below_everything_that_is_wrong() -> None:
    assert text(BROKEN).splitlines()[-1] == (
        "Same inputs again: tutor check fix_graph_breaks [FILE] --seed 11"
    )
    assert "--seed" not in text(replace(BROKEN, cases=()))


def test_kernels_that_were_not_counted_are_said_to_be() -> None:
    assert "kernels not counted (nothing was timed)" in text(BROKEN)
    assert BROKEN.graph is not None
    assert ", 3 kernels generated" in text(replace(BROKEN, graph=replace(BROKEN.graph, kernels=3)))


def test_an_untouched_starter_has_one_sentence_and_its_cases_in_the_detail() -> None:
    starter = "def f(x):\n    # Write the function.\n    return x\n"
    wrong = Verdict("fma", False, "cpu", (replace(CASE, passed=False),), seed=11)
    report = Report(starter, starter).after(wrong)
    short = verdict_lines(report, 80).plain
    assert short.splitlines() == [
        "✗ Not written yet",
        "",
        "This is still the starter, and line 2 says what is missing: “Write the function”.",
    ]
    assert CASE.name in verdict_lines(report, 80, detail=True).plain
    elsewhere = replace(
        wrong, diagnosis=(Diagnosis("out-of-bounds-load", "Line 3 loads.", line=3),)
    )
    assert list(Report(starter, starter).after(elsewhere).lines) == [2], "where there is to write"
    written = Report(starter.replace("return x", "return -x"), starter).after(wrong)
    assert CASE.name in verdict_lines(written, 80).plain


class Page(App[None]):
    """A verdict on a page that scrolls."""

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield VerdictView()


async def test_a_report_that_fits_the_page_asks_for_no_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []
    refresh = VerdictView.refresh

    def counted(self: VerdictView, *regions: Region, layout: bool = False, **more: Any) -> Any:
        asked.append(layout)
        return refresh(self, *regions, layout=layout, **more)

    async with Page().run_test(size=(60, 20)) as pilot:
        view = pilot.app.query_one(VerdictView)
        view.show(Report(SOURCE))
        await pilot.pause()
        monkeypatch.setattr(VerdictView, "refresh", counted)
        for count in range(1, 8):
            view.show(Report(SOURCE, cases=(CASE,) * count))
            await pilot.pause()
            assert f"{count} right" in view.render().plain
        view.show(Report(SOURCE, trouble="Stopped."))
        await pilot.pause()
        assert asked
        assert not any(asked)
        assert view.content_size.height == 20
        view.show(Report(SOURCE, cases=(replace(CASE, passed=False),) * 40))
        await pilot.pause()
        assert any(asked)
        assert view.content_size.height > 40


def test_the_inputs_of_a_case_are_wrapped_in_their_column() -> None:
    inputs = "f32[64, 128], f16[128, 32], i64[64]"
    cases = (
        replace(CASE, name="wide rows", inputs=inputs),
        replace(CASE, name="a row", inputs="i8[1]"),
    )
    rows = text(replace(BROKEN, cases=cases), 58).splitlines()
    head = next(at for at, row in enumerate(rows) if "inputs" in row)
    column = rows[head].index("inputs")
    left, right = rows[head].index("case"), rows[head].index("error") - 4
    assert [row[column:right].strip() for row in rows[head + 1 : head + 4]] == [
        "f32[64, 128],",
        "f16[128, 32], i64[64]",
        "i8[1]",
    ]
    assert rows[head + 2][left:column].strip() == ""


def test_a_long_name_of_a_case_leaves_room_for_the_inputs() -> None:
    long = CaseResult("scores far below zero, causal", "f16[2,16,128,64], f16[2,16,128,64]", True)
    short = CaseResult("one", "f16[1,1,1,1], f16[1,1,1,1]", True)
    cases = Cases((write_case(long), write_case(short)))
    text = case_lines(cases, 58).plain
    rows = text.split("\n")
    assert "inputs" in rows[0]
    assert all(part in text for part in ("scores far", "below zero,", "causal", "f16[2,16,128,64]"))
    assert max(map(len, rows)) <= 58
    narrow = case_lines(cases, 38).plain
    assert "inputs" not in narrow.split("\n")[0]
    assert "causal" in narrow


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_chart_has_the_width_of_the_page(width: int) -> None:
    spans = tuple((f"r{n}", 1.5 * n, 3.0 * n + 5, "decode") for n in range(9))
    shown = text(replace(BROKEN, chart=Chart("By your policy", "ms", spans)), width)
    rows = shown[shown.index("By your policy:") :].splitlines()[1:13]
    assert [row.split()[0] for row in rows[:9]] == [f"r{n}" for n in range(9)]
    assert width - 2 <= max(len(row) for row in rows[:9]) <= width
    assert "decode" in rows[10]
