"""Places on disk: the course that ships with the program, and what the program writes.

`TUTOR_HOME` moves everything the program writes; without it the platform's own folders are used.
"""

import os
from pathlib import Path

from tutor.base.errors import StorageError, UsageError

_PACKAGE = Path(__file__).resolve().parents[1]


def course_root() -> Path:
    """The folder that holds `lessons/`, `quizzes/` and `kernels/`.

    An installed wheel carries them inside the package; a checkout has them next to it.
    """
    for candidate in (_PACKAGE / "_course", _PACKAGE.parent):
        if (candidate / "lessons").is_dir():
            return candidate
    raise UsageError(
        f"no course found: neither {_PACKAGE / '_course'} nor {_PACKAGE.parent} has a lessons/ "
        "folder; install tutor again"
    )


def _home() -> Path | None:
    home = os.environ.get("TUTOR_HOME")
    return Path(home).expanduser().resolve() if home else None


def data_dir() -> Path:
    """The learner's own: the record, its backups, the work files. Never deleted by the program."""
    if home := _home():
        return home
    import platformdirs

    return Path(platformdirs.user_data_dir("tutor", appauthor=False))


def config_file() -> Path:
    """The learner's settings, written by hand or from the settings screen (`tutor.base.config`)."""
    if home := _home():
        return home / "config.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("tutor", appauthor=False)) / "config.toml"


def cache_dir() -> Path:
    """Return the folder of files that can be rebuilt at any time: the course index, compiler caches."""
    if home := _home():
        return home / "cache"
    import platformdirs

    return Path(platformdirs.user_cache_dir("tutor", appauthor=False))


def work_dir() -> Path:
    """The learner's kernels, one file an exercise."""
    return data_dir() / "work"


def record_file() -> Path:
    """The SQLite file with everything that was learnt."""
    return data_dir() / "record.sqlite3"


def ensure(folder: Path) -> Path:
    """`folder`, made if need be. Raises `StorageError` with one sentence where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot write to {folder} ({error.strerror}); set TUTOR_HOME to a folder you own"
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"cannot write to {folder}; set TUTOR_HOME to a folder you own")
    return folder
