"""The words of a verdict, for every face of the program: `write_document`. Pure.

A new row is added here, in the block that it belongs to, and each face shows it.
"""

import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from tutor.base.number_text import plural, tell_apart
from tutor.judge.diagnosis.error_messages import graph_break
from tutor.judge.model.tensor_grid import Grid, draw_grid, scale_words
from tutor.judge.model.verdict import (
    CaseResult,
    Diagnosis,
    GraphSummary,
    Mismatch,
    Timing,
    Verdict,
    WrongMap,
)
from tutor.judge.reports import timing_text
from tutor.judge.reports.cause_texts import HEADLINES
from tutor.judge.reports.document import (
    Block,
    Case,
    Cases,
    Columns,
    Document,
    Headline,
    Number,
    Quoted,
    Role,
    Row,
    SourceLine,
    Span,
    Timeline,
    Times,
    Words,
    words,
)
from tutor.judge.reports.example_text import write_example
from tutor.judge.reports.report import Report
from tutor.judge.reports.usage_text import compare_bytes, resource_lines, traffic_line

RIGHT, PARTLY, WRONG = "·", "▒", "█"  # of the elements that a mark of a picture stands for
UNKNOWN = "–"
_TELL_SECONDS = 2  # most verdicts are there sooner
_MOST_GUARDS, _MOST_BREAKS = 12, 40
_INDENT = re.compile(r"\b(?:un)?indent")  # what Python says of a line that begins in a wrong column
# Causes of a list of cases, which are neither right nor wrong: the sentence says how far they come.
_OF_LISTS = ("mistakes-pass", "outside-the-task", "too-many-cases")
# Causes that end a run, whatever was right until then.
_STOPS = ("timeout", "crash", "out-of-memory", "too-much-output", "too-many-processes", "tampering")


def write_document(report: Report) -> Document:
    """Return the document of a report. Without a verdict it has what is known so far.

    Of an answer of which nothing is written yet, all but one sentence is detail.
    """
    blocks = tuple(_blocks(report))
    if sentence := report.unwritten:
        details = (replace(block, detail=True) for block in blocks)
        blocks = (Block((words(sentence),)), *details)
    return Document(write_headline(report), blocks)


def write_headline(report: Report) -> Headline:
    """Return the mark, the cause in a few words, and how many cases are right."""
    if report.trouble:
        return Headline("–", report.trouble, "warning")
    count, right = len(report.cases), sum(case.passed for case in report.cases)
    if report.verdict is None:
        counts = [f"{right} right"] if count else []
        counts += [f"{count - right} wrong"] if right < count else []
        doing = report.progress or ("judging" if report.source else "")
        said = " · ".join(filter(None, [doing, ", ".join(counts), _tell_wait(report)]))
        return Headline("…" if said else "", said, "quiet")
    passed, share = report.verdict.passed, ""
    if passed:
        cause = f"Right on {plural(count, 'case')}"
    elif report.unwritten:
        cause = "Not written yet"
    elif code := _telling_code(report):
        share = "" if code in _OF_LISTS else _share(right, count, code in _STOPS)
        cause = HEADLINES[code]
    elif right < count:
        cause = f"Wrong on {count - right} of {plural(count, 'case')}"
    else:
        cause, share = "Not all that is asked", _share(right, count)
    latency, device = report.verdict.latency_ms, report.verdict.device
    took = f"{latency.total / 1e3:.2f} s" if latency else ""
    role: Role = "good" if passed else "bad"
    return Headline("✓" if passed else "✗", cause, role, share, device, took)


def _tell_wait(report: Report) -> str:
    """The seconds so far, and while the cases run the seconds after which they are ended."""
    if report.seconds < _TELL_SECONDS:
        return ""
    bounded = report.seconds <= report.limit and not report.progress
    return f"{report.seconds} s" + (f" of at most {report.limit:g} s" if bounded else "")


def _telling_code(report: Report) -> str:
    """Return the code of the first cause if it has a headline, else "". A repair names a place: what
    was seen to happen may stand behind it."""
    behind = 1 if report.verdict and report.verdict.repair else 0
    codes = [cause.code for cause in report.diagnosis[: 1 + behind]]
    return next((code for code in codes if code in HEADLINES), "")


def _share(right: int, count: int, stopped: bool = False) -> str:
    """Say how many cases are right. `stopped`: something ended the run after these cases."""
    if right == count:
        before = " before it" if stopped else ""
        every = "All" if not stopped else "The"
        cases = f"{every} {count} cases{before} are right"
        return ("", f"The one case{before} is right", cases)[min(count, 2)]
    return f"{right} of {plural(count, 'case')} {'is' if right == 1 else 'are'} right"


