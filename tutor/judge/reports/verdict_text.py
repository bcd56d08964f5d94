"""Plain lines for a verdict, for pipes, logs and screen readers. Pure."""

import math
import re
from typing import Any

from tutor.base.number_text import amounts, times
from tutor.judge.diagnosis.error_messages import graph_break
from tutor.judge.model.tensor_grid import Grid, picture, scale_words
from tutor.judge.model.verdict import (
    Break,
    CaseResult,
    GraphSummary,
    KernelTraffic,
    Mismatch,
    Sample,
    Verdict,
    WrongMap,
)
from tutor.judge.reports import timing_text
from tutor.judge.reports.cause_texts import HEADLINES

_MAX_PRINTED = 4_000  # characters of what the learner's code printed
_MAX_GUARDS = 12
_MAX_MESSAGE = 360  # characters of a message in a summary
_NUMBERS = re.compile(r"\d+(?:, \d+)*")
_TABLE = 76  # columns of a table
_MAX_CODE = 120  # characters of a line of the learner's file
NOT_COUNTED = "not counted (nothing was timed)"
RIGHT, PARTLY, WRONG = "·", "▒", "█"  # of the elements that a mark stands for


def lines(
    verdict: Verdict, source: str = "", plain: bool = False, verbose: bool = False
) -> list[str]:
    """Return the report: headline, causes, wrong cases, times and the code's output.

    `source` is the judged text. `plain` leaves out the picture of the wrong elements, which a case's
    line describes in words. `verbose` adds every case and the original text of the first cause.
    """
    out = [headline(verdict)]
    for finding in verdict.diagnosis:
        first = finding is verdict.diagnosis[0]
        out.append(f"  {'' if first else _also(finding.code)}{finding.message}")
        if first and (code := source_line(source, finding.line)):
            out.append(f"    {finding.line} | {code[:_MAX_CODE]}")
        if first and verbose and finding.detail:
            out += [f"    | {line}" for line in finding.detail.strip().splitlines()[-12:]]
    out += ["", *cases] if (cases := _cases(verdict, verbose)) else []
    out += () if plain else _wrong_map(verdict)
    out += _graph(verdict, source) + _timing(verdict)
    out += [f"  {line}" for line in resource_lines(verdict.resources or {})]
    if verdict.traffic:
        out.append(f"  {traffic_line(verdict.traffic)}")
    out += [f"  {name}: {text}" for name, text in verdict.figures.items()]
    if text := replay_line(verdict):
        out.append(f"  {text}")
    if verdict.output:
        out += ["", "It printed:", f"{verdict.output[:_MAX_PRINTED].rstrip()}\n"]
    return out


def _also(code: str) -> str:
    return f"{HEADLINES[code]}: " if code in HEADLINES else ""


def headline(verdict: Verdict) -> str:
    """Return the mark, the cause in a few words, and how many cases are right."""
    took = verdict.latency_ms.total / 1e3 if verdict.latency_ms else 0.0
    count, right = len(verdict.cases), sum(case.passed for case in verdict.cases)
    where = f"({verdict.device}, {took:.2f} s)."
    if verdict.passed:
        interpreted = verdict.device == "cpu-interpreter" and not verdict.timing
        checked = " Checked in the interpreter, not timed." if interpreted else ""
        return f"✓ Right on {right} case{'' if right == 1 else 's'} {where}{checked}"
    share = f"{right} of {count} cases {'is' if right == 1 else 'are'} right"
    if count and right == count:
        share = f"All {count} cases are right" if count > 1 else "The one case is right"
    cause = HEADLINES.get(verdict.diagnosis[0].code) if verdict.diagnosis else None
    return f"✗ {cause or 'Wrong'}. {share} {where}"


def gcc_lines(verdict: Verdict, source: str, path: str, unwritten: str = "") -> list[str]:
    """Return each cause as compilers print errors, `file:line:column: error: text`, for editors."""
    found = [(cause.line, f"{cause.message} [{cause.code}]") for cause in verdict.diagnosis]
    if unwritten:
        found = [(found[0][0] if found else None, unwritten)]
    if verdict.graph:
        breaks = verdict.graph.breaks
        known = {line for line, _ in found}
        found += [(at.line, graph_break(at.reason)) for at in breaks if at.line not in known]
    if not verdict.passed and not found:
        found = [(None, summary(verdict, source))]
    rows = source.split("\n")
    out = []
    for line, text in () if verdict.passed else found:
        row = rows[line - 1] if line and line <= len(rows) else ""
        column = len(row) - len(row.lstrip()) + 1
        out.append(f"{path}:{line or 1}:{column}: error: {' '.join(text.split())}")
    return [*out, headline(verdict)]


