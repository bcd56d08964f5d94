"""A verdict as lines, for shells, pipes, editors and screen readers. Pure.

`format_verdict` draws the rows of `verdict_document`; the words are there.
"""

import re
from collections.abc import Iterator

from tutor.base.errors import UsageError
from tutor.course.gantt import draw_gantt, gantt_of, gantt_words
from tutor.judge.diagnosis.error_messages import graph_break
from tutor.judge.model.verdict import Chart, Verdict
from tutor.judge.reports import timing_text
from tutor.judge.reports.document import (
    Case,
    Cases,
    Columns,
    Document,
    Headline,
    Quoted,
    Row,
    SourceLine,
    Timeline,
    Times,
    Words,
    words,
)
from tutor.judge.reports.report import Report
from tutor.judge.reports.unwritten_answer import unwritten
from tutor.judge.reports.verdict_document import (
    UNKNOWN,
    extent,
    first_wrong,
    source_line,
    write_document,
    write_headline,
)

_MAX_QUOTED = 4_000  # characters of what the learner's code printed
_MAX_TAIL = 12  # lines of a text whose end says most
_MAX_MESSAGE = 360  # characters of a message in a summary
_MAX_CODE = 120  # characters of a line of the learner's file
_NUMBERS = re.compile(r"\d+(?:, \d+)*")
_TABLE = 76  # columns of a table


def format_verdict(
    verdict: Verdict,
    source: str = "",
    plain: bool = False,
    verbose: bool = False,
    starter: str = "",
) -> list[str]:
    """Return the report: headline, causes, wrong cases, times and the code's output.

    `source` is the judged text, which began as `starter`. `plain` leaves out the picture of the wrong
    elements, which a case's line describes in words. `verbose` adds every case and all details.
    """
    document = write_document(Report(source, starter).after(verdict))
    return draw_lines(document, plain=plain, verbose=verbose)


def format_headline(verdict: Verdict) -> str:
    """Return the first line of the report."""
    return _headline(write_headline(Report().after(verdict)))


def format_repair(verdict: Verdict, source: str) -> list[str]:
    """Return the lines of the place that a repair changes, the first cause of the verdict."""
    cause = verdict.diagnosis[0]
    code = source_line(source, cause.line)
    shown = SourceLine(cause.line, code) if cause.line and code else None
    rows: list[Row] = [words(cause.message), *([shown] if shown else [])]
    return [line for row in rows for line in _row(row, plain=False, verbose=False)]


def draw_lines(document: Document, *, plain: bool, verbose: bool) -> list[str]:
    """Return the lines of a document. A blank line is before tables and quotes, and after them."""
    out = [_headline(document.headline)]
    after_table = False
    for block in document.shown(detail=verbose):
        drawn = [line for row in block.rows for line in _row(row, plain, verbose)]
        if not drawn:
            continue
        if block.title or after_table or isinstance(block.rows[0], Cases | Times | Timeline):
            out.append("")
        out += [block.title] if block.title else []
        out += drawn
        after_table = isinstance(block.rows[0], Cases | Columns | Timeline)
    return out


def _headline(said: Headline) -> str:
    share = f". {said.share}" if said.share else ""
    where = ", ".join(filter(None, [said.device, said.took]))
    return f"{said.mark} {said.words}{share} ({where})."


def _row(row: Row, plain: bool, verbose: bool) -> Iterator[str]:
    match row:
        case Words():
            yield f"{'  ' * (row.level + 1)}{row.plain}"
        case SourceLine():
            yield f"{'  ' * (row.level + 2)}{row.number:>{row.digits}} | {row.code[:_MAX_CODE]}"
        case Columns():
            yield from (f"  {line}" for line in row.lines)
        case Quoted():
            tail = "\n".join(row.text.strip().splitlines()[-_MAX_TAIL:])
            text = tail if row.tail else row.text
            yield f"{text[:_MAX_QUOTED].rstrip()}\n"  # its end keeps it from being wrapped
        case Cases():
            yield from _every_case(row) if verbose else _wrong_cases(row)
            yield from () if plain else _picture(row)
        case Times():
            yield from _times(row)
        case Timeline():
            yield from (f"  {line}" for line in _timeline(row.chart, plain))


def _timeline(chart: Chart, plain: bool) -> Iterator[str]:
    """Yield the chart's lines; `plain`: what it shows, in words."""
    try:
        gantt = gantt_of(chart.spans, chart.label)
    except UsageError as error:
        yield str(error)
        return
    if plain:
        yield from gantt_words(gantt)
    else:
        for line in draw_gantt(gantt, _TABLE):
            yield "".join(piece.text for piece in line).rstrip()


