"""The report of a project: what the record has of its milestones, as Markdown and as JSON values.

A report is computed from the record each time, so it cannot differ from it, and goes wherever the record
goes. Rows of the two tables are steps; a figure that nothing was counted or measured for is "–".
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from tutor.base.errors import UsageError
from tutor.hardware.roofline import quantity
from tutor.judge.model.verdict import Verdict, verdict_from_json
from tutor.judge.reports.timing_text import figure, unit_of
from tutor.memory.statistics.project_progress import (
    MilestoneProgress,
    WrittenAnswer,
    milestones,
    written_answers,
)
from tutor.xray.model.counts import matrix_units

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.course.model import Lesson
    from tutor.memory.record import Record
    from tutor.memory.store.rows import Attempt

_BAR = 40  # columns of the longest bar
_NONE = "–"


@dataclass(frozen=True)
class CodeFigures:
    """Figures of the newest right answer that need no GPU: FLOP for each byte that programs load, and
    for each byte that waves of them load; what the compiled kernel needs a thread and a block."""

    flop_per_byte: float | None = None
    flop_per_wave_byte: float | None = None
    target: str = ""
    registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    matrix: str = ""  # "wgmma fp16"


@dataclass(frozen=True)
class Speed:
    """The fastest right answer: milliseconds with the ends of their interval, rates a second, and
    `share`, the yardstick's median over this one."""

    median_ms: float
    ci95_ms: tuple[float, float]
    flops: float | None
    bytes: float | None
    yardstick_ms: float | None
    share: float | None
    device: str
    day: date
    versions: dict[str, str]


@dataclass(frozen=True)
class StepReport:
    """A milestone of the report. `passed` is the day of the first right answer, after `tries`."""

    exercise: str
    title: str
    change: str
    shows: str
    yardstick: str
    tries: int
    passed: date | None
    code: CodeFigures | None
    speed: Speed | None


@dataclass(frozen=True)
class ProjectReport:
    day: int
    title: str
    made: date
    steps: tuple[StepReport, ...]
    written: tuple[tuple[str, str, date], ...]  # a question, the learner's words, their day

    def to_json(self) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: plain(each) for key, each in value.items()}
            if isinstance(value, list | tuple):
                return [plain(each) for each in value]
            return value.isoformat() if isinstance(value, date) else value

        found: dict[str, Any] = plain(asdict(self))
        names = ("question", "text", "day")
        return found | {"written": [dict(zip(names, row, strict=True)) for row in found["written"]]}


def project_lesson(course: "Course", day: int) -> "Lesson":
    """Return the lesson of a project. Raises `UsageError` for a day that is none, or not written."""
    lesson = course.lesson(day)
    if lesson is not None and lesson.milestones:
        return lesson
    projects = [
        each.day for each in course.overview().days if each.kind == "project" and each.written
    ]
    named = (
        f"projects are on {', '.join(f'Day {each}' for each in projects)}"
        if projects
        else ("no project is written yet")
    )
    raise UsageError(f"Day {day} has no project to report on: {named}")


def project_report(course: "Course", record: "Record", lesson: "Lesson") -> ProjectReport:
    """Read a project's report from the record. `lesson` must have milestones."""
    quiz = course.quiz(lesson.day)
    questions = (*lesson.questions, *(quiz.questions if quiz else ()))
    steps = tuple(
        _step(course.exercise(found.milestone.exercise).title, found)
        for found in milestones(record, lesson)
    )
    written = tuple(_written(each) for each in written_answers(record, questions))
    return ProjectReport(lesson.day, lesson.title, record.today(), steps, written)


def _written(found: WrittenAnswer) -> tuple[str, str, date]:
    return found.question.prompt.strip(), found.text, found.answer.at.date()


def _step(title: str, found: MilestoneProgress) -> StepReport:
    each = found.milestone
    return StepReport(
        each.exercise,
        title,
        each.change,
        each.shows,
        each.yardstick,
        found.tries,
        found.first.at.date() if found.first else None,
        _code(found.newest) if found.newest else None,
        _speed(found.fastest) if found.fastest else None,
    )


