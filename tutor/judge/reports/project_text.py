"""The report of a project as Markdown.

Kernels and compiled functions have tables of what they load, need and gain. A function has none of
these: the table of its step has cases and mistakes, and a list the figures that its exercise counts.
"""

from collections.abc import Iterator, Sequence

from tutor.hardware.roofline import format_quantity
from tutor.judge.reports.project_report import CodeFigures, ProjectReport, Speed, StepReport
from tutor.judge.reports.timing_text import format_in_unit, unit_of

_PLAIN = (
    "function",
    "pass",
    "schedule",
    "graph",
    "ranks",
    "cases",
)  # kinds of exercises that have no kernels
_BAR = 40  # columns of the longest bar
_NONE = "–"
_CELL = " | "  # between the cells of a figure that is a row of a table
_MOST_MISTAKES = 34  # columns of the mistakes of a step
Numbered = tuple[int, StepReport]  # a step with its number in the project


def write_markdown(report: ProjectReport) -> Iterator[str]:
    """Yield the report's lines. Tables and bars of a name of 12 letters fit 75 columns."""
    passed = sum(step.passed is not None for step in report.steps)
    yield f"# Report of Day {report.day}: {report.title}"
    yield ""
    yield (
        f"{passed} of {len(report.steps)} milestones {'is' if passed == 1 else 'are'} right. "
        f"Written by tutor from the record on {report.made:%-d %B %Y}."
    )
    yield from _project(report)
    yield from _milestones(report.steps)
    yield from _promises(report)
    numbered = list(enumerate(report.steps, 1))
    if functions := [row for row in numbered if row[1].kind in _PLAIN]:
        yield from _list_judged_steps(functions)
    yield from _list_figures(numbered)
    if kernels := [row for row in numbered if row[1].kind not in _PLAIN]:
        yield from _changes(kernels)
        yield from _gains(kernels)
        yield from _plot(kernels)
    if report.written:
        yield from ("", "## What you wrote")
    for question, text, day in report.written:
        yield from ("", f"**{question}** ({day:%-d %B %Y})", "")
        yield from (f"> {line}".rstrip() for line in _printable(text).split("\n"))
    if report.project[0]:
        yield from _versions(report.steps)
        yield from _others(report)


def _project(report: ProjectReport) -> Iterator[str]:
    name, title = report.project
    if name:
        yield ""
        kept = "" if report.chosen else " It counts until you choose one."
        yield f"Project: {title} (`{name}`).{kept}"


def _promises(report: ProjectReport) -> Iterator[str]:
    """Yield what the plan promised beside what later steps measured."""
    if not any(step.promises for step in report.steps):
        return
    yield from ("", "## Promised beside measured", "")
    if not report.promised:
        yield "Nothing is promised yet: the plan is not right."
        return
    yield "Your plan's numbers, and those that the judge measured of your newest right answers."
    yield ""
    rows = [
        (
            _printable(row.name),
            _printable(row.promised),
            _printable(row.measured) or _NONE,
            _format_number(row.ratio, ".2f"),
            str(row.step or _NONE),
        )
        for row in report.promised
    ]
    yield from _table(("number", "promised", "measured", "ratio", "step"), rows)


def _versions(steps: Sequence[StepReport]) -> Iterator[str]:
    """Yield with which versions and where the newest right answers were judged."""
    made: dict[str, list[str]] = {}
    for number, step in enumerate(steps, 1):
        if step.versions:
            versions = ", ".join(f"{name} {version}" for name, version in step.versions)
            made.setdefault(f"{step.device}, {versions}", []).append(str(number))
    if made:
        yield from ("", "## Judged with", "")
    for words, numbers in made.items():
        yield f"- step{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}: {_printable(words)}"


def _others(report: ProjectReport) -> Iterator[str]:
    if report.others:
        yield from ("", "## Projects that you did not choose", "")
    for other in report.others:
        yield f"- {other.title} (`{other.name}`): {other.passed} of {other.milestones} right"


