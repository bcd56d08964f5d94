"""Paths on disk: the course that ships with the program, and the files that the program writes.

`TUTOR_HOME` moves everything that the program writes; without it the platform's own folders are
used.
"""

import os
from pathlib import Path

from tutor.base.errors import StorageError, UsageError

_PACKAGE = Path(__file__).resolve().parents[1]
COURSE = "TUTOR_COURSE"  # the variable that names another course's folder; without it our own


def course_root() -> Path:
    """Return the folder that holds `lessons/`, `quizzes/` and `kernels/`: the one in use, else ours.

    An installed wheel has ours inside the package; a checkout has it next to it.
    """
    if given := os.environ.get(COURSE, ""):
        return _other_course(given)
    for candidate in (_PACKAGE / "_course", _PACKAGE.parent):
        if (candidate / "lessons").is_dir():
            return candidate
    raise UsageError(
        f"no course found: neither {_PACKAGE / '_course'} nor {_PACKAGE.parent} has a lessons/ "
        "folder; install tutor again"
    )


def other_course() -> str:
    """Return the name of another course in use, by which its record goes: that of its folder. "" for
    ours."""
    if not os.environ.get(COURSE):
        return ""
    root = course_root()
    if root in (_PACKAGE / "_course", _PACKAGE.parent):
        return ""
    return root.parent.name if root.parent.parent == _packs_dir() else root.name


def _other_course(given: str) -> Path:
    try:
        root = Path(given).expanduser().resolve()
        if (root / "lessons").is_dir() and root.name:
            return root
    except (RuntimeError, OSError, ValueError):  # links in a circle, a NUL
        pass
    raise UsageError(
        f"{given[:200]!r} holds no course: it has no folder lessons/ (`tutor new day 1 --title TEXT "
        "--course DIR` begins one)"
    )


def _packs_dir() -> Path:
    """Return the folder of courses that an earlier edition kept as packs: `NAME/course`, and what was
    learnt with it beside that."""
    return _folder("data", "") / "packs"


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
    """Return the folder of the learner's kernels, one file an exercise; another course has
    its own."""
    return _learning_dir() / "work"


def record_file() -> Path:
    """Return the SQLite file with the learning record; another course has its own."""
    return _learning_dir() / "record.sqlite3"


def _learning_dir() -> Path:
    if not (name := other_course()):
        return data_dir()
    of_a_pack = _packs_dir() / name
    return of_a_pack if of_a_pack.is_dir() else data_dir() / "courses" / name


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
