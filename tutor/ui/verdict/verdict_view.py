"""A verdict as the lab shows it: the rows of `verdict_document` in colours, for a width.

`verdict_lines` draws a `Report`, and `VerdictView` is the widget. Everything that comes from the
learner's code is bounded and is never read as markup.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from textwrap import wrap

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tutor.base.errors import UsageError
from tutor.course.gantt import gantt_of
from tutor.judge.model.verdict import Chart
from tutor.judge.reports.document import (
    Case,
    Cases,
    Columns,
    Headline,
    Quoted,
    Role,
    Row,
    SourceLine,
    Span,
    Timeline,
    Times,
    Words,
)
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_document import (
    PARTLY,
    UNKNOWN,
    WRONG,
    write_document,
    write_headline,
)
from tutor.ui.kit.text.gantt_content import gantt_content
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.phrases import hang_after_mark, shorten
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.text.whole_code import WholeCode
from tutor.ui.verdict.timing_bars import timing_bars

_WIDE_ENOUGH = 48  # columns for a case's mark, its name and three numbers
_LEAST_INPUTS = 18  # columns for the inputs beside a longer name, which is wrapped then
_LEAST_NAME = 12
_INPUT_LINES = 3  # of a case, beside its name
_MARK = " " * 8  # as wide as the mark of a case, below which its other lines are blank
_QUIET = "$foreground 70%"
_STYLES: dict[Role, str] = {
    "": "",
    "strong": "bold",
    "quiet": _QUIET,
    "good": "$success",
    "bad": "$error",
    "warning": "$warning",
}


def headline(report: Report) -> Content:
    """A line: the mark, the word, the cause in a few words."""
    said = write_headline(report)
    weight = "bold " if said.role in ("good", "bad") else ""
    text = f"{said.mark} {limit_text(said.words, lines=3)}" if said.words else ""
    return Content.styled(text, f"{weight}{_STYLES[said.role]}")


def verdict_lines(report: Report, width: int, *, detail: bool = False) -> Content:
    """The whole report. `detail` adds every case's inputs, the original texts and the versions."""
    document = write_document(report)
    blocks = [_title(headline(report), document.headline, width)]
    for block in document.shown(detail=detail):
        rows = [drawn for row in block.rows if (drawn := _row(row, width, detail=detail))]
        if block.title and rows:
            rows.insert(0, Content.styled(limit_text(block.title, lines=1), _QUIET))
        blocks.append(Content("\n").join(rows))
    return Content("\n\n").join(block for block in blocks if block)


def _title(left: Content, said: Headline, width: int) -> Content:
    """The headline, and at the end of the line as many facts as fit."""
    for facts in ((said.share, said.took), (said.share,), (said.took,)):
        right = " · ".join(filter(None, facts))
        gap = width - left.cell_length - len(right)
        if said.took and right and gap > 1:
            return Content.assemble(left, " " * gap, (right, _QUIET))
    return left


def _row(row: Row, width: int, *, detail: bool) -> Content:
    match row:
        case Words():
            return _words(row.spans)
        case SourceLine():
            code = limit_text(row.code, lines=1, columns=200)
            mark = Content.styled(f"▸ {row.number:>3}  ", "$error")
            return hang_after_mark(mark, Content.styled(code, "$accent"), width)
        case Columns():
            return Content(limit_text("\n".join(row.lines), lines=30))
        case Quoted():
            most = 200 if detail else 12
            return Content(limit_text(row.text.strip("\n"), lines=most))
        case Cases():
            return case_lines(row, width, detail=detail)
        case Times():
            return timing_bars(row.timing, width)
        case Timeline():
            return _timeline(row.chart, width)


def _timeline(chart: Chart, width: int) -> Content:
    try:
        return gantt_content(gantt_of(chart.spans, chart.label), width)
    except UsageError as error:
        return Content.styled(limit_text(str(error), lines=2), _QUIET)


def _words(spans: tuple[Span, ...]) -> Content:
    return WholeCode(Content.assemble(*map(_span, spans)))


def _span(span: Span) -> Content:
    """Words with a style of their own are no code; others may have some in backticks."""
    text = limit_text(span.text, lines=20)
    return Content.styled(text, _STYLES[span.role]) if span.role else style_code(text)


