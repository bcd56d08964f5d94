"""The text of a verdict: the causes with their lines, the cases and the times.

`Report` holds the events so far, `verdict_lines` draws it for a width, and `VerdictView` is the widget.
Everything that comes from the learner's code is bounded and is never read as markup.
"""

import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tutor.judge.client import Event, Progress
from tutor.judge.diagnosis.error_messages import graph_break
from tutor.judge.model.verdict import (
    CaseResult,
    Diagnosis,
    GraphSummary,
    Mismatch,
    Timing,
    Verdict,
    WrongMap,
)
from tutor.judge.reports.cause_texts import HEADLINES
from tutor.judge.reports.unwritten_answer import missing_lines, unwritten
from tutor.judge.reports.verdict_text import (
    NOT_COUNTED,
    PARTLY,
    WRONG,
    map_lines,
    moved_line,
    replay_line,
    resource_lines,
    source_line,
    traffic_line,
)
from tutor.ui.kit.text.inline_markdown import ticked
from tutor.ui.kit.text.phrases import cut, hanging, plural
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.verdict.timing_bars import timing_lines

_WIDE_ENOUGH = 48  # columns for a case's mark, its name and three numbers
_LEAST_INPUTS = 18  # columns for the inputs beside a longer name, which is wrapped then
_LEAST_NAME = 12
_INPUT_LINES = 3  # of a case, beside its name
_GOOD, _BAD, _QUIET = "bold $success", "bold $error", "$foreground 70%"