def _every_case(cases: Cases) -> Iterator[str]:
    """Yield a line for each case, and below a wrong one its first wrong element."""
    for case in cases.rows:
        mark = "✓ right" if case.right else "✗ wrong"
        known = [
            f"{number.heading} {number.text}" for number in case.numbers if number.text != UNKNOWN
        ]
        parts = [mark, case.name, case.inputs]
        parts += [", ".join(known)] if case.numbers[0].text != UNKNOWN else []
        yield "  " + "  ".join([*parts, *([f"({case.note})"] if case.note else [])])
        if case.first:
            yield f"          {_first(case)}; {case.extent}"


def _wrong_cases(cases: Cases) -> Iterator[str]:
    """Yield a line for all wrong cases that are wrong in the same way."""
    groups: dict[str, list[Case]] = {}
    for case in cases.rows:
        if not case.right:
            groups.setdefault(_NUMBERS.sub("", case.how), []).append(case)
    for first, *more in groups.values():
        count = f"{1 + len(more)} cases, such as " if more else ""
        where = f"; {_first(first)}" if first.first and not first.note else ""
        yield f"  ✗ {count}“{first.name}”: {first.how}{where}"


def _first(case: Case) -> str:
    return "".join(span.text for span in case.first)


def _picture(cases: Cases) -> Iterator[str]:
    """Yield the picture of the first wrong case that has one."""
    drawn = next((case for case in cases.rows if case.picture), None)
    if drawn:
        yield from ("", f"Where “{drawn.name}” is wrong:", *(f"  {row}" for row in drawn.picture))


def _times(times: Times) -> Iterator[str]:
    """Yield a line for each time with its interval, and the least times of this GPU and of others."""
    unit = timing_text.longest_unit(times.timing)
    for name, sample in timing_text.list_samples(times.timing):
        yield f"  {name:9} {timing_text.format_interval(sample, unit)}"
    limit = times.timing.roofline
    if limit and times.timing.believed:
        yield f"  {'limit':9} {timing_text.format_in_unit(limit.limit_ms, unit)} ({limit.bound}-bound)"
    if limit:
        table = timing_text.on_other_gpus(limit.bytes, limit.flops, limit.units, _TABLE)
        yield from (f"  {line}" for line in table)


def gcc_lines(verdict: Verdict, source: str, path: str, starter: str = "") -> list[str]:
    """Return each cause as compilers print errors, `file:line:column: error: text`, for editors."""
    messages = [(cause.line, f"{cause.message} [{cause.code}]") for cause in verdict.diagnosis]
    if sentence := unwritten(source, starter, verdict):
        messages = [(messages[0][0] if messages else None, sentence)]
    if verdict.graph:
        breaks = verdict.graph.breaks
        known = {line for line, _ in messages}
        messages += [(at.line, graph_break(at.reason)) for at in breaks if at.line not in known]
    if not verdict.passed and not messages:
        messages = [(None, summarize_verdict(verdict, source))]
    rows = source.split("\n")
    out = []
    for line, text in () if verdict.passed else messages:
        row = rows[line - 1] if line and line <= len(rows) else ""
        column = len(row) - len(row.lstrip()) + 1
        out.append(f"{path}:{line or 1}:{column}: error: {' '.join(text.split())}")
    return [*out, format_headline(verdict)]


def summarize_verdict(verdict: Verdict, source: str) -> str:
    """Return at most four lines: the cause, the first wrong case and element, the line of code."""
    if verdict.passed:
        return f"Right on {len(verdict.cases)} cases."
    parts = []
    if verdict.diagnosis:
        message, line = verdict.diagnosis[0].message, verdict.diagnosis[0].line
        parts.append(_cut(message, _MAX_MESSAGE))
    else:
        line = None
    wrong = [case for case in verdict.cases if case.mismatch]
    if wrong and (m := wrong[0].mismatch):
        first = "".join(span.text for span in first_wrong(m))
        parts.append(_cut(f"Case “{wrong[0].name}”: {first}; {extent(m)}", _MAX_MESSAGE))
    if code := source_line(source, line):
        parts.append(f"Line {line}: {code[:_MAX_CODE]}")
    return "\n".join(parts)


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head, blank, _ = text[: most - 1].rpartition(" ")  # no half word, if there is a whole one
    return f"{head if blank else text[: most - 1]} …"
