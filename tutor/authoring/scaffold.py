"""The first files of a day, a quiz or an exercise: small, complete, and right as they stand.

The templates lie in `scaffold/`; `$day`, `$title` and `$slug` in them are filled in. What is written
passes `tutor content check`, so that an author changes something that works.
"""

import re
from pathlib import Path
from string import Template

from tutor.base.errors import UsageError
from tutor.course.model import Exercise

_TEMPLATES = Path(__file__).parent / "scaffold"
_SLUG = re.compile(r"[a-z][a-z0-9_]{1,39}")


def write_day(root: Path, number: int, title: str) -> list[Path]:
    """A lesson; and an outline that names the day, where the course has none."""
    written = []
    outline = root / "lessons" / "outline.toml"
    if not outline.exists():
        written += _write(root, {outline: "outline.toml"}, _names(number, title))
    there = sorted((root / "lessons").glob(f"day-{number:02}-*.md"))
    if there:
        raise UsageError(f"{there[0]} is there already")
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "untitled"
    file = root / "lessons" / f"day-{number:02}-{slug}.md"
    return written + _write(root, {file: "lesson.md"}, _names(number, title))


def write_quiz(root: Path, number: int, title: str) -> list[Path]:
    """A quiz of two questions."""
    file = root / "quizzes" / f"day-{number:02}.toml"
    return _write(root, {file: "quiz.toml"}, _names(number, title))


def list_kinds() -> tuple[str, ...]:
    """The kinds of exercises that have a template, "kernel" first."""
    kinds = sorted(folder.name for folder in (_TEMPLATES / "exercises").iterdir())
    return tuple(sorted(kinds, key=lambda kind: kind != "kernel"))


def write_exercise(
    root: Path, slug: str, number: int, title: str, kind: str = "kernel", of: Exercise | None = None
) -> list[Path]:
    """An exercise of a kind that has a template: its files, and wrong answers among them. One of the
    kind "cases" plays its cases on the answers `of` another one."""
    if (kind == "cases") != (of is not None):
        raise UsageError(
            "name the exercise to break: --of SLUG"
            if of is None
            else "--of belongs to --kind cases"
        )
    if of is not None and not of.takes_cases:
        raise UsageError(
            f"{of.slug} takes no cases: only kernels do whose arguments a short call can say"
        )
    if not _SLUG.fullmatch(slug):
        raise UsageError(
            f"{slug!r} cannot name an exercise: small letters, digits and _, a letter first, "
            "at most 40"
        )
    folder, templates = root / "kernels" / slug, _TEMPLATES / "exercises" / kind
    files = {
        folder / template.relative_to(templates): str(template.relative_to(_TEMPLATES))
        for template in sorted(templates.rglob("*.*"))
        if template.suffix in (".py", ".toml")
    }
    names = _names(number, title) | {"slug": slug}
    if of is not None:
        names |= {"of": of.slug, "function": of.entry.split("(")[0]}
    return _write(root, files, names)


def _names(number: int, title: str) -> dict[str, str]:
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    return {"day": str(number), "two": f"{number:02}", "next": str(number + 1), "title": quoted}


def _write(root: Path, files: dict[Path, str], names: dict[str, str]) -> list[Path]:
    """Write each template under its name. Raises `UsageError` before the first where one exists."""
    for file in files:
        if file.exists():
            raise UsageError(f"{file} is there already")
    try:
        for file, template in files.items():
            text = (_TEMPLATES / template).read_text(encoding="utf-8")
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as out:
                out.write(Template(text).substitute(names))
    except OSError as error:
        raise UsageError(f"{root} cannot be written: {error.strerror}") from None
    return list(files)