@dataclass(frozen=True)
class Report:
    """The state of a submission so far. `source` is the submitted text, `starter` where it began."""

    source: str = ""
    starter: str = ""
    progress: str = ""
    cases: tuple[CaseResult, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    timing: Timing | None = None
    verdict: Verdict | None = None
    trouble: str = ""  # why there is no verdict: this machine cannot, or the call was wrong

    def after(self, event: Event) -> "Report":
        """The report with one more event in it."""
        match event:
            case CaseResult():
                return replace(self, cases=(*self.cases, event))
            case Diagnosis():
                return replace(self, diagnosis=(*self.diagnosis, event))
            case Timing():
                return replace(self, timing=event)
            case Progress():
                return replace(self, progress=event.text)
            case Verdict():
                return replace(
                    self,
                    progress="",
                    cases=event.cases,
                    diagnosis=event.diagnosis,
                    timing=event.timing,
                    verdict=event,
                )
            case _:
                return self

    @property
    def unwritten(self) -> str:
        """The sentence on an answer of which nothing is written yet; "" otherwise."""
        return unwritten(self.source, self.starter, self.verdict) if self.verdict else ""

    @property
    def lines(self) -> dict[int, str]:
        """Line of the learner's file -> the code of the first cause that points there; of an answer
        of which nothing is written, the lines where the starter says what to write."""
        if self.unwritten:
            return dict.fromkeys(missing_lines(self.source, self.starter), "output-not-written")
        found: dict[int, str] = {}
        for cause in self.diagnosis:
            if cause.line:
                found.setdefault(cause.line, cause.code)
        return found


def headline(report: Report) -> Content:
    """A line: the mark, the word, the cause in a few words."""
    if report.trouble:
        return Content.styled(f"– {bounded(report.trouble, lines=3)}", "$warning")
    wrong = [case for case in report.cases if not case.passed]
    if report.verdict is None:
        counts = f"{len(report.cases) - len(wrong)} right" if report.cases else ""
        counts += f", {len(wrong)} wrong" if wrong else ""
        parts = [
            bounded(report.progress, lines=1, columns=80) or ("judging" if report.source else ""),
            counts,
        ]
        text = " · ".join(filter(None, parts))
        return Content.styled(f"… {text}" if text else "", _QUIET)
    if report.verdict.passed:
        return Content.styled(f"✓ Right on {plural(len(report.cases), 'case')}", _GOOD)
    if report.unwritten:
        return Content.styled("✗ Not written yet", _BAD)
    if report.diagnosis and report.diagnosis[0].code in HEADLINES:
        return Content.styled(f"✗ {HEADLINES[report.diagnosis[0].code]}", _BAD)
    if wrong:
        return Content.styled(
            f"✗ Wrong on {len(wrong)} of {plural(len(report.cases), 'case')}", _BAD
        )
    return Content.styled("✗ Not right yet", _BAD)


def verdict_lines(report: Report, width: int, *, detail: bool = False) -> Content:
    """The whole report. `detail` adds the original texts, eager's errors and the versions.

    An answer of which nothing is written yet has one sentence, and its cases only with `detail`.
    """
    blocks = [_title(report, width)]
    if report.unwritten:
        blocks.append(ticked(bounded(report.unwritten, lines=6)))
        if not detail:
            return Content("\n\n").join(blocks)
    shown: set[int | None] = set()
    for cause in report.diagnosis:
        blocks.append(
            _cause(cause, report.source, first=not shown, with_code=cause.line not in shown)
        )
        shown.add(cause.line)
    times = timing_lines(report.timing, width) if report.timing else Content("")
    cases = case_lines(report.cases, width, detail=detail) if report.cases else Content("")
    # If every case is right, the times are new to the learner and come first.
    blocks += [times, cases] if all(case.passed for case in report.cases) else [cases, times]
    if verdict := report.verdict:
        if verdict.graph:
            blocks.append(_graph(verdict.graph, report.source, shown))
        if verdict.traffic:
            blocks.append(Content.styled(bounded(traffic_line(verdict.traffic), lines=3), _QUIET))
        if verdict.resources:
            blocks.append(_resources(verdict.resources))
        if verdict.output.strip():
            printed = bounded(verdict.output.rstrip("\n"), lines=200 if detail else 12)
            blocks.append(_titled("printed", Content(printed)))
        if replay := replay_line(verdict):  # last, below everything that is wrong
            blocks.append(Content.styled(bounded(replay, lines=1), _QUIET))
    if detail:
        blocks += _details(report)
    return Content("\n\n").join(block for block in blocks if block)


def _title(report: Report, width: int) -> Content:
    left = headline(report)
    if not (report.verdict and report.verdict.latency_ms):
        return left
    took = f"{report.verdict.latency_ms.total / 1000:.2f} s"
    gap = width - left.cell_length - len(took)
    return Content.assemble(left, " " * gap, (took, _QUIET)) if gap > 1 else left


def _cause(cause: Diagnosis, source: str, *, first: bool, with_code: bool) -> Content:
    """The judge's sentence, and below it the line that it names, unless that line is shown already."""
    parts = [ticked(bounded(cause.message, lines=20))]
    if not first:
        parts[0] = Content.assemble(("also  ", _QUIET), parts[0])
    if with_code and cause.line and cause.line <= source.count("\n") + 1:
        parts.append(_code(source, cause.line))
    return Content("\n").join(parts)


def _code(source: str, line: int) -> Content:
    code = bounded(source_line(source, line), lines=1, columns=200)
    return Content.assemble((f"▸ {line:>3}  ", "$error"), (code, "$accent"))


def case_lines(cases: tuple[CaseResult, ...], width: int, *, detail: bool = False) -> Content:
    """A row for each case, and the first wrong element below the first wrong case. `detail` adds the
    error of eager PyTorch, from which the bound is computed, if the page is wide enough."""
    with_eager = detail and width >= _WIDE_ENOUGH
    names = [bounded(case.name, lines=1, columns=60) for case in cases]
    inputs = [short_inputs(case.inputs) for case in cases]
    name_width, shape_width = _columns(names, inputs, width - 28 - 9 * with_eager)
    shapes = shape_width > 0
    header = f"{'':8}{'case':<{name_width}} "
    header += f"{'inputs':<{shape_width}} " if shapes else ""
    eager_head = f"{'eager':>8} " if with_eager else ""
    lines = [Content.styled(f"{header}{'error':>8} {eager_head}{'bound':>8}", _QUIET)]
    explained = False
    for case, name, shape in zip(cases, names, inputs, strict=True):
        named = wrap(name, name_width)
        shaped = _wrapped(shape, shape_width) if shapes else []
        (first, beside), *more = zip_longest(named, shaped, fillvalue="")
        row = f"{first:<{name_width}} " + (f"{beside:<{shape_width}} " if shapes else "")
        eager = f"{_error(case.eager_err):>8} " if with_eager else ""
        row += f"{_error(case.max_abs_err):>8} {eager}{_error(case.bound):>8}"
        lines += _rows(case, row, [f"{'':8}{a:<{name_width}} {b}".rstrip() for a, b in more])
        if case.passed:
            continue
        about = [ticked(bounded(case.note, lines=3))] if case.note else []
        if not shapes:
            about.insert(0, Content(shape))
        if about:
            lines.append(hanging(Content(" " * 8), Content(" · ").join(about), width))
        if case.mismatch and not explained:
            lines.append(_mismatch(case.mismatch))
            explained = True
        if case.mismatch and case.mismatch.map:
            lines.append(wrong_map(case.mismatch.map))
    return Content("\n").join(lines)


def _columns(names: list[str], inputs: list[str], room: int) -> tuple[int, int]:
    """Return the widths of names and of inputs, which are wrapped; 0 for the inputs, which stand below
    the name then, where both do not fit into `room` columns."""
    longest, widest = max(map(len, names)), max(len("inputs"), *map(len, inputs))
    name_width = min(longest, room - min(widest, _LEAST_INPUTS))
    if name_width < min(longest, _LEAST_NAME):
        return min(longest, max(10, room + 1)), 0
    return name_width, min(widest, room - name_width)


def _rows(case: CaseResult, row: str, more: list[str]) -> list[Content]:
    """The row of a case behind its mark, and the rest of its name and inputs below."""
    mark, style = ("✓ right ", "$success") if case.passed else ("✗ wrong ", "$error")
    first = Content.assemble((mark, style), (row, _QUIET if case.passed else ""))
    return [first, *(Content.styled(line, _QUIET) for line in more)]


def _wrapped(inputs: str, width: int) -> list[str]:
    """The inputs of a case in a few lines, broken between tensors; the detail has a long list whole."""
    kept = re.sub(r" (?=[^\[]*\])", "\xa0", inputs)
    lines = [line.replace("\xa0", " ") for line in wrap(kept, width)] or [""]
    last = " ".join(lines[_INPUT_LINES - 1 :])
    return [*lines[: _INPUT_LINES - 1], *([cut(last, width)] if last else [])]


def _mismatch(mismatch: Mismatch) -> Content:
    index = ", ".join(map(str, mismatch.index))
    return Content.assemble(
        ("        first wrong ", _QUIET),
        f"[{index}]",
        (": got ", _QUIET),
        (_value(mismatch.got), "$error"),
        (", want ", _QUIET),
        (_value(mismatch.want), "$success"),
        (f" · {mismatch.count} of {mismatch.total}", _QUIET),
        (f": {bounded(mismatch.where, lines=1)}" if mismatch.where else "", _QUIET),
    )


def wrong_map(drawn: WrongMap) -> Content:
    """The picture of a wrong output. Its marks are clear without colours too."""
    return Content("\n").join(
        Content(f"        {line}")
        .stylize(_QUIET)
        .highlight_regex(f"[{PARTLY}{WRONG}]+", style="$error")
        for line in map_lines(drawn)
    )


def short_inputs(inputs: str) -> str:
    """`f32[1025], f32[1025]` -> `2 × f32[1025]`; anything else as it is."""
    text = bounded(inputs, lines=1)
    parts = text.split(", ") if "[" not in text else text.replace("], ", "]\n").split("\n")
    if len(parts) > 1 and len(set(parts)) == 1:
        return f"{len(parts)} × {parts[0]}"
    return text


def _error(value: float | str | None) -> str:
    """An error as text. Infinite and NaN floats are strings in a stored verdict."""
    if value is None:
        return "–"
    return f"{value:.1e}" if isinstance(value, float | int) and value else str(value or 0)


def _value(value: float | int | bool | str) -> str:
    return f"{value:.6g}" if isinstance(value, float) else bounded(str(value), lines=1, columns=40)


def _titled(title: str, body: Content) -> Content:
    return Content.assemble((title, _QUIET), "\n", body)


def _graph(graph: GraphSummary, source: str, shown: set[int | None]) -> Content:
    """The graphs and their breaks. `shown`: lines of the learner's file that are shown above."""
    kernels = f"kernels {NOT_COUNTED}" if graph.kernels is None else plural(graph.kernels, "kernel")
    lines = [
        Content.assemble(
            (plural(graph.graphs, "graph"), "bold"),
            f" · {plural(len(graph.breaks), 'break')} · {plural(graph.recompiles, 'recompile')}",
            f" · {plural(graph.compilations, 'compilation')}" if graph.compilations else "",
            f" · {kernels}",
        )
    ]
    if moved := moved_line(graph):
        lines.append(Content.styled(moved, _QUIET))
    for found in graph.breaks[:10]:
        where = f"line {found.line}: " if found.line else ""
        reason = ticked(bounded(graph_break(found.reason), lines=4))
        lines.append(Content.assemble(("break ", "$error"), where, reason))
        if found.line not in shown and source_line(source, found.line):
            assert found.line is not None
            lines.append(_code(source, found.line))
            shown.add(found.line)
    return Content("\n").join(lines)


def _resources(resources: dict[str, Any]) -> Content:
    return Content.styled(bounded("\n".join(resource_lines(resources)), lines=4), _QUIET)


def _details(report: Report) -> list[Content]:
    blocks = [
        _titled(
            f"{bounded(cause.code, lines=1, columns=40)}: original text",
            Content(bounded(cause.detail)),
        )
        for cause in report.diagnosis
        if cause.detail.strip()
    ]
    if verdict := report.verdict:
        inputs = "\n".join(f"{case.name}: {case.inputs}"[:2000] for case in verdict.cases)
        if inputs:
            blocks.append(_titled("inputs", Content(bounded(inputs))))
        facts = [f"device {verdict.device}"]
        if latency := verdict.latency_ms:
            first = f"{latency.first_case:.0f}" if latency.first_case is not None else "–"
            facts.append(f"first case {first} ms, all {latency.total:.0f} ms")
        facts += [f"{name} {version}" for name, version in verdict.versions.items()]
        blocks.append(Content.styled(bounded(" · ".join(facts), lines=5), _QUIET))
    return blocks


class VerdictView(Widget):
    """Draws a `Report` in the width of the widget.

    The widget is at least as high as its container. Lines that fit in there need no layout, and a
    letter that is typed meanwhile does not wait for one.
    """

    DEFAULT_CSS = """
    VerdictView { height: auto; width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.report = Report()
        self.detail = False

    def show(self, report: Report, *, detail: bool = False) -> None:
        self.report, self.detail = report, detail
        room = self.container_size
        height = self.get_content_height(room, room, max(20, self.content_size.width))
        self.refresh(layout=height != self.content_size.height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        lines = verdict_lines(self.report, width, detail=self.detail)
        return max(lines.get_height({}, max(1, width)), container.height)

    def render(self) -> Content:
        return verdict_lines(self.report, max(20, self.content_size.width), detail=self.detail)