def _verdict(attempt: "Attempt") -> Verdict | None:
    try:
        return verdict_from_json(attempt.verdict)
    except ValueError:  # another version of the program wrote it
        return None


def _code(attempt: "Attempt") -> CodeFigures | None:
    verdict = _verdict(attempt)
    if verdict is None:
        return None
    needs, traffic = verdict.resources or {}, verdict.traffic
    flops = traffic.flops if traffic else 0
    loaded = traffic.loaded if traffic else 0
    waves = traffic.fetched if traffic else 0
    return CodeFigures(
        flops / loaded if flops and loaded else None,
        flops / waves if flops and waves else None,
        needs.get("target", ""),
        needs.get("registers"),
        needs.get("spills"),
        needs.get("shared_bytes"),
        _matrix(needs.get("matrix", ())),
    )


def _matrix(instructions: Sequence[str]) -> str:
    """Return the family of the matrix instructions and what they multiply: "wgmma fp16"."""
    if not instructions:
        return ""
    family = "mfma" if instructions[0].startswith("v_") else instructions[0].split(".")[0]
    return " ".join((family, *matrix_units(instructions)))


def _speed(attempt: "Attempt") -> Speed | None:
    verdict = _verdict(attempt)
    timing = verdict.timing if verdict else None
    if verdict is None or timing is None:
        return None
    learner, roofline = timing.learner, timing.roofline
    seconds = learner.median_ms / 1e3
    yardstick = timing.eager.median_ms if timing.eager else None
    return Speed(
        learner.median_ms,
        learner.ci95_ms,
        roofline.flops / seconds if roofline else None,
        roofline.bytes / seconds if roofline else None,
        yardstick,
        yardstick / learner.median_ms if yardstick else None,
        verdict.device.removeprefix("cuda: "),
        attempt.at.date(),
        verdict.versions,
    )


# --- Markdown -------------------------------------------------------------------------------------


def markdown(report: ProjectReport) -> Iterator[str]:
    """Yield the report's lines. Tables and bars of a name of 12 letters fit 75 columns."""
    passed = sum(step.passed is not None for step in report.steps)
    yield f"# Report of Day {report.day}: {report.title}"
    yield ""
    yield (
        f"{passed} of {len(report.steps)} milestones {'is' if passed == 1 else 'are'} right. "
        f"Written by tutor from the record on {report.made:%-d %B %Y}."
    )
    yield from _milestones(report.steps)
    yield from _changes(report.steps)
    yield from _gains(report.steps)
    yield from _plot(report.steps)
    if report.written:
        yield from ("", "## What you wrote")
    for question, text, day in report.written:
        yield from ("", f"**{question}** ({day:%-d %B %Y})", "")
        yield from (f"> {line}".rstrip() for line in _printable(text).split("\n"))


def _milestones(steps: Sequence[StepReport]) -> Iterator[str]:
    yield from ("", "## Milestones")
    for number, step in enumerate(steps, 1):
        mark = "x" if step.passed else " "
        yield from ("", f"{number}. [{mark}] {step.title} (`{step.exercise}`): {_state(step)}.")
        yield f"   - changes: {step.change}"
        yield f"   - shows: {step.shows}"
        if step.speed:
            yield f"   - measured: {_measured(step.speed, step.yardstick)}"


def _state(step: StepReport) -> str:
    tries = f"{step.tries} {'try' if step.tries == 1 else 'tries'}"
    if step.passed:
        return f"right on {step.passed:%-d %B %Y}, after {tries}"
    return f"not right yet, {tries}" if step.tries else "not tried yet"