def _blocks(report: Report) -> Iterator[Block]:
    """Yield the blocks in the order in which they are read."""
    shown: set[int] = set()  # lines of the learner's file
    if report.verdict and (example := report.verdict.example):
        yield write_example(example, first_wrong(example.mismatch) if example.mismatch else ())
    if report.verdict and report.progress:
        yield Block((words(f"{report.progress} …", "quiet"),))
    yield from _causes(report, shown)
    all_right = all(case.passed for case in report.cases)
    # Of an answer that is right so far the headline says how many there are.
    counted = all_right and (report.verdict is None or report.verdict.passed)
    rows = (Cases(tuple(map(write_case, report.cases))),) if report.cases else ()
    cases = Block(rows, detail=counted)
    times = tuple(_times(report.timing)) if report.timing else ()
    # If every case is right, the times are new to the learner and come first.
    yield from (*times, cases) if all_right else (cases, *times)
    verdict = report.verdict
    if verdict is None:
        return
    if verdict.graph:
        yield Block(tuple(_graph(verdict.graph, report.source, shown)))
    if verdict.chart:
        yield Block((Timeline(verdict.chart),), f"{verdict.chart.title}:")
    yield Block(tuple(_facts(verdict)))
    if verdict.output.strip():
        yield Block((Quoted(verdict.output),), "It printed:")
    if verdict.cases:  # last, below everything that is wrong
        again = f"tutor check {verdict.exercise} [FILE] --seed {verdict.seed}"
        yield Block((words(f"Same inputs again: {again}", "quiet"),))
    yield from _originals(report)
    yield Block((words(_circumstances(verdict), "quiet"),), detail=True)


# --- causes -----------------------------------------------------------------------------------------


def _causes(report: Report, shown: set[int]) -> Iterator[Block]:
    """Yield a block for each cause: the judge's sentence, and the line that it names."""
    for number, cause in enumerate(report.diagnosis):
        headline = HEADLINES.get(cause.code, "")
        prefix = f"{headline}: " if number and headline else ""
        spans = (Span(prefix, "quiet"), Span(cause.message))
        if cause.code == "compile-error" and _INDENT.search(cause.message):
            lines = _indented_lines(report.source, cause.line, shown)
        else:
            lines = _source_line(report.source, cause.line, shown)
        yield Block((Words(spans), *lines))


def _source_line(
    source: str, number: int | None, shown: set[int], level: int = 0
) -> Iterator[SourceLine]:
    """Yield the line, unless it is shown already or is not in the file."""
    code = source_line(source, number)
    if number and code and number not in shown:
        shown.add(number)
        yield SourceLine(number, code, level)


def _indented_lines(source: str, number: int | None, shown: set[int]) -> Iterator[SourceLine]:
    """Yield the line and the last one above it that has code, indented as they are to each other."""
    rows = source.expandtabs().split("\n")
    if not number or not 0 < number <= len(rows) or number in shown:
        return
    above = [n for n in range(1, number) if rows[n - 1].strip() and rows[n - 1].lstrip()[0] != "#"]
    numbers = [*above[-1:], number]
    shown.update(numbers)
    texts = textwrap.dedent("\n".join(rows[n - 1] for n in numbers)).split("\n")
    digits = len(str(number))
    for n, text in zip(numbers, texts, strict=True):
        yield SourceLine(n, text.rstrip(), digits=digits)


def source_line(source: str, number: int | None) -> str:
    """Return that line of the learner's file without indentation, or ""."""
    rows = source.split("\n")
    return rows[number - 1].strip() if number and 0 < number <= len(rows) else ""


def detail_title(cause: Diagnosis) -> str:
    """Return what the detail of a cause is: the whole of a sentence that was shortened, which begins as
    it does, or an original text."""
    begins = cause.message.partition(". ")[0]
    return "In full" if cause.detail.startswith(begins) else "Original text"


def _originals(report: Report) -> Iterator[Block]:
    """Yield the texts that the causes' sentences translate, or shorten."""
    for cause in report.diagnosis:
        if cause.detail.strip():
            title = f"{detail_title(cause)} ({cause.code}):"
            yield Block((Quoted(cause.detail, tail=True),), title, detail=True)


# --- cases ------------------------------------------------------------------------------------------


def write_case(case: CaseResult) -> Case:
    """Return the row of a case. Its error and what is allowed read as different if they differ."""
    values = [case.max_abs_err, case.eager_err, case.bound]
    texts = iter(tell_apart(*(number for number in values if number is not None), digits=2))
    error, eager, allowed = (UNKNOWN if number is None else next(texts) for number in values)
    wrong = case.mismatch
    how = case.note or "wrong"
    if wrong and not case.note:
        how = "all wrong" if wrong.count == wrong.total else "partly wrong"
    return Case(
        case.name,
        case.inputs,
        case.passed,
        (Number("error", error), Number("eager's", eager, detail=True), Number("allowed", allowed)),
        how,
        case.note,
        first_wrong(wrong) if wrong else (),
        extent(wrong) if wrong else "",
        tuple(draw_wrong(wrong.map)) if wrong and wrong.map else (),
    )