def summary(verdict: Verdict, source: str) -> str:
    """Return at most four lines: the cause, the first wrong case and element, the line of code."""
    if verdict.passed:
        return f"Right on {len(verdict.cases)} cases."
    found = []
    if verdict.diagnosis:
        message, line = verdict.diagnosis[0].message, verdict.diagnosis[0].line
        found.append(_cut(message, _MAX_MESSAGE))
    else:
        line = None
    wrong = [case for case in verdict.cases if case.mismatch]
    if wrong and (m := wrong[0].mismatch):
        got, want = values(m)
        text = f"Case “{wrong[0].name}”: element {list(m.index)} is {got}, and "
        text += f"{want} is right; {m.count} of {m.total} are wrong"
        found.append(_cut(text, _MAX_MESSAGE))
    if code := source_line(source, line):
        found.append(f"Line {line}: {code[:_MAX_CODE]}")
    return "\n".join(found)


def values(mismatch: Mismatch) -> tuple[str, str]:
    """Return the two values with four digits, or with as many as tell them apart."""
    for digits in (4, 9, 17):
        got, want = (_short(each, digits) for each in (mismatch.got, mismatch.want))
        if got != want:
            break
    return got, want


def _short(value: float | int | bool | str, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)[:40]


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head, blank, _ = text[: most - 1].rpartition(" ")  # no half word, if there is a whole one
    return f"{head if blank else text[: most - 1]} …"


def _cases(verdict: Verdict, verbose: bool) -> list[str]:
    """Return every case, or a line for all wrong cases that are wrong in the same way."""
    if verbose:
        return [f"  {line}" for case in verdict.cases for line in case_lines(case)]
    groups: dict[str, list[CaseResult]] = {}
    for case in verdict.cases:
        if not case.passed:
            groups.setdefault(_NUMBERS.sub("", _how(case)), []).append(case)
    out = []
    for first, *more in groups.values():
        count = f"{1 + len(more)} cases, such as " if more else ""
        text = f"  ✗ {count}“{first.name}”: {_how(first)}"
        if (m := first.mismatch) and not first.note:
            got, want = values(m)
            text += f"; element {list(m.index)} is {got}, {want} is right"
        out.append(text)
    return out


def _how(case: CaseResult) -> str:
    """Name the way in which a case is wrong. Cases that differ only in numbers are wrong in one way."""
    if case.note or not case.mismatch:
        return case.note or "wrong"
    return "all wrong" if case.mismatch.count == case.mismatch.total else "partly wrong"


def case_lines(case: CaseResult) -> list[str]:
    """Return one line, and below a wrong case its first wrong element."""
    mark = "right" if case.passed else "WRONG"
    text = f"{mark}  {case.name}  {case.inputs}"
    if case.max_abs_err is not None:
        # Infinite and NaN floats come as texts (`verdict.to_json`).
        error, bound = (float(each or 0.0) for each in (case.max_abs_err, case.bound))
        eager = "" if case.eager_err is None else f" (eager's {float(case.eager_err):.2g})"
        text += f"  error {error:.2g}{eager}, allowed {bound:.2g}"
    out = [text + (f"  ({case.note})" if case.note else "")]
    if m := case.mismatch:
        got, want = values(m)
        text = f"       first wrong element {list(m.index)}: got {got}, want {want}; "
        out.append(f"{text}{m.count} of {m.total} wrong{f': {m.where}' if m.where else ''}")
    return out


def replay_line(verdict: Verdict) -> str:
    """Return the command for the same inputs; "" if no case was run."""
    if not verdict.cases:
        return ""
    return f"Same inputs again: tutor check {verdict.exercise} [FILE] --seed {verdict.seed}"


def _wrong_map(verdict: Verdict) -> list[str]:
    """Return the picture of the first wrong case that has one."""
    for case in verdict.cases:
        if case.mismatch and case.mismatch.map:
            drawn = map_lines(case.mismatch.map)
            return ["", f"Where “{case.name}” is wrong:", *(f"  {line}" for line in drawn)]
    return []


def map_lines(wrong: WrongMap) -> list[str]:
    """Draw the output and explain the marks below it."""
    grid = grid_of(wrong)

    def mark(row: int, column: int) -> str:
        count = wrong.counts[row][column]
        return RIGHT if not count else WRONG if count >= grid.size(row, column) else PARTLY

    legend = [f"{RIGHT} right", f"{PARTLY} partly", f"{WRONG} wrong"]
    if grid.high * grid.wide == 1:
        legend.remove(f"{PARTLY} partly")
    scale = scale_words(grid, wrong.shape)
    return [*picture(grid, wrong.shape, mark), "   ".join(legend), *([scale] if scale else [])]


def grid_of(wrong: WrongMap) -> Grid:
    """Return the grid in which a map of wrong elements is drawn."""
    return Grid(math.prod(wrong.shape), wrong.width, *wrong.cell)