def case_lines(cases: Cases, width: int, *, detail: bool = False) -> Content:
    """A row for each case, and the first wrong element below the first wrong case. Without a number, as
    in a pass, there is no column of them. `detail` adds the error of eager
    PyTorch, from which the bound is computed, if the page is wide enough, and below the table the inputs
    in full."""
    known = any(number.text != UNKNOWN for case in cases.rows for number in case.numbers)
    wanted = detail and width >= _WIDE_ENOUGH
    headings = [
        number.heading
        for number in cases.rows[0].numbers
        if known and (wanted or not number.detail)
    ]
    numbers = [
        [number.text for number in case.numbers if number.heading in headings]
        for case in cases.rows
    ]
    wide = [max(8, *map(len, column)) for column in zip(headings, *numbers, strict=True)]
    names = [limit_text(case.name, lines=1, columns=60) for case in cases.rows]
    inputs = [short_inputs(case.inputs) for case in cases.rows]
    name_width, shape_width = _columns(
        names, inputs, width - len(_MARK) - 2 - sum(wide) - len(wide)
    )

    def row(name: str, shape: str, texts: list[str]) -> str:
        beside = f"{shape:<{shape_width}} " if shape_width else ""
        aligned = " ".join(f"{text:>{size}}" for text, size in zip(texts, wide, strict=False))
        return f"{name:<{name_width}} {beside}{aligned}"

    lines = [Content.styled(f"{_MARK}{row('case', 'inputs', headings)}", _QUIET)]
    explained = False
    for case, name, shape, texts in zip(cases.rows, names, inputs, numbers, strict=True):
        shaped = _wrap_inputs(shape, shape_width) if shape_width else []
        (first, beside), *more = zip_longest(wrap(name, name_width), shaped, fillvalue="")
        mark, style = ("✓ right ", "$success") if case.right else ("✗ wrong ", "$error")
        quiet = _QUIET if case.right else ""
        lines.append(Content.assemble((mark, style), (row(first, beside, texts), quiet)))
        lines += [Content.styled(f"{_MARK}{row(a, b, [])}".rstrip(), _QUIET) for a, b in more]
        if not case.right:
            about = () if shape_width else (shape,)
            lines += _below(case, about, width, first=not explained)
            explained = explained or bool(case.first)
    if detail:
        whole = "\n".join(f"{case.name}: {case.inputs}"[:2000] for case in cases.rows)
        lines += [Content(), Content.styled("Inputs:", _QUIET), Content(limit_text(whole))]
    return Content("\n").join(lines)


def _below(case: Case, about: tuple[str, ...], width: int, *, first: bool) -> Iterator[Content]:
    """What stands below a wrong case: its note, its first wrong element, its picture."""
    notes = [Content(text) for text in about]
    notes += [style_code(limit_text(case.note, lines=3))] if case.note else []
    if notes:
        yield hang_after_mark(Content(_MARK), Content(" · ").join(notes), width)
    if case.first and first:
        extent = Span(f"; {case.extent}", "quiet")
        yield hang_after_mark(Content(_MARK), _words((*case.first, extent)), width)
    for line in case.picture:
        drawn = Content.styled(f"{_MARK}{line}", _QUIET)
        yield drawn.highlight_regex(f"[{PARTLY}{WRONG}]+", style="$error")


def _columns(names: list[str], inputs: list[str], room: int) -> tuple[int, int]:
    """Return the widths of names and of inputs, which are wrapped; 0 for the inputs, which stand below
    the name then, where both do not fit into `room` columns."""
    longest, widest = max(map(len, names)), max(len("inputs"), *map(len, inputs))
    name_width = min(longest, room - min(widest, _LEAST_INPUTS))
    if name_width < min(longest, _LEAST_NAME):
        return min(longest, max(10, room + 1)), 0
    return name_width, min(widest, room - name_width)


def _wrap_inputs(inputs: str, width: int) -> list[str]:
    """The inputs of a case in a few lines, broken between tensors; the detail has a long list whole."""
    kept = re.sub(r" (?=[^\[]*\])", "\xa0", inputs)
    lines = [line.replace("\xa0", " ") for line in wrap(kept, width)] or [""]
    last = " ".join(lines[_INPUT_LINES - 1 :])
    return [*lines[: _INPUT_LINES - 1], *([shorten(last, width)] if last else [])]


def short_inputs(inputs: str) -> str:
    """`f32[1025], f32[1025]` -> `2 × f32[1025]`; anything else as it is."""
    text = limit_text(inputs, lines=1)
    parts = text.split(", ") if "[" not in text else text.replace("], ", "]\n").split("\n")
    if len(parts) > 1 and len(set(parts)) == 1:
        return f"{len(parts)} × {parts[0]}"
    return text


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
        self._drawn: dict[int, Content] = {}  # by width

    def show(self, report: Report, *, detail: bool = False) -> None:
        """Draw another report, with a layout only if its height is another one."""
        self.report, self.detail = report, detail
        self._drawn.clear()
        room = self.container_size
        height = self.get_content_height(room, room, max(20, self.content_size.width))
        self.refresh(layout=height != self.content_size.height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        lines = self._draw(width)
        return max(lines.get_height({}, max(1, width)), container.height)

    def render(self) -> Content:
        return self._draw(max(20, self.content_size.width))

    def _draw(self, width: int) -> Content:
        """The report in this width, drawn once for its height and its lines."""
        if width not in self._drawn:
            self._drawn = {width: verdict_lines(self.report, width, detail=self.detail)}
        return self._drawn[width]