def _measured(speed: Speed, yardstick: str) -> str:
    unit = unit_of(speed.median_ms)
    low, high = (figure(ms, unit) for ms in speed.ci95_ms)
    rates = [
        f"{quantity(value)}{name}"
        for value, name in ((speed.flops, "FLOP/s"), (speed.bytes, "B/s")) if value
    ]  # fmt: skip
    versions = ", ".join(f"{name} {speed.versions[name]}" for name in ("torch", "triton")
                         if name in speed.versions)  # fmt: skip
    text = f"{figure(speed.median_ms, unit)} ({low} to {high}), {', '.join(rates)}"
    if speed.share and speed.yardstick_ms:
        beside = f"{figure(speed.yardstick_ms, unit_of(speed.yardstick_ms))}"
        text += f"; {speed.share:.1%} of {yardstick or 'eager PyTorch'}, {beside}"
    return f"{text}; {speed.device}, {speed.day:%-d %B %Y}, {versions}"


def _changes(steps: Sequence[StepReport]) -> Iterator[str]:
    yield from ("", "## What each step changed", "")
    known = [step.code for step in steps if step.code]
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
    rows = [(_name(number, step), *_code_row(step.code)) for number, step in enumerate(steps, 1)]
    yield from _table(head, rows)


def _code_row(code: CodeFigures | None) -> tuple[str, ...]:
    if code is None:
        return (_NONE,) * 6
    shared = None if code.shared_bytes is None else f"{code.shared_bytes / 1024:.0f} KiB"
    compiled = code.registers is not None
    return (
        _shown(code.flop_per_byte, ".1f"),
        _shown(code.flop_per_wave_byte, ".1f"),
        _shown(code.registers, "d"),
        _shown(code.spills, "d"),
        shared or _NONE,
        code.matrix or ("none" if compiled else _NONE),
    )


def _gains(steps: Sequence[StepReport]) -> Iterator[str]:
    yield from ("", "## What each step gained", "")
    if not any(step.speed for step in steps):
        yield "Nothing was measured: no right answer was judged on a GPU. A time decides no milestone."
        return
    yield "Medians. `gain` compares FLOP/s with the step measured before it."
    yield ""
    rows, before = [], None
    for number, step in enumerate(steps, 1):
        speed = step.speed
        rows.append((_name(number, step), *_speed_row(speed, before)))
        before = speed.flops if speed and speed.flops else before
    yield from _table(("step", "time", "TFLOP/s", "GB/s", "of yardstick", "gain"), rows)
    yield ""
    for number, step in enumerate(steps, 1):
        if step.speed and step.yardstick:
            yield f"- yardstick of step {number}: {step.yardstick}"


def _speed_row(speed: Speed | None, before: float | None) -> tuple[str, ...]:
    if speed is None:
        return (_NONE,) * 5
    gain = f"{speed.flops / before:.2f}x" if speed.flops and before else _NONE
    return (
        figure(speed.median_ms, unit_of(speed.median_ms)),
        _shown(speed.flops and speed.flops / 1e12, ".1f"),
        _shown(speed.bytes and speed.bytes / 1e9, ".0f"),
        _shown(speed.share, ".1%"),
        gain,
    )


def _plot(steps: Sequence[StepReport]) -> Iterator[str]:
    """Draw the shares of the yardstick, or without measurements the FLOP for each loaded byte."""
    shares = [step.speed.share if step.speed else None for step in steps]
    if any(shares):
        title, values, form = "Share of the yardstick's speed", shares, ".0%"
    else:
        title, form = "FLOP for each loaded byte", ".1f"
        values = [step.code.flop_per_byte if step.code else None for step in steps]
    most = max((value for value in values if value), default=0.0)
    if not most:
        return
    yield from ("", f"## {title}", "", "```text")
    names = [_name(number, step) for number, step in enumerate(steps, 1)]
    width = max(map(len, names))
    for name, value in zip(names, values, strict=True):
        bar = "█" * max(1, round(_BAR * value / most)) if value else ""
        yield f"{name:<{width}}  {bar:<{_BAR}}  {_shown(value, form)}"
    yield "```"


def _name(number: int, step: StepReport) -> str:
    return f"{number} {step.exercise}"


def _shown(value: float | None, form: str) -> str:
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