def _milestones(steps: Sequence[StepReport]) -> Iterator[str]:
    yield from ("", "## Milestones")
    for number, step in enumerate(steps, 1):
        mark = "x" if step.passed else " "
        yield from ("", f"{number}. [{mark}] {step.title} (`{step.exercise}`): {_state(step)}.")
        yield f"   - changes: {step.change}"
        yield f"   - shows: {step.shows}"
        if step.kind in _PLAIN and step.yardstick:
            yield f"   - compared with: {step.yardstick}"
        if step.speed:
            yield f"   - measured: {_describe_speed(step.speed, step.yardstick)}"


def _state(step: StepReport) -> str:
    tries = f"{step.tries} {'try' if step.tries == 1 else 'tries'}"
    if step.passed:
        return f"right on {step.passed:%-d %B %Y}, after {tries}"
    return f"not right yet, {tries}" if step.tries else "not tried yet"


def _describe_speed(speed: Speed, yardstick: str) -> str:
    unit = unit_of(speed.median_ms)
    low, high = (format_in_unit(ms, unit) for ms in speed.ci95_ms)
    rates = [
        f"{format_quantity(value)}{name}"
        for value, name in ((speed.flops, "FLOP/s"), (speed.bytes, "B/s"))
        if value
    ]
    versions = ", ".join(
        f"{name} {speed.versions[name]}" for name in ("torch", "triton") if name in speed.versions
    )
    text = f"{format_in_unit(speed.median_ms, unit)} ({low} to {high}), {', '.join(rates)}"
    if speed.share and speed.yardstick_ms:
        beside = f"{format_in_unit(speed.yardstick_ms, unit_of(speed.yardstick_ms))}"
        text += f"; {speed.share:.1%} of {yardstick or 'eager PyTorch'}, {beside}"
    return f"{text}; {speed.device}, {speed.day:%-d %B %Y}, {versions}"


def _list_judged_steps(steps: Sequence[Numbered]) -> Iterator[str]:
    """Yield the table of functions: cases of the right answer, tries, and mistakes before it."""
    yield from ("", "## What was judged", "")
    if not any(step.tries for _, step in steps):
        yield "Nothing yet: no milestone was tried."
        return
    yield "Cases of the newest right answer, and the mistakes on the way to the first one."
    yield ""
    rows = [
        (
            _name(number, step),
            str(step.cases or _NONE),
            str(step.tries or _NONE),
            _mistakes(step.mistakes),
        )
        for number, step in steps
    ]
    yield from _table(("step", "cases", "tries", "mistakes"), rows)


def _mistakes(counts: Sequence[tuple[str, int]]) -> str:
    texts = [code if count == 1 else f"{count} {code}" for code, count in counts]
    while len(", ".join(texts)) > _MOST_MISTAKES:
        texts = [*texts[:-2], "…"]
    return ", ".join(texts) or _NONE


def _list_figures(steps: Sequence[Numbered]) -> Iterator[str]:
    """Yield the figures that the exercises took of the newest right answers, if any."""
    counted = [(number, step) for number, step in steps if step.figures and not step.promises]
    if counted:
        yield from ("", "## What was counted")
    for number, step in counted:
        yield from ("", f"Step {number}, `{step.exercise}`:", "")
        texts = [(name, text) for name, text in step.figures if _CELL not in text]
        yield from (f"- {_printable(name)}: {_printable(text)}" for name, text in texts)
        if texts and len(texts) < len(step.figures):
            yield ""
        yield from _figures_table(step)


def _figures_table(step: StepReport) -> Iterator[str]:
    """Yield the figures that are rows of a table; the first is its head."""
    rows = [
        [_printable(cell).strip() for cell in (name, *text.split(_CELL))]
        for name, text in step.figures
        if _CELL in text
    ]
    if rows:
        width = max(map(len, rows))
        head, *body = [[*row, *[""] * (width - len(row))] for row in rows]
        yield from _table(head, body)