def traffic_line(traffic: KernelTraffic) -> str:
    """Compare the moved bytes with the least possible, and name repeated accesses."""
    moved = traffic.loaded + traffic.stored
    launches = f" of {traffic.launches} launches" if traffic.launches > 1 else ""
    programs = f"{traffic.programs} program{'' if traffic.programs == 1 else 's'}"
    seen, least = amounts(moved, traffic.least)
    text = f"“{traffic.case}” moved {seen} in {programs}{launches}"
    text += f"; at least {least} are needed" if moved >= traffic.least else f"; {least} are needed"
    if traffic.least:
        text += f" ({times(moved / traffic.least)})"
    for name, every, once in (
        ("loads", traffic.loaded, traffic.loaded_once),
        ("stores", traffic.stored, traffic.stored_once),
    ):
        if once and every > 1.05 * once:
            text += f". It {name} each element {times(every / once)} on average"
    return text + "."


def moved_line(graph: GraphSummary) -> str:
    """Compare the bytes of a compiled function's kernels with the least possible; "" if unknown."""
    if graph.bytes_read is None or graph.bytes_written is None:
        return ""
    moved = graph.bytes_read + graph.bytes_written
    least = graph.bytes_least or moved
    seen, needed = amounts(moved, least)
    read, written = amounts(graph.bytes_read, graph.bytes_written)
    text = f"One call moves {seen}: {read} read, {written} written"
    if graph.bytes_least:
        text += f"; at least {needed} are needed ({times(moved / least)})"
    return f"{text}."


def sample(each: Sample) -> str:
    """Describe a sample of times: median, confidence interval and size."""
    low, high = each.ci95_ms
    return f"{each.median_ms:.4g} ms, 95 % between {low:.4g} and {high:.4g}, {each.samples} samples"


def _timing(verdict: Verdict) -> list[str]:
    timing = verdict.timing
    if timing is None:
        return []
    rows = [("eager", timing.eager), ("compiled", timing.compiled)]
    if timing.believed:
        rows.insert(0, ("yours", timing.learner))
    out = ["", *(f"  {name:9} {sample(each)}" for name, each in rows if each)]
    if (r := timing.roofline) and timing.believed:
        out.append(f"  limit     {r.limit_ms:.4g} ms ({r.bound}-bound)")
        out.append(f"  {timing_text.reached(r)}")
    sentences = [*timing_text.comparisons(timing), timing_text.launch(timing), timing.note]
    out += [f"  {sentence}" for sentence in sentences if sentence]
    if r:
        table = timing_text.on_other_gpus(r.bytes, r.flops, r.units, _TABLE)
        out += [f"  {line}" for line in table]
    return out + [f"  {line}" for line in timing_text.profile(timing)]


def _graph(verdict: Verdict, source: str) -> list[str]:
    graph = verdict.graph
    if graph is None:
        return []
    kernels = NOT_COUNTED if graph.kernels is None else graph.kernels
    compiled = f", compilations: {graph.compilations}, needless: {graph.recompiles}"
    if not graph.compilations:  # it breaks, so the cases ran in eager mode
        compiled = ""
    return [
        f"  graphs: {graph.graphs}, breaks: {len(graph.breaks)}{compiled}, "
        f"kernels generated: {kernels}",
        *(line for each in graph.breaks for line in _break(each, source)),
        *([f"  {text}"] if (text := moved_line(graph)) else []),
        *(
            f"    compiled again because this failed: {guard}"
            for guard in graph.guards[:_MAX_GUARDS]
        ),
    ]


def _break(found: Break, source: str) -> list[str]:
    """Return a graph break's line and reason, and the code of that line."""
    where = f", line {found.line}" if found.line else ""
    out = [f"    break{where}: {graph_break(found.reason)}"]
    if code := source_line(source, found.line):
        out.append(f"      {found.line} | {code[:_MAX_CODE]}")
    return out


def source_line(source: str, line: int | None) -> str:
    """Return that line of the learner's file without indentation, or ""."""
    rows = source.split("\n")
    return rows[line - 1].strip() if line and 0 < line <= len(rows) else ""


def resource_lines(needs: dict[str, Any]) -> list[str]:
    """Return the kernel's resources and occupancy in one to three lines."""
    names = {
        "registers": "registers a thread",
        "spills": "spills",
        "shared_bytes": "B shared memory",
        "warps": "warps a block",
    }
    text = ", ".join(f"{needs[key]} {name}" for key, name in names.items() if key in needs)
    target = needs.get("target", "?")
    variants = len(needs.get("kernels", ()))
    most = f" (the most demanding of {variants} compiled)" if variants else ""
    out = [f"{needs.get('kernel', 'kernel')} on {target}{most}: {text}"] if text else []
    if matrix := needs.get("matrix"):
        out.append(f"tensor cores: {', '.join(matrix[:3])}")
    if occupancy := needs.get("occupancy"):
        out.append(occupancy_text(occupancy))
    if note := needs.get("note"):
        out.append(f"{target}: {note}")
    return out


def occupancy_text(occupancy: dict[str, Any]) -> str:
    """Return a sentence on the occupancy without its full stop."""
    warps, most = occupancy["warps_per_sm"], occupancy["most_warps"]
    limit = f", limited by {occupancy['limited_by']}" if warps < most else ""
    return f"occupancy {occupancy['fraction']:.0%}: {warps} of {most} warps an SM{limit}"
