"""Paths on disk: the course that ships with the program, and the files that the program writes.

`TUTOR_HOME` moves everything that the program writes; without it the platform's own folders are
used.
"""

import os
from pathlib import Path

from tutor.base.errors import StorageError, UsageError

_PACKAGE = Path(__file__).resolve().parents[1]
PACK = "TUTOR_PACK"  # the variable that names the course pack in use; without it the program's own


def pack_name() -> str:
    """Return the name of the pack in use (docs/packs.md), or "" for the course of the program."""
    name = os.environ.get(PACK, "")
    if name and not all(c.isascii() and (c.isalnum() or c == "-") for c in name):
        raise UsageError(f"{PACK} names no pack: {name[:40]!r}")
    return name


def packs_dir() -> Path:
    """Return the folder of packs: `NAME/course`, and beside it what was learnt with it."""
    return _folder("data", "") / "packs"


def course_root() -> Path:
    """Return the folder that holds `lessons/`, `quizzes/` and `kernels/`: the pack's in use, else ours.

    An installed wheel has them inside the package; a checkout has them next to it.
    """
    if name := pack_name():
        course = packs_dir() / name / "course"
        if not (course / "lessons").is_dir():
            raise UsageError(f"there is no pack {name}; `tutor pack list` names those there are")
        return course
    for candidate in (_PACKAGE / "_course", _PACKAGE.parent):
        if (candidate / "lessons").is_dir():
            return candidate
    raise UsageError(
        f"no course found: neither {_PACKAGE / '_course'} nor {_PACKAGE.parent} has a lessons/ "
        "folder; install tutor again"
    )


def _folder(kind: str, name: str) -> Path:
    """Return `name` in `TUTOR_HOME`; without it, the platform's folder of a `kind` ("data")."""
    if home := os.environ.get("TUTOR_HOME"):
        try:
            return Path(home).expanduser().resolve() / name
        except (RuntimeError, OSError, ValueError):  # links in a circle, no such user's home
            raise StorageError(
                f"TUTOR_HOME is {home[:200]!r}, which leads to no folder; set it to one that you own"
            ) from None
    import platformdirs

    folder: str = getattr(platformdirs, f"user_{kind}_dir")("tutor", appauthor=False)
    return Path(folder)


def data_dir() -> Path:
    """Return the folder of the learner's own data: the record, its backups, the work files. The
    program never deletes it."""
    return _folder("data", "")


def config_file() -> Path:
    """Return the learner's settings file, written by hand or from the settings screen
    (`tutor.base.config`)."""
    return _folder("config", "") / "config.toml"


def cache_dir() -> Path:
    """Return the folder of files that can be rebuilt at any time: the course index, compiler caches."""
    return _folder("cache", "cache")


def judge_dir() -> Path:
    """Return the folder of the warm judge's log. A warm judge serves those callers only whose folder
    this is (`tutor.judge.connection.runtime_folder`)."""
    return cache_dir() / "judge"


def work_dir() -> Path:
    """Return the folder of the learner's kernels, one file an exercise; a pack has its own."""
    return _learning_dir() / "work"


def record_file() -> Path:
    """Return the SQLite file with the learning record; a pack has its own."""
    return _learning_dir() / "record.sqlite3"


def _learning_dir() -> Path:
    name = pack_name()
    return packs_dir() / name if name else data_dir()


def ensure(folder: Path) -> Path:
    """Make `folder` if it does not exist, and return it. Raises `StorageError` with one sentence if
    it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot write to {folder} ({error.strerror}); set TUTOR_HOME to a folder you own"
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"cannot write to {folder}; set TUTOR_HOME to a folder you own")
    return folder