def _changes(steps: Sequence[Numbered]) -> Iterator[str]:
    yield from ("", "## What each step changed", "")
    known = [step.code for _, step in steps if step.code]
    if not known:
        yield "Nothing to count yet: no milestone is right."
        return
    targets = sorted({code.target for code in known if code.target})
    compiled = f" Compiled for {', '.join(targets)}." if targets else ""
    yield (
        "FLOP for each byte that programs load, and where a step is about their order, that waves "
        f"of neighbours load together; what the compiled kernel needs.{compiled}"
    )
    yield ""
    head = ("step", "FLOP/B", "waves", "regs", "spills", "shared", "tensor")
    rows = [(_name(number, step), *_code_row(step.code)) for number, step in steps]
    yield from _table(head, rows)


def _code_row(code: CodeFigures | None) -> tuple[str, ...]:
    if code is None:
        return (_NONE,) * 6
    shared = None if code.shared_bytes is None else f"{code.shared_bytes / 1024:.0f} KiB"
    compiled = code.registers is not None
    return (
        _format_number(code.flop_per_byte, ".1f"),
        _format_number(code.flop_per_wave_byte, ".1f"),
        _format_number(code.registers, "d"),
        _format_number(code.spills, "d"),
        shared or _NONE,
        code.matrix or ("none" if compiled else _NONE),
    )


def _gains(steps: Sequence[Numbered]) -> Iterator[str]:
    yield from ("", "## What each step gained", "")
    if not any(step.speed for _, step in steps):
        yield "Nothing was measured: no right answer was judged on a GPU. A time decides no milestone."
        return
    yield "Medians. `gain` compares FLOP/s with the step measured before it."
    yield ""
    rows, before = [], None
    for number, step in steps:
        speed = step.speed
        rows.append((_name(number, step), *_speed_row(speed, before)))
        before = speed.flops if speed and speed.flops else before
    yield from _table(("step", "time", "TFLOP/s", "GB/s", "of yardstick", "gain"), rows)
    yield ""
    for number, step in steps:
        if step.speed and step.yardstick:
            yield f"- yardstick of step {number}: {step.yardstick}"


def _speed_row(speed: Speed | None, before: float | None) -> tuple[str, ...]:
    if speed is None:
        return (_NONE,) * 5
    gain = f"{speed.flops / before:.2f}x" if speed.flops and before else _NONE
    return (
        format_in_unit(speed.median_ms, unit_of(speed.median_ms)),
        _format_number(speed.flops and speed.flops / 1e12, ".1f"),
        _format_number(speed.bytes and speed.bytes / 1e9, ".0f"),
        _format_number(speed.share, ".1%"),
        gain,
    )


def _plot(steps: Sequence[Numbered]) -> Iterator[str]:
    """Draw the shares of the yardstick, or without measurements the FLOP for each loaded byte."""
    shares = [step.speed.share if step.speed else None for _, step in steps]
    if any(shares):
        title, values, form = "Share of the yardstick's speed", shares, ".0%"
    else:
        title, form = "FLOP for each loaded byte", ".1f"
        values = [step.code.flop_per_byte if step.code else None for _, step in steps]
    most = max((value for value in values if value), default=0.0)
    if not most:
        return
    yield from ("", f"## {title}", "", "```text")
    names = [_name(number, step) for number, step in steps]
    width = max(map(len, names))
    for name, value in zip(names, values, strict=True):
        bar = "█" * max(1, round(_BAR * value / most)) if value else ""
        yield f"{name:<{width}}  {bar:<{_BAR}}  {_format_number(value, form)}"
    yield "```"


def _name(number: int, step: StepReport) -> str:
    return f"{number} {step.exercise}"


def _format_number(value: float | None, form: str) -> str:
    return _NONE if value is None else format(value, form)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a Markdown table whose columns are aligned, numbers to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for number, row in enumerate((head, *rows)):
        cells = [
            cell.ljust(width) if not i else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"| {' | '.join(cells)} |"
        if not number:
            lines = (f"{'-' * width}{':' if i else '-'}" for i, width in enumerate(widths))
            yield f"|-{'|-'.join(lines)}|"


def _printable(text: str) -> str:
    """Drop control characters that a terminal would obey; line ends stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c == "\n" or c.isprintable() or c == "\t")
