"""Locations of a course's files. Light: a warm `tutor list` imports it."""

import re
from pathlib import Path

LESSON_NAME = re.compile(r"day-(\d+)-[a-z0-9-]+\.md")
QUIZ_NAME = re.compile(r"day-(\d+)\.toml")
MAP_NAME = re.compile(r"phase-(\d+)\.toml")


def outline_file(root: Path) -> Path:
    """Return the path of the file with the course's days and phases."""
    return root / "lessons" / "outline.toml"


def glossary_file(root: Path) -> Path:
    """Return the path of the file with the course's terms."""
    return root / "lessons" / "glossary.toml"


def placement_file(root: Path) -> Path:
    """Return the path of the placement's questions; a course may have none."""
    return root / "quizzes" / "placement.toml"


def lesson_files(root: Path) -> dict[int, Path]:
    """Day -> lesson file, by the names alone."""
    return _by_day(root / "lessons", LESSON_NAME)


def quiz_files(root: Path) -> dict[int, Path]:
    """Day -> quiz file, by the names alone."""
    return _by_day(root / "quizzes", QUIZ_NAME)


def map_files(root: Path) -> dict[int, Path]:
    """Phase -> concept map, by the names alone."""
    return _by_day(root / "lessons" / "maps", MAP_NAME)


def exercise_folders(root: Path) -> list[Path]:
    """The folders under `kernels/` that hold an `exercise.toml`, by name."""
    return sorted(path.parent for path in (root / "kernels").glob("*/exercise.toml"))


def _by_day(folder: Path, name: re.Pattern[str]) -> dict[int, Path]:
    paths: dict[int, Path] = {}
    for path in sorted(folder.glob("*")):
        if match := name.fullmatch(path.name):
            paths.setdefault(int(match[1]), path)
    return dict(sorted(paths.items()))


def reader_files() -> list[Path]:
    """The modules of `tutor.course`: a cache made from the course is stale when one of them changes."""
    return sorted(Path(__file__).parents[1].rglob("*.py"))
