"""The report of a project: what the record has of its milestones, as records and as JSON values.

A report is computed from the record each time, so it cannot differ from it, and goes wherever the record
goes. Rows of the two tables are steps; a figure that nothing was counted or measured for is "–".
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from tutor.base.errors import UsageError
from tutor.course.catalog.day_exercises import milestones_of, projects_of
from tutor.judge.model.verdict import Verdict, verdict_from_json
from tutor.memory.project_choice import find_project, is_chosen
from tutor.memory.project_progress import (
    MilestoneProgress,
    WrittenAnswer,
    find_written_answers,
    list_milestones,
)
from tutor.xray.model.counts.triton import matrix_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tutor.course.catalog.course import Course
    from tutor.course.catalog.overview import Overview, ProjectOverview
    from tutor.course.model import Exercise, Lesson, Question
    from tutor.memory.record import Record
    from tutor.memory.store.rows import Attempt

_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?")


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
    """A milestone of the report. `passed` is the day of the first right answer, after `tries`, in
    which the judge found `mistakes`: codes with their numbers. `cases` and `figures` are those of the
    newest right answer."""

    exercise: str
    title: str
    kind: str  # of the exercise: one of EXERCISE_KINDS
    change: str
    shows: str
    yardstick: str
    tries: int
    passed: date | None
    mistakes: tuple[tuple[str, int], ...]
    cases: int
    figures: tuple[tuple[str, str], ...]
    code: CodeFigures | None
    speed: Speed | None
    promises: bool = False
    device: str = ""  # of the newest right answer, as are `versions`
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Promised:
    """A figure that a step promised, and what the last later step measured of the same name: its
    number in the report from 1, 0 where none did. `ratio`: measured over promised, None where one of
    them is no number or the promise is 0."""

    name: str
    promised: str
    measured: str
    step: int
    ratio: float | None


@dataclass(frozen=True)
class OtherProject:
    """A project that the learner did not choose: it is named, and its milestones do not count."""

    name: str
    title: str
    passed: int
    milestones: int


@dataclass(frozen=True)
class ProjectReport:
    """A project's milestones as the record knows them on the day `made`, and what the learner wrote
    about them. `project`: name and title of the one that counts, where there are several to choose
    from; `chosen` is False as long as the learner has not chosen it."""

    day: int
    title: str
    made: date
    steps: tuple[StepReport, ...]
    written: tuple[tuple[str, str, date], ...]  # a question, the learner's words, their day
    project: tuple[str, str] = ("", "")
    chosen: bool = False
    promised: tuple[Promised, ...] = ()
    others: tuple[OtherProject, ...] = ()

    def to_json(self) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: plain(item) for key, item in value.items()}
            if isinstance(value, list | tuple):
                return [plain(item) for item in value]
            return value.isoformat() if isinstance(value, date) else value

        values: dict[str, Any] = plain(asdict(self))
        names = ("question", "text", "day")
        written = [dict(zip(names, row, strict=True)) for row in values["written"]]
        name, title = self.project
        project = {"name": name, "title": title, "chosen": self.chosen} if name else None
        values.pop("chosen")
        return values | {"written": written, "project": project}


def project_lesson(course: "Course", day: int) -> "Lesson":
    """Return the lesson of a project. Raises `UsageError` for a day that is none, or not written."""
    lesson = course.lesson(day)
    if lesson is not None and lesson.milestones:
        return lesson
    projects = [
        project.day
        for project in course.overview().days
        if project.kind == "project" and project.written
    ]
    named = (
        f"projects are on {', '.join(f'Day {number}' for number in projects)}"
        if projects
        else ("no project is written yet")
    )
    raise UsageError(f"Day {day} has no project to report on: {named}")


def project_report(course: "Course", record: "Record", lesson: "Lesson") -> ProjectReport:
    """Read a project's report from the record. `lesson` must have milestones."""
    overview = course.overview()
    project = find_project(overview, record, lesson.day)
    questions = [each for day in _days_of(overview, lesson) for each in _questions_of(course, day)]
    steps = tuple(
        _step(course.exercise(progress.milestone.exercise), record, progress)
        for progress in list_milestones(record, lesson, project.name if project else "")
    )
    written = tuple(_to_row(record, answer) for answer in find_written_answers(record, questions))
    return ProjectReport(
        lesson.day,
        lesson.title,
        record.today(),
        steps,
        written,
        (project.name, project.title) if project else ("", ""),
        project is not None and is_chosen(overview, record, project),
        tuple(_compare_promises(steps)),
        tuple(_list_others(record, overview, lesson.day, project)),
    )


def _days_of(overview: "Overview", lesson: "Lesson") -> list[int]:
    """Return the day of a lesson, and before it those that began the projects which it goes on with."""
    slugs = {each.exercise for each in lesson.milestones if each.project}
    return [
        day.day
        for day in overview.days
        if day.day == lesson.day
        or (day.day < lesson.day and day.written and slugs & {slug for slug, _ in day.milestones})
    ]


def _questions_of(course: "Course", day: int) -> "tuple[Question, ...]":
    lesson, quiz = course.lesson(day), course.quiz(day)
    return (*(lesson.questions if lesson else ()), *(quiz.questions if quiz else ()))


def _list_others(
    record: "Record", overview: "Overview", day: int, project: "ProjectOverview | None"
) -> "Iterator[OtherProject]":
    right = record.activity.passed_exercises()
    for other in projects_of(overview, day):
        if other != project:
            slugs = milestones_of(overview, other.name)
            passed = sum(slug in right for slug in slugs)
            yield OtherProject(other.name, other.title, passed, len(slugs))


def _compare_promises(steps: Sequence[StepReport]) -> "Iterator[Promised]":
    for place, step in enumerate(steps):
        for name, promised in step.figures if step.promises else ():
            measured, number = "", 0
            for later, other in enumerate(steps[place + 1 :], place + 2):
                if not other.promises and name in dict(other.figures):
                    measured, number = dict(other.figures)[name], later
            yield Promised(name, promised, measured, number, _ratio(measured, promised))


def _ratio(measured: str, promised: str) -> float | None:
    """Return the quotient of the numbers with which two texts begin."""
    found = [_NUMBER.match(text) for text in (measured, promised)]
    one, two = (float(match[0].replace(",", "")) if match else None for match in found)
    return one / two if one is not None and two else None


def _to_row(record: "Record", written: WrittenAnswer) -> tuple[str, str, date]:
    return written.question.prompt.strip(), written.text, record.study_day(written.answer.at)


def _step(exercise: "Exercise", record: "Record", progress: MilestoneProgress) -> StepReport:
    milestone, newest = progress.milestone, _verdict(progress.newest) if progress.newest else None
    return StepReport(
        milestone.exercise,
        exercise.title,
        exercise.kind,
        milestone.change,
        milestone.shows,
        milestone.yardstick,
        progress.tries,
        record.study_day(progress.first.at) if progress.first else None,
        progress.mistakes,
        len(newest.cases) if newest else 0,
        tuple(newest.figures.items()) if newest else (),
        _code(newest) if newest else None,
        _speed(record, progress.fastest) if progress.fastest else None,
        milestone.promises,
        newest.device if newest else "",
        tuple(newest.versions.items()) if newest else (),
    )


def _verdict(attempt: "Attempt") -> Verdict | None:
    try:
        return verdict_from_json(attempt.verdict)
    except ValueError:  # another version of the program wrote it
        return None


def _code(verdict: Verdict) -> CodeFigures:
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


def _speed(record: "Record", attempt: "Attempt") -> Speed | None:
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
        record.study_day(attempt.at),
        verdict.versions,
    )