def first_wrong(mismatch: Mismatch) -> tuple[Span, ...]:
    """Return the place of the first wrong element and both values."""
    got, want = tell_apart(mismatch.got, mismatch.want)
    return (
        Span("first wrong element ", "quiet"),
        Span(f"{list(mismatch.index)}"),
        Span(": got ", "quiet"),
        Span(got, "bad"),
        Span(", want ", "quiet"),
        Span(want, "good"),
    )


def extent(mismatch: Mismatch) -> str:
    """Return how many elements are wrong, and what they have in common."""
    where = f": {mismatch.where}" if mismatch.where else ""
    return f"{mismatch.count} of {mismatch.total} wrong{where}"


def draw_wrong(wrong: WrongMap) -> list[str]:
    """Draw the output and explain the marks below it."""
    grid = grid_of(wrong)

    def mark(row: int, column: int) -> str:
        count = wrong.counts[row][column]
        return RIGHT if not count else WRONG if count >= grid.size(row, column) else PARTLY

    legend = [f"{RIGHT} right", f"{PARTLY} partly", f"{WRONG} wrong"]
    if grid.high * grid.wide == 1:
        legend.remove(f"{PARTLY} partly")
    scale = scale_words(grid, wrong.shape)
    return [*draw_grid(grid, wrong.shape, mark), "   ".join(legend), *([scale] if scale else [])]


def grid_of(wrong: WrongMap) -> Grid:
    """Return the grid in which a map of wrong elements is drawn."""
    return Grid(math.prod(wrong.shape), wrong.width, *wrong.cell)


# --- times and other facts --------------------------------------------------------------------------


def _times(timing: Timing) -> Iterator[Block]:
    """Yield the times, what they say, and single kernels."""
    limit = timing.roofline if timing.believed else None
    unfinished = () if timing.final else (words("still being measured", "quiet"),)
    yield Block((Times(timing), *unfinished))
    sentences = [timing_text.compare_with_limit(limit)] if limit else []
    sentences += [*timing_text.comparisons(timing), timing_text.describe_launch_time(timing)]
    doubts = (words(timing.note, "warning"),) if timing.note else ()
    yield Block((*(words(text) for text in sentences if text), *doubts))
    if kernels := timing_text.format_profile(timing):
        yield Block((Columns(tuple(kernels)),))


def _graph(graph: GraphSummary, source: str, shown: set[int]) -> Iterator[Row]:
    """Yield what torch.compile made of a function, and each break with its line."""
    facts = [plural(len(graph.breaks), "break")]
    if graph.compilations:  # with a break the cases ran in eager mode, and nothing was counted
        facts.append(f"{plural(graph.compilations, 'compilation')} ({graph.recompiles} needless)")
    kernels = "kernels not counted (nothing was timed)"
    if graph.kernels is not None:
        kernels = f"{plural(graph.kernels, 'kernel')} generated"
    graphs = Span(plural(graph.graphs, "graph"), "strong")
    yield Words((graphs, Span(", ".join(["", *facts, kernels]))))
    if moved := compare_bytes(graph):
        yield words(moved, "quiet")
    for stop in graph.breaks[:_MOST_BREAKS]:
        where = f", line {stop.line}: " if stop.line else ": "
        yield Words((Span("break", "bad"), Span(f"{where}{graph_break(stop.reason)}")), 1)
        yield from _source_line(source, stop.line, shown, 1)
    if (more := len(graph.breaks) - _MOST_BREAKS) > 0:
        yield words(f"and {plural(more, 'break')} more", "quiet", 1)
    for guard in graph.guards[:_MOST_GUARDS]:
        yield words(f"compiled again because this failed: {guard}", "quiet", 1)


def _facts(verdict: Verdict) -> Iterator[Words]:
    """Yield what was checked where, what the kernels move and need, and the exercise's own figures."""
    if verdict.passed and verdict.device == "cpu-interpreter" and not verdict.timing:
        yield words("Checked in the interpreter, not timed.", "quiet")
    if verdict.traffic:
        yield words(traffic_line(verdict.traffic), "quiet")
    for line in resource_lines(verdict.resources or {}):
        yield words(line, "quiet")
    for name, text in verdict.figures.items():
        yield words(f"{name}: {text}", "quiet")


def _circumstances(verdict: Verdict) -> str:
    facts = [f"device {verdict.device}"]
    if latency := verdict.latency_ms:
        ran = latency.first_case is not None  # else nothing did
        first = f"first case {latency.first_case:.0f} ms, " if ran else ""
        facts.append(f"{first}all {latency.total:.0f} ms")
    return " · ".join([*facts, *(f"{name} {of}" for name, of in verdict.versions.items())])
