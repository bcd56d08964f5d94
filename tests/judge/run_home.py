"""The home of this run of the tests, and how a home of a test's own shares its warm judge, and what is
made from the course's files."""

import os
from pathlib import Path
from unittest import mock

from tutor.course.catalog.course import open_course

RUNTIME = (
    "TUTOR_TEST_RUNTIME"  # the variable that holds the run's folder; `tests/conftest.py` sets it
)
_SHARED = ("judge", "triton", "triton-own", "inductor", "inductor-own")  # folders of `cache`


def run_home() -> Path:
    return Path(os.environ[RUNTIME]) / "home"


def share_judge(home: Path) -> Path:
    """Let a home have the run's warm judge, and what Triton and Inductor compiled for it. Return it.

    A home of its own has a judge of its own, which imports torch; Inductor first precompiles C++ headers
    for it, seven seconds of processor time; and the solution of an exercise is compiled anew. A judge
    belongs to the folder in which it writes, so links are all that it takes. Outside a run of the tests
    nothing is shared.
    """
    if RUNTIME in os.environ:
        share_course(home)
        for name in _SHARED:
            (run_home() / "cache" / name).mkdir(parents=True, exist_ok=True)
            if not (home / "cache" / name).exists():
                (home / "cache" / name).symlink_to(run_home() / "cache" / name)
    return home


def share_course(home: Path) -> Path:
    """Let a home have the overview of the course and the index of its words that this run has made.
    Return it. Every lesson is read for either, a second of processor time for each home."""
    kept = run_home() / "cache"
    if not any(kept.glob("course-*.json")):
        with mock.patch.dict(os.environ, {"TUTOR_HOME": str(run_home())}):
            open_course().overview()
    (home / "cache").mkdir(parents=True, exist_ok=True)
    for file in (*kept.glob("course-*.json"), *kept.glob("search-*.sqlite3")):
        if not (home / "cache" / file.name).exists():
            (home / "cache" / file.name).symlink_to(file)
    return home
