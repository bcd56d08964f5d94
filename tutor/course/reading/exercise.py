"""Reader of `kernels/SLUG/exercise.toml`, with checks of the files next to it."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tutor.course.model import (
    EXERCISE_KINDS,
    EXTRAS_OF_KINDS,
    MAKERS,
    NEEDS,
    SUBJECTS,
    Aim,
    Exercise,
    Promise,
)
from tutor.course.reading.accepted_slips import read_accepted_slips
from tutor.course.reading.faults import CourseFault, Fault, format_value, read_course_file
from tutor.course.reading.other_repairs import read_other_repairs
from tutor.course.reading.python_source import is_signature, names_bound, syntax_error
from tutor.course.reading.toml_table import Table, read_table
from tutor.course.reading.twist_promises import read_twist_promises
from tutor.course.reading.wrong_answers import read_wrong_answers

HINTS = 3  # a question, a pointer, almost code
_SLUG = r"[a-z][a-z0-9_]*"
_PROMISE = r"[a-z0-9]+(-[a-z0-9]+)*"
_PASS_REFERENCE = ("CASES", "REWRITE")
_REFERENCE = ("reference", "eager", "work", "CASES")  # `scale` and `TIMING` have defaults


def read_exercise(folder: Path) -> Exercise:
    """The exercise of a folder; reads `exercise.toml` alone. Raises `CourseFault`."""
    file = read_table(folder / "exercise.toml")
    if not re.fullmatch(_SLUG, folder.name):
        file.fault("folder", "lower-case words joined by underscores", format_value(folder.name))
    limits = file.table("limits")
    kind = file.one_of("kind", EXERCISE_KINDS)
    subject = file.one_of("subject", tuple(SUBJECTS)) if kind == "pass" else ""
    rows = file.tables("promise")
    twist_rows = [row for row in rows if "twist" in row]
    rows = [row for row in rows if "twist" not in row]
    exercise = Exercise(
        slug=folder.name,
        title=file.text("title"),
        day=file.integer("day", 1),
        order=file.integer("order", 1, default=99),
        kind=kind,
        entry=_entry(file),
        minutes=file.integer("minutes", 1),
        needs=_needs(file, kind, subject),
        task=file.text("task"),
        hints=file.texts("hints", least=HINTS),
        folder=folder,
        sources=file.texts("sources"),
        twists=file.texts("twists"),
        seconds=_limit(limits, "seconds", _seconds(kind, subject)),
        memory_gib=_limit(limits, "memory_gib", 4.0),
        promises=tuple(_read_promises(rows)),
        twist_promises=tuple(read_twist_promises(twist_rows, len(file.texts("twists")), kind)),
        subject=subject,
        aim=_read_aim(file) if kind == "cases" else None,
        own_cases=_own_cases(file),
    )
    if limits:
        limits.finish("[limits]")
    file.finish("an exercise")
    file.raise_faults()
    return exercise


def _read_aim(file: Table) -> Aim:
    """The aim of an exercise of the kind "cases": the exercise `of` whose mistakes are to be refused."""
    row = file.table("aim")
    if row is None:
        file.fault("aim", "a table [aim] with of, refuse and cases", "none")
        return Aim("", 1, 1)
    aim = Aim(
        row.matching("of", _SLUG, "the slug of a kernel's exercise"),
        row.integer("refuse", 1),
        row.integer("cases", 1),
    )
    row.finish("an aim")
    return aim


def _own_cases(file: Table) -> bool:
    """False where the arguments depend on each other, so that a short call cannot say them."""
    value = file.value("own_cases")
    if value not in (None, False):
        file.fault("own_cases", "false, or no such field", format_value(value))
    return value is None


def _entry(file: Table) -> str:
    """A call signature: `add(x, y)`."""
    entry = file.text("entry")
    if entry and not is_signature(entry):
        file.fault("entry", "a Python signature such as add(x, y)", format_value(entry))
    return entry


def _seconds(kind: str, subject: str) -> float:
    """The limit of an exercise that names none. What compiles may take longer."""
    return (
        10.0
        if kind in ("kernel", "function", "ranks") or subject in ("fx", "onnx", "xdsl")
        else 30.0
    )


def _needs(file: Table, kind: str, subject: str) -> tuple[str, ...]:
    needs = file.texts("needs")
    extra = SUBJECTS.get(subject) or EXTRAS_OF_KINDS.get(kind)
    if extra and extra not in needs:
        file.fault(
            "needs", f'"{extra}", for an exercise of the kind {kind}', format_value(list(needs))
        )
    for need in needs:
        if need not in NEEDS:
            file.fault("needs", "any of " + ", ".join(NEEDS), format_value(need))
    return needs


def _read_promises(rows: Iterable[Table]) -> Iterator[Promise]:
    """Read each `[[promise]]` of the task. The wrong answers that it names are files of their own,
    not read here."""
    seen: set[str] = set()
    for row in rows:
        name = row.matching("id", _PROMISE, "lower-case words joined by hyphens")
        if name in seen:
            row.fault("id", "an id used once in the exercise", f"{format_value(name)} again")
        seen.add(name)
        judged = row.value("judged")
        if judged not in (None, False):
            row.fault("judged", "false, or no such field", format_value(judged))
        text, broken_by = row.text("text"), row.texts("broken_by")
        if judged is False and broken_by:
            row.fault("broken_by", "none where `judged = false`", format_value(list(broken_by)))
        row.finish("a promise")
        yield Promise(name, text, broken_by, judged is not False, row.line())


def _limit(limits: Table | None, name: str, default: float) -> float:
    value = limits.number(name) if limits else None
    if limits and value is not None and value <= 0:
        limits.fault(name, "a number above 0", format_value(value))
    return default if value is None else value


def folder_faults(exercise: Exercise) -> list[Fault]:
    """Find what is missing or unreadable next to `exercise.toml`, without running its Python."""
    faults: list[Fault] = []
    entry = (exercise.entry_name.strip(),)
    programs: list[tuple[Path, tuple[str, ...]]] = [
        (exercise.starter, entry),
        (exercise.solution, entry),
    ]
    if exercise.kind != "cases":
        of_kind = _PASS_REFERENCE if exercise.kind == "pass" else _REFERENCE
        programs.append((exercise.reference, of_kind))
    for path, names in programs:
        faults += module_faults(path, names)
    if exercise.maker:
        faults += module_faults(exercise.maker, (MAKERS[exercise.kind],))
        faults += module_faults(exercise.reference, ("PROPERTIES",))
    if exercise.probe.exists():
        faults += module_faults(exercise.probe, ("probe",))
        faults += module_faults(exercise.reference, ("check_found",))
    for read in (read_wrong_answers, read_accepted_slips, read_other_repairs):
        try:
            read(exercise.folder)
        except CourseFault as fault:
            faults += fault.faults
    return faults


def module_faults(path: Path, names: tuple[str, ...]) -> list[Fault]:
    """Find what keeps a file from being Python that defines each of `names`."""
    try:
        code = read_course_file(path)
    except CourseFault as fault:
        return list(fault.faults)
    if error := syntax_error(code):
        return [Fault(path, error[0], "python", "Python", error[1])]
    bound = names_bound(code)
    return [Fault(path, 1, name, "a definition", "none") for name in names if name not in bound]
