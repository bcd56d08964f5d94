"""Reads `kernels/SLUG/exercise.toml`, and checks the files that stand beside it."""

import ast
import re
from pathlib import Path

from tutor.course.faults import CourseFault, Fault, found, read_text
from tutor.course.model import EXERCISE_KINDS, NEEDS, Exercise
from tutor.course.table import Table, read_table

HINTS = 3  # a question, a pointer, almost code
_SLUG = r"[a-z][a-z0-9_]*"
_EXPECT = re.compile(r"# expect: [a-z]+(-[a-z]+)*\s*")
_REFERENCE = ("reference", "eager", "work", "CASES")  # `scale` and `TIMING` have defaults


def read_exercise(folder: Path) -> Exercise:
    """The exercise of a folder; reads `exercise.toml` alone. Raises `CourseFault`."""
    file = read_table(folder / "exercise.toml")
    if not re.fullmatch(_SLUG, folder.name):
        file.fault("folder", "lower-case words joined by underscores", found(folder.name))
    limits = file.table("limits")
    exercise = Exercise(
        slug=folder.name,
        title=file.text("title"),
        day=file.integer("day", 1),
        kind=file.one_of("kind", EXERCISE_KINDS),
        entry=_entry(file),
        minutes=file.integer("minutes", 1),
        needs=_needs(file),
        task=file.text("task"),
        hints=file.texts("hints", least=HINTS),
        folder=folder,
        sources=file.texts("sources"),
        seconds=_limit(limits, "seconds", 10.0),
        memory_gib=_limit(limits, "memory_gib", 4.0),
    )
    if limits:
        limits.finish("[limits]")
    file.finish("an exercise")
    file.raise_faults()
    return exercise


def _entry(file: Table) -> str:
    """A call signature: `add(x, y)`."""
    entry = file.text("entry")
    try:
        body = ast.parse(f"def {entry}: pass").body if entry else []
    except (SyntaxError, ValueError):
        body = []
    if entry and not (len(body) == 1 and isinstance(body[0], ast.FunctionDef)):
        file.fault("entry", "a Python signature such as add(x, y)", found(entry))
    return entry


def _needs(file: Table) -> tuple[str, ...]:
    needs = file.texts("needs")
    for need in needs:
        if need not in NEEDS:
            file.fault("needs", "any of " + ", ".join(NEEDS), found(need))
    return needs


def _limit(limits: Table | None, name: str, default: float) -> float:
    value = limits.number(name) if limits else None
    if limits and value is not None and value <= 0:
        limits.fault(name, "a number above 0", found(value))
    return default if value is None else value


def folder_faults(exercise: Exercise) -> list[Fault]:
    """What is missing or unreadable beside `exercise.toml`. Runs none of the Python there."""
    faults: list[Fault] = []
    entry = (exercise.entry_name.strip(),)
    for path, names in (
        (exercise.starter, entry),
        (exercise.solution, entry),
        (exercise.reference, _REFERENCE),
    ):
        faults += _module_faults(path, names)
    for path in exercise.wrong:
        try:
            first = read_text(path).split("\n", 1)[0]
        except CourseFault as fault:
            faults += fault.faults
            continue
        if not _EXPECT.fullmatch(first):
            faults.append(Fault(path, 1, "expect", "`# expect: CODE` on line 1", found(first)))
    return faults


def _module_faults(path: Path, names: tuple[str, ...]) -> list[Fault]:
    try:
        tree = ast.parse(read_text(path))
    except CourseFault as fault:
        return list(fault.faults)
    except SyntaxError as error:
        return [Fault(path, error.lineno or 1, "python", "Python", str(error.msg))]
    bound = {name for node in tree.body for name in _bound(node)}
    return [Fault(path, 1, name, "a definition", "none") for name in names if name not in bound]


def _bound(node: ast.stmt) -> set[str]:
    """The names that a module-level statement binds, conditional ones included."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
